# SPDX-License-Identifier: Apache-2.0
"""Encrypted real and complex numbers, each with an error that holds (doc/reals.md). EXPERIMENTAL."""
