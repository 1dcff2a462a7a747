# SPDX-License-Identifier: Apache-2.0
"""The expression language of ``cyclotome eval``.

Python's own grammar, read with `ast` and walked node by node: nothing outside the short list below exists, and nothing
is ever passed to Python's evaluator.

=====================  =================================================================================
``a + b  a - b  -a``   sums and differences, element by element
``a * b  a ** 3``      products; powers with a small positive exponent
``a / 4``              division by a public number: exact, it only changes the scale
``a @ b``              matrix products
``a["bmi"]  a[0:2]``   a column by name, wherever its axis is; parts along the first axis
``sum(a)  mean(a)``    over the last axis (the rows of a table); ``axis=0``, ``axis=None`` (all) as in numpy
``var(a)  cov(a, b)``  population variance and covariance, over the same axis
``dot(a, b)``          sum(a * b)
``equal(a, b)``        1 where it holds, else 0, number by number; ``less(a, b)``; ``maximum(a, b)``, ``minimum(a, b)``
``where(m, a, b)``     a where the mask m, a comparison, is 1, else b
``negacyclic(a, b)``   products of polynomials modulo x^n + 1; ``convolve(a, b)`` without wrapping
``turn(a, 3)``         a(x^3) of polynomials; ``trace(a)``: n times their constant terms
``expand(a)``          polynomials to single numbers; ``pack(a)`` back, or constant terms into one polynomial
``refresh(a)``          the same numbers with fresh noise, for products without end; experimental
``filled(t["a"])``     of a table of columns with scales of their own: missing values as 0; ``present(t["a"])``: 1
                       where they are there, else 0
``3  2.5  1e-3``       numbers, taken as exact decimals
=====================  =================================================================================

Shapes are NumPy's, and a table's first axis numbers its columns. Names of columns follow that axis (`labels`).
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from fractions import Fraction
from typing import NoReturn

from cyclotome import EncryptedFrame
from cyclotome.cli.evaluation import arithmetic, comparisons, frame_operands, polynomials
from cyclotome.cli.failures import UsageError
from cyclotome.cli.numbers import literals
from cyclotome.cli.numbers.quantity import Quantity
from cyclotome.cli.visible import shortened

MAX_LENGTH = 4096
MAX_NODES = 512

#: Functions, and how many arrays each takes.
FUNCTIONS = {"sum": 1, "mean": 1, "var": 1, "cov": 2, "dot": 2}

#: Those of polynomials, which have no axis to choose; `turn` takes a number, too.
POLYNOMIALS = {"negacyclic": 2, "convolve": 2, "turn": 1, "trace": 1, "expand": 1, "pack": 1}

#: Those that act number by number.
COMPARISONS = {"equal": 2, "less": 2, "maximum": 2, "minimum": 2, "where": 3}

#: Those that change ciphertexts, and no number.
CIPHERTEXTS = {"refresh": 1}

#: Those of one column of a table whose columns have scales of their own.
COLUMNS = {"filled": 1, "present": 1}

#: Names that no input has.
RESERVED = frozenset((*FUNCTIONS, *COMPARISONS, *POLYNOMIALS, *CIPHERTEXTS, *COLUMNS))

ALLOWED = "names of inputs, numbers, + - * / ** @, subscripts and " + ", ".join(
    f"{name}()" for name in (*FUNCTIONS, *COMPARISONS, *POLYNOMIALS, *CIPHERTEXTS, *COLUMNS)
)


class ExpressionError(UsageError):
    """An expression outside the language of ``cyclotome eval``."""


def parse(text: str) -> ast.expr:
    """The expression's syntax tree. Raises ExpressionError for what is not an expression, or too long."""
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"the expression has {len(text)} characters; the limit is {MAX_LENGTH}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's remarks on its own style
            tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ExpressionError(f"{shortened(text)} is not an expression: {reason}") from None
    except (RecursionError, MemoryError):
        raise ExpressionError("the expression is nested too deeply") from None
    nodes = sum(1 for _ in ast.walk(tree))
    if nodes > MAX_NODES:
        raise ExpressionError(f"the expression has {nodes} parts; the limit is {MAX_NODES}")
    return tree.body


def names(text: str) -> set[str]:
    """Names of the inputs that an expression uses. Raises ExpressionError."""
    tree = parse(text)
    functions = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in functions}


def evaluate(text: str, inputs: Mapping[str, Quantity | EncryptedFrame], relinearize: bool = True) -> Quantity:
    """The value of an expression.

    Args:
        text: the expression.
        inputs: what its names stand for.
        relinearize: as `cyclotome.polynomials.negacyclic_product` takes it.

    Raises:
        ExpressionError: for anything outside the language, or a name that is not an input.
        CyclotomeError: whatever the encrypted operations refuse.
    """
    try:
        return Evaluator(text.strip(), inputs, relinearize).visit(parse(text))
    except RecursionError:
        raise ExpressionError("the expression is nested too deeply") from None


class Evaluator:
    """Walks one syntax tree; every node type that has no case here is refused."""

    def __init__(self, text: str, inputs: Mapping[str, Quantity | EncryptedFrame], relinearize: bool = True) -> None:
        self._text = text
        self._inputs = inputs
        self._relinearize = relinearize

    def visit(self, node: ast.expr) -> Quantity:
        """The value of one node."""
        if isinstance(node, ast.Constant):
            return self._number(node)
        if isinstance(node, ast.Name):
            return self._input(node)
        if isinstance(node, ast.UnaryOp):
            return self._unary(node)
        if isinstance(node, ast.BinOp):
            return self._binary(node)
        if isinstance(node, ast.Subscript):
            frame = self._frame(node)
            if frame is not None:
                return frame_operands.operand(frame, self._subscript(node.slice))
            return self.visit(node.value).part(self._subscript(node.slice))
        if isinstance(node, ast.Call):
            return self._call(node)
        self._refuse(node)

    def _refuse(self, node: ast.AST, reason: str | None = None) -> NoReturn:
        source = ast.get_source_segment(self._text, node) or type(node).__name__
        raise ExpressionError(f"{shortened(source)} {reason or 'is not part of the language'}; there are {ALLOWED}")

    def _number(self, node: ast.Constant) -> Quantity:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            self._refuse(node)
        if isinstance(node.value, int):
            return Quantity(node.value)
        # 0.1 is one tenth here, not the float next to it.
        source = (ast.get_source_segment(self._text, node) or "").replace("_", "")
        number = literals.parse(source)
        if number is None or float(source) != node.value:
            self._refuse(node, "is not a number in decimals")
        value = Fraction(number)
        return Quantity(value.numerator, Fraction(value.denominator))

    def _input(self, node: ast.Name) -> Quantity:
        if node.id not in self._inputs:
            known = ", ".join(sorted(self._inputs)) or "none"
            raise ExpressionError(f"there is no input {node.id!r}; inputs: {known} (add --input {node.id}=FILE)")
        found = self._inputs[node.id]
        if isinstance(found, EncryptedFrame):
            self._refuse(node, f'is a table of columns with scales of their own: take one, {node.id}["column"]')
        return found

    def _frame(self, node: ast.expr) -> EncryptedFrame | None:
        """The table that a subscript takes a column of; None of other nodes."""
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            found = self._inputs.get(node.value.id)
            return found if isinstance(found, EncryptedFrame) else None
        return None

    def _unary(self, node: ast.UnaryOp) -> Quantity:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.USub):
            return arithmetic.negative(operand)
        if isinstance(node.op, ast.UAdd):
            return operand
        self._refuse(node)

    def _binary(self, node: ast.BinOp) -> Quantity:
        if isinstance(node.op, ast.Pow):
            if not isinstance(node.right, ast.Constant) or type(node.right.value) is not int:
                self._refuse(node, "needs a positive integer as exponent")
            return arithmetic.power(self.visit(node.left), node.right.value)
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Add):
            return arithmetic.add(left, right)
        if isinstance(node.op, ast.Sub):
            return arithmetic.add(left, right, sign=-1)
        if isinstance(node.op, ast.Mult):
            return arithmetic.multiply(left, right)
        if isinstance(node.op, ast.Div):
            return arithmetic.divide(left, right)
        if isinstance(node.op, ast.MatMult):
            return arithmetic.matmul(left, right)
        self._refuse(node)

    def _subscript(self, node: ast.expr) -> object:
        if isinstance(node, ast.Slice):
            bounds = [None if part is None else self._integer(part) for part in (node.lower, node.upper, node.step)]
            return slice(*bounds)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        return self._integer(node)

    def _integer(self, node: ast.expr) -> int:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._integer(node.operand)
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        self._refuse(node, "must be a whole number or the name of a column")

    def _call(self, node: ast.Call) -> Quantity:
        if isinstance(node.func, ast.Name) and node.func.id in POLYNOMIALS:
            return self._polynomial_call(node.func.id, node)
        if isinstance(node.func, ast.Name) and node.func.id in COMPARISONS:
            return self._comparison_call(node.func.id, node)
        if isinstance(node.func, ast.Name) and node.func.id in CIPHERTEXTS:
            if len(node.args) != 1 or node.keywords:
                self._refuse(node, "must have one array")
            return arithmetic.refreshed(self.visit(node.args[0]))
        if isinstance(node.func, ast.Name) and node.func.id in COLUMNS:
            return self._column_call(node.func.id, node)
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
            self._refuse(node.func, "is not a function of the language")
        function = node.func.id
        if len(node.args) != FUNCTIONS[function] or [k.arg for k in node.keywords] not in ([], ["axis"]):
            self._refuse(node, f"must have {FUNCTIONS[function]} array(s) and at most axis=")
        axis: int | None = -1
        for keyword in node.keywords:
            is_none = isinstance(keyword.value, ast.Constant) and keyword.value.value is None
            axis = None if is_none else self._integer(keyword.value)
        operands = [self.visit(argument) for argument in node.args]
        if function == "sum":
            return arithmetic.total(operands[0], axis)
        if function == "mean":
            return arithmetic.mean(operands[0], axis)
        if function == "dot":
            return arithmetic.total(arithmetic.multiply(*operands), axis)
        return arithmetic.covariance(operands[0], operands[-1], axis)

    def _comparison_call(self, function: str, node: ast.Call) -> Quantity:
        if len(node.args) != COMPARISONS[function] or node.keywords:
            self._refuse(node, f"must have {COMPARISONS[function]} arrays")
        operands = [self.visit(argument) for argument in node.args]
        return comparisons.selected(*operands) if function == "where" else comparisons.compared(function, *operands)

    def _column_call(self, function: str, node: ast.Call) -> Quantity:
        argument = node.args[0] if len(node.args) == 1 and not node.keywords else None
        frame = None if argument is None else self._frame(argument)
        if frame is None or not isinstance(argument, ast.Subscript):
            self._refuse(node, "must have one column of a table with scales of its own, as in filled(x['price'])")
        return frame_operands.operand(frame, self._subscript(argument.slice), function)

    def _polynomial_call(self, function: str, node: ast.Call) -> Quantity:
        numbers = 1 if function == "turn" else 0
        if len(node.args) != POLYNOMIALS[function] + numbers or node.keywords:
            what = "an array and a whole number" if numbers else f"{POLYNOMIALS[function]} array(s)"
            self._refuse(node, f"must have {what}")
        first = self.visit(node.args[0])
        if function == "turn":
            return polynomials.automorphism(first, self._integer(node.args[1]))
        if POLYNOMIALS[function] == 2:
            return polynomials.product(function, first, self.visit(node.args[1]), self._relinearize)
        return polynomials.converted(function, first)
