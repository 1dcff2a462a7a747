# SPDX-License-Identifier: Apache-2.0
"""This machine: what it is, and how time is taken. README.md in this folder says where to begin."""
