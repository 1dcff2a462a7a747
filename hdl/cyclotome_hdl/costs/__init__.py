# SPDX-License-Identifier: Apache-2.0
"""What circuits take of a chip, and how fast its clock may be."""
