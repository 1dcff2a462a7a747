# SPDX-License-Identifier: Apache-2.0
"""Reports: cells, tables, charts. README.md in this folder says where to begin."""
