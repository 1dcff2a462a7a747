# SPDX-License-Identifier: Apache-2.0
"""Encrypted arrays: what they are, what operators and NumPy's functions do, how numbers get in and out.

README.md in this folder says where to begin.
"""
