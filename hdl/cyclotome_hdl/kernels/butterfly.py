# SPDX-License-Identifier: Apache-2.0
"""The butterfly of number-theoretic transforms, one each tick, in both directions."""

from __future__ import annotations

from typing import Literal

from cyclotome.errors import ArgumentError

from .flow import Kernel, Stream, choose
from .reduction import Multiplier
from .scaling import doubled

Kind = Literal["forward", "inverse", "unified"]


class Butterfly(Kernel):
    """One radix-2 butterfly each tick, modulo a prime p that is set at run time.

    forward (Cooley–Tukey): x = u + w v, y = u - w v. inverse (Gentleman–Sande): x = u + v, y = w (u - v), both times
    2^``scale`` where the kind is "inverse" and halved where it is unified: halving butterflies need no multiplication
    by N^-1. w brings its share of a positive scale: it stands for itself times 2^scale. A ``unified`` butterfly has the
    port ``inverse``, which may change every tick: operations of both directions can be in flight together. With u = 0
    the forward direction is a plain product, x = w v.

    Ports: ``u``, ``v``, ``w`` in [0, p), ``modulus``; ``x``, ``y`` in [0, p). All values stand for themselves except w,
    which is in the multiplier's form, w R mod p with R = 2^``multiplier.radix_bits``. ``modulus`` may change only while
    nothing is in flight, unless the multiplier is ``streaming``.
    """

    def __init__(self, multiplier: Multiplier, bits: int, kind: Kind = "unified", *, scale: int = -1) -> None:
        if kind not in ("forward", "inverse", "unified"):
            raise ArgumentError(f"a butterfly of kind {kind!r}; there are 'forward', 'inverse' and 'unified'")
        if scale < -1 or (kind != "inverse" and scale > 0):
            raise ArgumentError(f"a butterfly that scales by 2^{scale}: -1, 0, and more where its kind is 'inverse'")
        streaming = multiplier.name.endswith("_streaming")
        self.multiplier, self.bits, self.kind, self.scale = multiplier, bits, kind, scale
        suffix = {-1: "_halving", 0: ""}.get(scale, f"_doubling{scale}") if kind != "forward" else ""
        suffix += "_streaming" if streaming else ""
        super().__init__(f"butterfly_{kind}_{bits}_{multiplier.tag}{suffix}")
        self.top = 2**bits - 1
        u, v, w = (self.input(name, 0, self.top) for name in "uvw")
        inverse = self.input("inverse", 0, 1) if kind == "unified" else self.constant(int(kind == "inverse"))
        p = (self.input if streaming else self.static)("modulus", 0, self.top)
        if kind == "forward":
            x, y = self._forward(u, self._product(v, w, p), p)
        elif kind == "inverse":
            x, y = self._scaled_sum(u, v, p), self._product(self._difference(u, v, p), w, p)
        else:
            x, y = self._unified(u, v, w, inverse, p)
        self.output("x", x.within(0, self.top - 1))
        self.output("y", y.within(0, self.top - 1))

    def _product(self, a: Stream, b: Stream, p: Stream) -> Stream:
        top = self.multiplier.declared["a"].high
        inputs = self.multiplier.inputs(a.within(0, top), b.within(0, top), p)
        if "modulus" in inputs:
            inputs["modulus"] = p.within(0, self.multiplier.declared["modulus"].high)
        return self.place(self.multiplier, "multiplier", inputs)["y"].within(0, self.top)

    def _unified(self, u: Stream, v: Stream, w: Stream, inverse: Stream, p: Stream) -> tuple[Stream, Stream]:
        factor = choose(inverse, self._difference(u, v, p), v).delayed()
        t = self._product(factor, w, p)
        above = self._scaled_sum(u, v, p)
        forward = self._sum(u, t, p)
        below = choose(inverse, t, u - t).within(-self.top, self.top)
        return choose(inverse, above, forward), below + p.masked(below.negative)  # t is never negative

    def _forward(self, u: Stream, t: Stream, p: Stream) -> tuple[Stream, Stream]:
        below = u - t
        return self._sum(u, t, p), below + p.masked(below.negative)

    def _sum(self, a: Stream, b: Stream, p: Stream) -> Stream:
        """(a + b) mod p."""
        whole = a + b
        reduced = whole - p
        return choose(reduced.negative, whole, reduced).delayed().within(0, self.top)

    def _scaled_sum(self, a: Stream, b: Stream, p: Stream) -> Stream:
        """(a + b) 2^scale mod p."""
        if self.scale < 0:
            return self._half_sum(a, b, p)
        scaled = self._sum(a, b, p)
        for _ in range(self.scale):
            scaled = doubled(scaled, p, self.bits)
        return scaled

    def _half_sum(self, a: Stream, b: Stream, p: Stream) -> Stream:
        """(a + b) / 2 mod p: of a + b, a + b - p and a + b + p the one that is even and ends in [0, 2p)."""
        whole = a + b
        down, up = whole - p, whole + p
        odd = choose(down.negative, up >> 1, down >> 1)
        return choose(whole.bits(0, 1), odd, whole >> 1).delayed().within(0, self.top)

    def _difference(self, a: Stream, b: Stream, p: Stream) -> Stream:
        """(a - b) mod p, divided by 2 if this butterfly halves."""
        d = a - b
        if self.scale >= 0:
            return (d + p.masked(d.negative)).within(0, self.top)
        even = (p << 1).masked(d.negative)
        return ((d + choose(d.bits(0, 1), p, even)) >> 1).within(0, self.top)
