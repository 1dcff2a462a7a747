# SPDX-License-Identifier: Apache-2.0
"""Keys: what they are, how they are made, held by a process and kept under a passphrase.

README.md in this folder says where to begin.
"""
