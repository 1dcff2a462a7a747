# SPDX-License-Identifier: Apache-2.0
"""A second reader of cyclotome's files in plain Python: decrypts, measures noise, compares both with what files say.

It imports nothing of cyclotome and no package, and is slow. README.md says what it is for.
"""

from cyclotome_reader.files import ReadError, containers, read

__all__ = ["ReadError", "containers", "read"]
