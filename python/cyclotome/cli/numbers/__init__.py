# SPDX-License-Identifier: Apache-2.0
"""Numbers as text, exactly, and quantities of them with names of columns."""
