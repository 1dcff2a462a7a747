# SPDX-License-Identifier: Apache-2.0
"""Operations that move values, and those that leave them as they are: levels, transforms, files, other keys."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st

from .recording import api
from .verbs import Verb, axes

if TYPE_CHECKING:
    from .programs import World


def _sliced(x: Any, start: int | None, stop: int | None, step: int | None) -> Any:
    return x[start:stop:step]


def _slice_text(x: str, start: int | None, stop: int | None, step: int | None) -> str:
    return f"{x}[{':'.join('' if each is None else str(each) for each in (start, stop, step))}]"


def _reshaped(x: Any, shape: list[int]) -> Any:
    return x.reshape(tuple(shape))


def _places(x: Any, places: list[int]) -> Any:
    return x[..., np.asarray(places)]


def _shape_text(shape: list[int]) -> str:
    if min(shape) < 0:
        raise LookupError("C++ takes shapes as they are")
    return "x".join(map(str, shape))


MOVES: dict[str, Verb] = {
    "item": Verb(
        1,
        lambda x, place: np.asarray(x[place], dtype=object),
        lambda world, x, place: x[place],
        {"place": st.integers(-3, 3)},
        cli=lambda x, place: f"{x}[{place}]",  # C++ has `item` of what numbers ciphertexts, and `rearranged` of slots
    ),
    "slice": Verb(
        1,
        _sliced,
        lambda world, x, start, stop, step: _sliced(x, start, stop, step),
        {
            "start": st.one_of(st.none(), st.integers(-3, 3)),
            "stop": st.one_of(st.none(), st.integers(-3, 3)),
            "step": st.sampled_from([None, 1, -1, 2]),
        },
        cli=_slice_text,
    ),
    "places": Verb(
        1,
        _places,
        lambda world, x, places: _places(x, places),
        {"places": st.lists(st.integers(-3, 2), min_size=1, max_size=4)},
    ),
    "reshape": Verb(
        1,
        _reshaped,
        lambda world, x, shape: x.reshape(*shape),
        {"shape": st.sampled_from([[-1], [2, 3], [3, 2], [1, 3], [6], [3], [1, -1], [2, -1]])},
        lambda shape: _shape_text(shape),
    ),
    "transpose": Verb(1, lambda x: x.T, lambda world, x: x.T),
    "transpose_axes": Verb(
        1,
        lambda x, order: np.transpose(x, order),
        lambda world, x, order: x.transpose(*order),
        {"order": st.sampled_from([[0], [0, 1], [1, 0], [-1, 0], [2, 0, 1], [1, 0, 2]])},
    ),
    "diagonal": Verb(
        1,
        lambda x, axis1, axis2: x.diagonal(0, axis1, axis2),
        lambda world, x, axis1, axis2: x.diagonal(axis1=axis1, axis2=axis2),
        {"axis1": st.sampled_from([0, 1]), "axis2": st.sampled_from([1, -1])},
    ),
    "stack": Verb(
        2,
        lambda x, y, axis: np.stack([x, y], axis=axis),
        lambda world, x, y, axis: api.stack([x, y], axis=axis),
        {"axis": axes},
        lambda axis: str(axis),
    ),
    "concatenate": Verb(
        2,
        lambda x, y, axis: np.concatenate([x, y], axis=axis),
        lambda world, x, y, axis: api.concatenate([x, y], axis=axis),
        {"axis": axes},
        lambda axis: str(axis),
    ),
}


def _same(x: Any, **_: Any) -> Any:
    return x


def _padded(x: Any) -> Any:
    """The last axis in whole ciphertexts, of 16 slots each."""
    missing = -x.shape[-1] % 16  # IndexError of scalars, which have no axis
    return np.concatenate([x, np.zeros((*x.shape[:-1], missing), dtype=object)], axis=-1)


def _stored(world: World, x: Any, way: str) -> Any:
    """Out of the process and in again, by each way that there is."""
    if way == "pickle":
        again = pickle.loads(pickle.dumps(x))
    elif way == "bytes":
        again = api.from_bytes(api.to_bytes(x, note={"of": "a test"}), device=world.device)
    elif way == "view":
        again = api.from_bytes(bytes(api.to_view(x)), device=world.device)
    else:
        path = world.folder / "again.ct"
        api.save(path, x, overwrite=True)
        again = api.load(path, device=world.device)
    return again.to(world.device).with_keys(world.keys.public, world.keys.evaluation)


def _lent(world: World, x: Any) -> Any:
    there = api.rekeying.rekey(x, world.there, keys=world.other.public)
    return api.rekeying.rekey(there, world.back, keys=(world.keys.public, world.keys.evaluation))


SAME: dict[str, Verb] = {
    "switch_to_level": Verb(
        1,
        _same,
        lambda world, x, level: x.switch_to_level(level),
        {"level": st.integers(1, 8)},
        lambda level: str(level),
    ),
    "switch_to_least_level": Verb(
        1,
        _same,
        lambda world, x, headroom: x.switch_to_least_level(headroom),
        {"headroom": st.sampled_from([0, 20, 60])},
        lambda headroom: str(headroom),
    ),
    "transformed": Verb(
        1,
        _same,
        lambda world, x, wanted: x.transformed(wanted),
        {"wanted": st.booleans()},
        lambda wanted: str(int(wanted)),
    ),
    "rerandomize": Verb(
        1, _same, lambda world, x: api.rekeying.rerandomize(x, world.keys.public), cpp=lambda: "", random=True
    ),
    "rekey": Verb(1, _same, lambda world, x: _lent(world, x), random=True),
    "stored": Verb(1, _same, _stored, {"way": st.sampled_from(["pickle", "bytes", "view", "file"])}),
    "assume_bound": Verb(1, _same, lambda world, x: x.assume_bound(x.interval, l1_bound=x.l1_bound)),
    "padded": Verb(1, _padded, lambda world, x: x.padded(), cpp=lambda: ""),
    "packed": Verb(1, _same, lambda world, x: x.packed(), cpp=lambda: ""),
}
