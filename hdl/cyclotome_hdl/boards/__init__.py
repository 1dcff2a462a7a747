# SPDX-License-Identifier: Apache-2.0
"""Circuits that run: simulated tick by tick, behind the interface of the library's engine."""
