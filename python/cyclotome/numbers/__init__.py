# SPDX-License-Identifier: Apache-2.0
"""What goes in and comes out, before anything is encrypted: integers, decimals, labels, shapes.

README.md in this folder says where to begin.
"""
