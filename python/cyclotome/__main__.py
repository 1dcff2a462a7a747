# SPDX-License-Identifier: Apache-2.0
"""``python -m cyclotome`` is the command line."""

from cyclotome.cli import main

main()
