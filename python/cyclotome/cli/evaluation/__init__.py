# SPDX-License-Identifier: Apache-2.0
"""``cyclotome eval``: an expression over encrypted files."""
