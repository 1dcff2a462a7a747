# SPDX-License-Identifier: Apache-2.0
"""PRINCE and sorting, in BGV and LTV. README.md in this folder says where to begin."""
