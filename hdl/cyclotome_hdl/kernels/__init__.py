# SPDX-License-Identifier: Apache-2.0
"""Arithmetic modulo p as formulas on streams."""
