# SPDX-License-Identifier: Apache-2.0
"""Paper 003: Fermat moduli. README.md in this folder says where to begin."""
