# SPDX-License-Identifier: Apache-2.0
"""Products of polynomials and matrices. README.md in this folder says where to begin."""
