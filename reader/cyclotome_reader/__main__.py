# SPDX-License-Identifier: Apache-2.0
"""``python -m cyclotome_reader``."""

import sys

from cyclotome_reader.command import main

if __name__ == "__main__":
    sys.exit(main())
