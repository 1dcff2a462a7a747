# SPDX-License-Identifier: Apache-2.0
"""Independent oracles: Python integers and python-flint, never the code under test."""
