# SPDX-License-Identifier: Apache-2.0
"""Keys made from parameters, and which Galois elements they are for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import _core
from ..devices.contexts import context_on
from ..errors import ArgumentError, UnsupportedError
from ..numbers.values import word
from ..options import Callback
from ..parameters.parameters import Parameters, required_parameters
from ..reporting import Task
from ..text import plural
from .kinds import EvaluationKeys, Keys, PublicKey, SecretKey, planned_reveals

USUAL_REVEALS = 1 << 20

__all__ = ["USUAL_REVEALS", "galois_elements_of", "keygen", "sum_rotations", "trace_elements"]


def sum_rotations(parameters: Parameters) -> list[int]:
    """The rotations 1, 2, 4, ..., k/4 that a sum over all k slots takes, besides the swap of the rows."""
    return [1 << i for i in range((parameters.slot_ring.galois.row_length // 2).bit_length())]


def trace_elements(parameters: Parameters) -> list[int]:
    """The Galois elements 3, 5, 9, ..., n + 1 that traces of polynomials, `expand` and `pack` take.

    Raises:
        UnsupportedError: parameters over Phi_m.
    """
    return _core.trace_elements(parameters.native)


def keygen(
    parameters: Parameters,
    *,
    rotations: Sequence[int] | None = None,
    columns: bool | None = None,
    galois_elements: Sequence[int] = (),
    matrices: Sequence[tuple[int, int]] = (),
    relinearization: bool = True,
    bootstrap: bool = False,
    reveals: int = USUAL_REVEALS,
    device: str = "cpu",
    progress: Callback | None = None,
) -> Keys:
    """Generates a secret key and everything that belongs to it, from the operating system's randomness.

    Args:
        parameters: see `Parameters`.
        rotations: steps by which the slots of a row shall be rotated, negative to the right. None: those that sums over
            slots take, if there are slots, and of bits those of ``roll``, ``frobenius`` and ``trace`` too;
            ``[*cy.sum_rotations(parameters), 5]`` for those of sums and one more; ``[]`` for none.
        columns: whether the rows of slots can be swapped, which sums take too. None: yes if ``rotations`` is None.
        galois_elements: further automorphisms x -> x^g that `EncryptedArray.automorphism` shall apply, odd and below
            2n; `trace_elements` lists those of traces, `expand` and `pack`.
        matrices: shapes of public matrices, rows and columns as ``matrix @ x`` meets them (transposed for ``x @
            matrix``), whose products with packed values shall be as fast as they can be; the rotations that they take.
            Those of sums will do for every shape, with more key switches.
        relinearization: whether encrypted values can be multiplied with each other.
        bootstrap: whether arrays can be `EncryptedArray.refreshed`: some 30 keys more, and two that lead through a
            sparse secret. Experimental. Parameters have to be made for it, as `Parameters.bootstrappable` makes them.
        reveals: how many ciphertexts `reveal` shall open in the life of the key, of each plaintext modulus one;
            counted, and refused beyond. With 64 bits of flooding all of 2^20 tell of it with probability 2^-44.
        device: "cpu" for all cores, "cpu:2" for two threads, "cuda" or "cuda:1" for a GPU, "auto" for a GPU if there is
            one.
        progress: called as ``progress(done, total, what)``.

    Returns:
        `Keys`: secret, public, evaluation. The public key remembers the evaluation keys, so arrays that are encrypted
        with it can be multiplied and summed at once.

    Raises:
        ArgumentError: ``reveals`` out of range; a rotation that is no whole number, or none at all (0 modulo the slots
            in a row, half of ``parameters.slots``); a Galois element that is no automorphism of the ring; a shape that
            is no matrix's, or parameters without two rows of slots for it.
        UnsupportedError: ``bootstrap`` with parameters that can't be refreshed, or without ``relinearization``.
        SecurityError: ``bootstrap`` where no sparse secret is known to be secure.
        MemoryLimitError: the keys don't fit into memory, or not within `set_memory_limit`.
        EngineError: no such device, or the operating system has no randomness to give.

    Example:
        >>> import cyclotome as cy
        >>> secret, public, evaluation = cy.keygen(cy.Parameters.suggest(depth=0, value_bits=8), rotations=[1, -1])
        >>> evaluation.rotations
        (1, -1)
    """
    required_parameters("keygen", parameters)
    elements = galois_elements_of(parameters, rotations, columns, galois_elements, matrices, bool(bootstrap))
    if bootstrap and not relinearization:
        raise UnsupportedError("keygen: bootstrap=True takes products, and relinearization=False leaves their key out")
    planned = planned_reveals(reveals, "keygen: reveals")
    context = context_on(device, parameters)
    count = len(elements) + int(relinearization) + int(bool(bootstrap))
    context.engine.require_memory(
        f"keygen: {plural(count, 'evaluation key')} at n = {parameters.degree}",
        2 * context.native.key_polynomial_bytes * parameters.digits * (count + 1),
        "ask for fewer rotations: those that are not there are composed of powers of two, sum_rotations(parameters)",
    )
    task = Task("generating keys", 2 + count, progress)
    secret, public = _core.generate_key_pair(context.native)
    if planned != USUAL_REVEALS:
        secret.plan_reveals(planned)
    task.advance()
    task.advance()
    evaluation = _core.EvaluationKeys.generate(secret, relinearization, [])
    if relinearization:
        task.advance()
    for element in elements:
        evaluation = evaluation.joined(_core.EvaluationKeys.generate(secret, False, [element]))
        task.advance()
    if bootstrap:
        evaluation = evaluation.with_encapsulation(secret)
        task.advance()
    keys = EvaluationKeys(parameters, context, evaluation)
    return Keys(SecretKey(parameters, context, secret), PublicKey(parameters, context, public, keys), keys)


def galois_elements_of(
    parameters: Parameters,
    rotations: Sequence[int] | None,
    columns: bool | None,
    galois_elements: Sequence[int],
    matrices: Sequence[tuple[int, int]],
    bootstrap: bool = False,
) -> list[int]:
    """The Galois elements that `keygen` makes keys for, given these of its arguments; for the library itself. The
    library chooses them; what can't be told it, as it is no number or no shape, is refused here."""
    return _core.galois_elements(
        parameters.native,
        None if rotations is None else [_steps(step) for step in _listed("rotations", rotations)],
        None if columns is None else bool(columns),
        [word(element, "keygen: a Galois element") for element in _listed("galois_elements", galois_elements)],
        [_shape(shape) for shape in _listed("matrices", matrices)],
        bootstrap,
    )


def _listed(what: str, values: Any) -> list[Any]:
    """Entries of an argument that is a list.

    Raises:
        ArgumentError: it is none.
    """
    try:
        if not isinstance(values, (str, bytes, Mapping)):
            return list(values)
    except TypeError:
        pass
    raise ArgumentError(f"keygen: {what}={values!r}; it is a list, and [] is none")


def _steps(step: object) -> int:
    if isinstance(step, bool) or not hasattr(step, "__index__"):
        raise ArgumentError(f"keygen: rotation {step!r}: steps are whole numbers")
    return word(step, "keygen: a rotation")


def _shape(shape: object) -> tuple[int, int]:
    if not isinstance(shape, (tuple, list)) or len(shape) != 2:
        raise ArgumentError(f"keygen: matrices are shapes (rows, columns), not {shape!r}")
    rows, columns = (word(length, "keygen: a matrix's rows and columns") for length in shape)
    return rows, columns
