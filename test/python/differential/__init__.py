# SPDX-License-Identifier: Apache-2.0
"""One fuzzer for the whole public interface: programs that draw every public name and every option of it, run in
Python, in C++ and on the command line, beside Python integers, NumPy and pandas.

hypothesis draws programs and shrinks those that fail; README.md says how to run it for minutes or hours.
"""
