# SPDX-License-Identifier: Apache-2.0
"""From a circuit to text and pictures."""
