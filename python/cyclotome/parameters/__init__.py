# SPDX-License-Identifier: Apache-2.0
"""Parameters, what they say of themselves, and what a caller may not ask of them.

README.md in this folder says where to begin.
"""
