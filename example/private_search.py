# SPDX-License-Identifier: Apache-2.0
"""Nearest neighbours among vectors that lie with a server who does not learn what is looked for: sizes, the processor's
time of one thread, and how many of the nearest are found.

Vectors are random, around as many centres as there are clusters, so that clusters are there to be found.

Usage: python example/private_search.py [--vectors 4096] [--dimensions 128] [--clusters 1] [--probes 1]
"""

import argparse
import tempfile
import time
from pathlib import Path

import cyclotome as cy
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--vectors", type=int, default=4096)
parser.add_argument("--dimensions", type=int, default=128)
parser.add_argument("--clusters", default="1", help='a number, or "auto"')
parser.add_argument("--probes", type=int, default=1)
parser.add_argument("--batch", type=int, default=4)
parser.add_argument("--repeat", type=int, default=7)
options = parser.parse_args()


def least(work):
    """The result, and the least processor time of a thread, of several tries: others use the machine, too."""
    times, result = [], work()
    for _ in range(options.repeat):
        start = time.thread_time()
        work()
        times.append(time.thread_time() - start)
    return result, min(times)


clusters = options.clusters if options.clusters == "auto" else int(options.clusters)
rng = np.random.default_rng(1)
centres = rng.standard_normal((100, options.dimensions), np.float32)
vectors = rng.standard_normal((options.vectors, options.dimensions), np.float32)
for start in range(0, options.vectors, 10000):
    vectors[start : start + 10000] += centres[rng.integers(0, 100, len(vectors[start : start + 10000]))]
asked = vectors[rng.integers(0, options.vectors, options.batch)] + rng.normal(size=(options.batch, options.dimensions))

with tempfile.TemporaryDirectory() as folder:
    start = time.thread_time()
    index = cy.search.Index.build(vectors, Path(folder) / "index", clusters=clusters, device="cpu:1")
    built = time.thread_time() - start
    client = cy.search.Client(index.description, device="cpu:1")
    query, sent = least(lambda: client.query(asked[0], probes=options.probes))
    answer, answered = least(lambda: index.answer(query.data))
    found, opened = least(lambda: query.open(answer))
    batch = client.query(asked, probes=options.probes)
    together, whole = least(lambda: index.answer(batch.data))
    stored = (Path(folder) / "index").stat().st_size

lengths = np.linalg.norm(vectors, axis=1)
nearest = [set(np.argsort(-(vectors @ each) / lengths)[:10]) for each in asked]
hits = sum(len(each & set(own)) for each, own in zip(nearest, batch.open(together).indices, strict=True))
print(f"{options.vectors} x {options.dimensions} in {index.clusters} clusters: stored in {stored} bytes")
print(f"description {len(index.description)} bytes, query {len(query.data)}, answer {len(answer)}")
print(f"built in {built:.1f} s; query {sent * 1e3:.2f} ms, opened in {opened * 1e3:.2f} ms")
print(f"answer {answered * 1e3:.2f} ms; {options.batch} together {whole / options.batch * 1e3:.2f} ms each")
print(f"scores are off by {found.errors[0]:.5f} at most; {hits} of {10 * options.batch} nearest are those in the clear")
