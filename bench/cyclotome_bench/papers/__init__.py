# SPDX-License-Identifier: Apache-2.0
"""The papers' tables, and what a GPU is measured by. README.md in this folder says where to begin."""
