# SPDX-License-Identifier: Apache-2.0
"""Tables in and out: ``cyclotome encrypt`` and ``decrypt``, and the files that they read and write."""
