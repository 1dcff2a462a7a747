# SPDX-License-Identifier: Apache-2.0
"""``cyclotome threshold``: a joint key of several parties."""
