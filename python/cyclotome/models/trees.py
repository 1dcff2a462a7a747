# SPDX-License-Identifier: Apache-2.0
"""Decision trees and small forests: all comparisons at once, then selections from the leaves up.

A node asks whether a feature's integer is at most a threshold; all different questions of all trees are one `less` of
small numbers. A selection between two encrypted children is one product, between two leaves a product with public
numbers (`where`), so a tree of depth d takes d - 1 products one after the other behind the comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.array import EncryptedArray
from ..errors import ArgumentError
from ..functions.functions import argmax, less, where
from ..numbers.values import IntArray
from .model import Model

__all__ = ["Leaf", "Node", "Question", "Trees", "questions_of", "simplified"]

#: (feature, threshold): is the feature's integer at most the threshold?
Question = tuple[int, int]


@dataclass(frozen=True)
class Leaf:
    """Integers: one for each output."""

    values: tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """``yes`` where the question holds, else ``no``."""

    question: Question
    yes: Node | Leaf
    no: Node | Leaf


Tree = Node | Leaf


def simplified(question: Question, yes: Tree, no: Tree, levels: int) -> Tree:
    """A node, or what is left of it where the answer does not matter or is the same for every row."""
    if yes == no or question[1] >= levels:
        return yes
    return no if question[1] < 0 else Node(question, yes, no)


def questions_of(tree: Tree) -> set[Question]:
    """All that a tree asks."""
    if isinstance(tree, Leaf):
        return set()
    return {tree.question} | questions_of(tree.yes) | questions_of(tree.no)


@dataclass(frozen=True, eq=False, repr=False)
class Trees(Model):
    """One tree, or several whose leaves are added up. Labels: the leaf's, of one tree; of several the one whose sum is
    largest, of equal ones the first."""

    trees: tuple[Tree, ...]
    #: Different ones, in the order in which they are computed.
    questions: tuple[Question, ...]
    #: What answers are: "leaves" the sums as they are, "sign" 1 where they are above 0, "largest" the first largest.
    reading: str
    #: See `error_bound`.
    rounding: float

    @property
    def error_bound(self) -> tuple[NDArray[np.float64], float]:
        """(steps, rounding): a comparison is the fitted model's but for rows less than half a step of the feature,
        ``steps``, from its threshold; where all comparisons are, numbers (or sums of forests' votes) are off by
        ``rounding`` at most."""
        return self.features.step / 2, self.rounding

    # --- encrypted ----------------------------------------------------------------------------------------------------
    def _compute(self, x: EncryptedArray) -> EncryptedArray:
        asked = [feature for feature, _ in self.questions]
        thresholds = np.array([threshold for _, threshold in self.questions]) - self.features.centre[asked]
        answers = less(x[asked], thresholds[:, None] + 1)
        every = {question: answers[i : i + 1] for i, question in enumerate(self.questions)}
        total: Any = 0
        for tree in self.trees:
            total = _followed(tree, every) + total
        if self.reading == "largest":
            return argmax(total)
        if self.reading == "sign":
            return less(0, total[0])
        numbers: EncryptedArray = total[0]
        return numbers

    # --- in the clear -------------------------------------------------------------------------------------------------
    def _compute_clear(self, q: IntArray) -> IntArray:
        sums: IntArray = np.sum([_followed_clear(tree, q) for tree in self.trees], axis=0)
        if self.reading == "largest":
            return np.asarray(sums.argmax(axis=0))
        if self.reading == "sign":
            return np.asarray(sums[0] > 0, dtype=np.int64)
        return np.asarray(sums[0])


def _plain(leaf: Leaf) -> NDArray[np.int64]:
    return np.array(leaf.values, dtype=np.int64)[:, None]


def _followed(tree: Tree, answers: dict[Question, EncryptedArray]) -> Any:
    """The leaf's values, of shape (outputs, rows); (outputs, 1) in the clear where a tree is a leaf."""
    if isinstance(tree, Leaf):
        return _plain(tree)
    yes, no = _followed(tree.yes, answers), _followed(tree.no, answers)
    return where(answers[tree.question], yes, no)


def _followed_clear(tree: Tree, q: IntArray) -> IntArray:
    if isinstance(tree, Leaf):
        return np.repeat(_plain(tree), q.shape[1], axis=1)
    feature, threshold = tree.question
    yes, no = _followed_clear(tree.yes, q), _followed_clear(tree.no, q)
    chosen: IntArray = np.where(q[feature] <= threshold, yes, no)
    return chosen


def require_questions(trees: tuple[Tree, ...]) -> tuple[Question, ...]:
    """The different questions of trees, in order.

    Raises:
        ArgumentError: there are none.
    """
    every: set[Question] = set()
    for tree in trees:
        every |= questions_of(tree)
    if not every:
        raise ArgumentError("the model answers the same for every row; nothing is to be computed")
    return tuple(sorted(every))
