# SPDX-License-Identifier: Apache-2.0
"""The benchmark: the same work here and in Microsoft SEAL, in alternation, every result checked.

`plans` says what is measured, `measure` measures it, `report` keeps the records, `tables` and `page` show them,
`papers` sets them beside the figures of papers 000 and 001. ``cyclotome bench`` is the command for all of it.

    >>> from cyclotome_bench.measure import measure
    >>> from cyclotome_bench.plans import make_plan
    >>> plan = make_plan("quick", threads=1).restricted(["small"], ["bfv"])
    >>> [r["operation"] for r in measure(plan, peer=False) if r["chain"] == "same"][-2:]
    ['multiply_relinearize', 'rotate']
"""
