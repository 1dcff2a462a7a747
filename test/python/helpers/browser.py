# SPDX-License-Identifier: Apache-2.0
"""A browser without a window, for tests of pages: Debian's chromium with its chromium-driver."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["MISSING", "Page", "opened"]

_PROGRAMS = {"chromium": ("chromium", "chromium-browser", "google-chrome"), "chromium-driver": ("chromedriver",)}


def _found(package: str) -> str | None:
    return next((path for name in _PROGRAMS[package] if (path := shutil.which(name))), None)


#: Why there is no browser here; "" where there is one.
MISSING = ", ".join(package for package in _PROGRAMS if _found(package) is None)
MISSING = f"pages in a browser: there is no {MISSING} here (Debian: chromium chromium-driver)" if MISSING else ""


class Page:
    """A page in a window of some width."""

    def __init__(self, driver: Any) -> None:
        self._driver = driver

    def open(self, path: Path, width: int) -> None:
        """Loads a file in a window of this width; below 500 as a telephone does."""
        self.visit(path.absolute().as_uri(), width)

    def visit(self, address: str, width: int) -> None:
        """Loads what is at an address, as `open` does."""
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self._driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self._driver.get(address)

    def await_true(self, script: str, seconds: float = 10) -> None:
        """Waits until a script returns something true."""
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self._driver, seconds).until(lambda driver: driver.execute_script(script))

    def ask(self, script: str) -> Any:
        """What a script returns."""
        return self._driver.execute_script(script)

    def complaints(self) -> list[str]:
        """What the console said since the last time: errors of scripts, refused requests."""
        return [entry["message"] for entry in self._driver.get_log("browser") if entry["level"] != "INFO"]


@contextmanager
def opened() -> Iterator[Page]:
    """A browser, ended afterwards."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(_found("chromium"))
    # Without its sandbox, which containers refuse, and shared memory, of which they have little; pages are our own.
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(str(_found("chromium-driver"))))
    try:
        driver.set_page_load_timeout(60)
        yield Page(driver)
    finally:
        driver.quit()
