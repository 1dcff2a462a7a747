# SPDX-License-Identifier: Apache-2.0
"""Small faults of a source: a comparison that takes the other side of equality, a sum for a difference, a constant that
is one off, a refusal that is left out. Python by its syntax tree, C++ by what stands in a line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple


class Mutant(NamedTuple):
    """One changed text, and where."""

    line: int
    what: str
    text: str


#: What a comparison or operation is put for, as written.
PYTHON = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "+"), ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}  # fmt: skip
CPLUSPLUS = [
    (r"(?<![<>=!-])<(?![<=\w:])", "<="), (r"<=", "<"), (r"(?<![->])>(?![>=;,()&\w])", ">="), (r">=", ">"),
    (r"==", "!="), (r"!=", "=="), (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "), (r" / ", " * "),
    (r"&&", "||"), (r"\|\|", "&&"), (r"std::min\b", "std::max"), (r"std::max\b", "std::min"),
    (r"(?<![\w.])\d+\.\d+(?!\w)", "1.01 * {}"), (r"(?<![\w.'])(\d+)(?![\w.'])", "({} + 1)"),
]  # fmt: skip


def of_python(source: str) -> Iterator[Mutant]:
    """All mutants of a module; texts that no test can tell apart (messages, docstrings, types) are left alone."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    def between(left: ast.AST, right: ast.AST, operator: ast.AST) -> Iterator[Mutant]:
        begin = offset(left.end_lineno, left.end_col_offset)  # type: ignore[attr-defined]
        end = offset(right.lineno, right.col_offset)  # type: ignore[attr-defined]
        if type(operator) in PYTHON:
            old, new = PYTHON[type(operator)]
            if (at := source.find(old, begin, end)) >= 0:
                yield Mutant(left.end_lineno, f"{old} -> {new}", source[:at] + new + source[at + len(old) :])  # type: ignore[attr-defined]

    def put(node: ast.expr | ast.stmt, new: str, what: str) -> Mutant:
        begin = offset(node.lineno, node.col_offset)
        end = offset(node.end_lineno or 0, node.end_col_offset or 0)
        return Mutant(node.lineno, what, source[:begin] + new + source[end:])

    for node in without_types(ast.parse(source)):
        if isinstance(node, ast.Compare):
            for left, operator, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
                yield from between(left, right, operator)
        elif isinstance(node, ast.BinOp) and not isinstance(node.left, (ast.JoinedStr, ast.Constant)):
            yield from between(node.left, node.right, node.op)
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from between(left, right, node.op)
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            yield put(node, f"({node.value!r} + 1)", f"{node.value!r} + 1")
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield put(node, str(not node.value), f"{node.value} -> {not node.value}")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = ast.get_source_segment(source, node.operand) or ""
            yield put(node, f"({inner})", "not left out")
        elif isinstance(node, ast.Raise) and node.exc is not None:
            yield put(node, "pass", "refusal left out")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
            other = {"min": "max", "max": "min"}[node.func.id]
            yield put(node.func, other, f"{node.func.id} -> {other}")


def without_types(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those of annotations, texts and defaults of dataclasses' types."""
    waiting = [tree]
    while waiting:
        node = waiting.pop(0)
        yield node
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_comment") or isinstance(node, ast.JoinedStr):
                continue
            children = value if isinstance(value, list) else [value]
            waiting += [each for each in children if isinstance(each, ast.AST)]


def of_cplusplus(source: str) -> Iterator[Mutant]:
    """The same of C++, line by line: comments, texts, includes, templates and declarations of constants' names stay."""
    lines = source.splitlines(keepends=True)
    for i, line in enumerate(lines):
        code = line.split("//")[0]
        if '"' in code or code.lstrip().startswith(("#", "template", "using", "namespace")):
            continue
        for pattern, new in CPLUSPLUS:
            for found in re.finditer(pattern, code):
                changed = code[: found.start()] + new.format(found[0]) + code[found.end() :] + line[len(code) :]
                text = "".join([*lines[:i], changed, *lines[i + 1 :]])
                yield Mutant(i + 1, f"{found[0].strip()} -> {new.format(found[0]).strip()}", text)
