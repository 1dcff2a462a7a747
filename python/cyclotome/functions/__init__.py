# SPDX-License-Identifier: Apache-2.0
"""What is computed from every value: comparisons, look-ups, numbers of several digits.

README.md in this folder says where to begin.
"""
