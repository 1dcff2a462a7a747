# SPDX-License-Identifier: Apache-2.0
"""The distribution cyclotome-cuda: the extension of this package again, with the CUDA engine in it.

A process has one extension, so that it has one set of engines, limits and error classes. Where cyclotome-cuda is
installed, its folder is searched before the package's own, and `cyclotome._core` is found there.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from importlib.machinery import PathFinder

__all__ = ["search_path"]


def search_path(own: Iterable[str]) -> list[str]:
    """Where the modules of this package are searched: `own`, behind the folder of cyclotome-cuda where that is
    installed in this version. Another version is left alone, with a RuntimeWarning."""
    found = PathFinder.find_spec("cyclotome_cuda")
    if found is None or not found.submodule_search_locations:
        return list(own)
    versions = [_version("cyclotome"), _version("cyclotome-cuda")]
    if versions[0] != versions[1]:
        warnings.warn(
            f"cyclotome-cuda {versions[1]} does not belong to cyclotome {versions[0]} and is not used; install wheels "
            "of one version",
            RuntimeWarning,
            stacklevel=2,
        )
        return list(own)
    return [*found.submodule_search_locations, *own]


def _version(distribution: str) -> str:
    from importlib import metadata  # as much as all the rest of an import, for those alone who have that distribution

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "of no version"
