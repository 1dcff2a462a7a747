# SPDX-License-Identifier: Apache-2.0
"""``cyclotome prince``, ``sort`` and ``circuit``: whole jobs on encrypted bits."""
