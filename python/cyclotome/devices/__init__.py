# SPDX-License-Identifier: Apache-2.0
"""Where computation happens: kinds of devices, engines on them, and a context of parameters on an engine.

README.md in this folder says where to begin.
"""
