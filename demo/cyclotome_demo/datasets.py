# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's bundled data sets, divided between the two parties."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

#: Share of the samples that belong to the client, and the seed of the division.
TEST_SHARE = 0.3
SEED = 0


class Split(NamedTuple):
    """Samples (rows) and labels: the server's, and the client's."""

    server: Array
    server_labels: Array
    client: Array
    client_labels: Array


def _split(samples: Array, labels: Array) -> Split:
    from sklearn.model_selection import train_test_split

    server, client, server_labels, client_labels = train_test_split(
        samples, labels, test_size=TEST_SHARE, random_state=SEED, stratify=labels
    )
    return Split(server, server_labels, client, client_labels)


@cache
def digits() -> Split:
    """8×8 images of handwritten digits: 64 pixels in 0 … 16, 1257 at the server, 540 at the client."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    return _split(images.astype(np.int64), labels)


@cache
def tumours() -> Split:
    """Breast tumours: 30 measurements each, benign (1) or malignant (0); 398 at the server, 171 at the client."""
    from sklearn.datasets import load_breast_cancer

    measurements, labels = load_breast_cancer(return_X_y=True)
    return _split(measurements, labels)


@cache
def patients() -> tuple[Array, tuple[str, ...]]:
    """442 diabetes patients: eleven columns (ten measurements and the disease's progress), and their names."""
    from sklearn.datasets import load_diabetes

    bunch = load_diabetes(scaled=False)
    return np.column_stack([bunch.data, bunch.target]), (*bunch.feature_names, "progress")
