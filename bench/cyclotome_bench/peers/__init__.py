# SPDX-License-Identifier: Apache-2.0
"""Other libraries beside this one, and oracles. README.md in this folder says where to begin."""
