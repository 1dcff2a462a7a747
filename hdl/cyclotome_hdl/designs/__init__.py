# SPDX-License-Identifier: Apache-2.0
"""Whole circuits: multipliers of polynomials modulo x^N + 1."""
