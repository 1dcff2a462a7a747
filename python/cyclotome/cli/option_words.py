# SPDX-License-Identifier: Apache-2.0
"""The library's messages name options as Python has them; whoever types a command reads them as it has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module

import typer

__all__ = ["in_options"]

#: Functions that messages speak of, and the command that does the same.
_COMMANDS = {"suggest": "params", "keygen": "keygen", "encrypt": "encrypt"}
#: Options that commands call otherwise.
_OTHERWISE = {"force": "overwrite"}

_VALUE = r"True|False|\.\.\.|\d+|'[^']*'|\"[^\"]*\""
_NAMED = re.compile(rf"(?<![\w./'\"=-])([a-z]\w*)(?:=({_VALUE}|(?=$|[\s,;)])))?(?![\w(='\"/-])")
_CALL = re.compile(rf"\b(?:cy\.|Parameters\.)*({'|'.join(_COMMANDS)})\((?:\w+, )?((?:[a-z]\w*=(?:{_VALUE})(?:, )?)+)\)")

#: A command's options by their names in Python: how they are typed, how the opposite is, and whether a value follows.
_Options = dict[str, tuple[str, str, bool]]


def in_options(message: str) -> str:
    """A message with ``allow_insecure=True`` as ``--allow-insecure``, if the command that runs has such an option, or
    else if any other has; ``suggest(depth=1)`` as ``cyclotome params --depth 1``. Words without ``=`` are options of
    the command that runs, with an underscore within. What no command has stays as it is."""
    # Of click, which newer typers bring along and older ones ask for.
    click = typer.Context.__mro__[1].__module__.rpartition(".")[0]
    context = import_module(f"{click}.globals").get_current_context(silent=True)
    if context is None:
        return message
    commands = dict(_commands(context.find_root().command))
    own = _options(context.command)
    every = {name: option for command in commands.values() for name, option in _options(command).items()}

    def call(match: re.Match[str]) -> str:
        options = _options(commands[_COMMANDS[match[1]]])
        given = list(_NAMED.finditer(match[2]))
        words = [word for each in given if (word := typed(each, options)) is not None]
        return f"cyclotome {_COMMANDS[match[1]]} {' '.join(words)}" if len(words) == len(given) else match[0]

    def typed(match: re.Match[str], options: _Options) -> str | None:
        name, value = match.groups()
        if name not in options or (value is None and "_" not in name):
            return None
        flag, opposite, valued = options[name]
        if value == "False":
            return opposite
        if value in (None, "", "True"):
            return flag
        return f"{flag} {value if value != '...' else '…'}" if valued else None

    def word(match: re.Match[str]) -> str:
        found = typed(match, own) or (typed(match, every) if match[2] is not None else None)
        return found or match[0]

    return _NAMED.sub(word, _CALL.sub(call, message))


def _commands(group: object, name: str = "") -> Iterator[tuple[str, object]]:
    """All commands of a program, by their names; of equal names the outermost comes last."""
    inner: dict[str, object] = getattr(group, "commands", {})
    if not inner:
        yield name, group
    for each, command in sorted(inner.items(), key=lambda pair: -bool(getattr(pair[1], "commands", {}))):
        yield from _commands(command, each)


def _options(command: object) -> _Options:
    found: _Options = {}
    for each in getattr(command, "params", ()):
        long = [text for text in each.opts if text.startswith("--")]
        if long:
            opposite = next(iter(each.secondary_opts), f"no {long[0]}")
            for name in {each.name, long[0][2:].replace("-", "_"), _OTHERWISE.get(each.name)}:
                found[name] = (long[0], opposite, not getattr(each, "is_flag", False))
    return found
