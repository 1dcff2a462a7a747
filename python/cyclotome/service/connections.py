# SPDX-License-Identifier: Apache-2.0
"""Connections that are closed when nothing comes of them: clients that send headers a byte at a time, or take answers
as slowly, hold sockets and memory otherwise."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["GuardedProtocol"]


class GuardedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1, looked at every `tick` seconds: what waited for a request's headers then, and what had taken
    nothing of its answer since, is closed. Bodies have a time of their own (`Service.pieces`)."""

    tick = 10.0

    def connection_made(self, transport: Any) -> None:
        """As the base class."""
        super().connection_made(transport)
        self._before: tuple[Any, ...] = ()
        self._watch: asyncio.TimerHandle | None = self.loop.call_later(self.tick, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """As the base class."""
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        super().connection_lost(exc)

    def _look(self) -> None:
        waiting = self.conn.their_state is h11.IDLE and (self.cycle is None or self.cycle.response_complete)
        unsent = self.transport.get_write_buffer_size()
        now = waiting, self.cycle, unsent
        if now == self._before and (waiting or unsent):
            self._watch = None
            self.transport.abort()
            return
        self._before = now
        self._watch = self.loop.call_later(self.tick, self._look)
