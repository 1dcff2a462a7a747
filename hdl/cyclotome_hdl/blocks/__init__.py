# SPDX-License-Identifier: Apache-2.0
"""What every circuit is, and the pieces that only store and move."""
