# SPDX-License-Identifier: Apache-2.0
"""Look-ups in a database of random records that the server can't see: sizes, and the processor's time of one thread.

Usage: python example/private_lookup.py [--records 65536] [--bytes 256] [--rows 32768] [--batch 8]
"""

import argparse
import tempfile
import time
from pathlib import Path

import cyclotome as cy
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--records", type=int, default=65536)
parser.add_argument("--bytes", type=int, default=256)
parser.add_argument("--rows", type=int, default=32768)
parser.add_argument("--batch", type=int, default=8)
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


records = np.random.default_rng(1).integers(0, 256, (options.records, options.bytes), dtype=np.uint8)
with tempfile.TemporaryDirectory() as folder:
    start = time.thread_time()
    database = cy.pir.Database.build(records, Path(folder) / "database", rows=options.rows, device="cpu:1")
    built = time.thread_time() - start
    client = cy.pir.Client(database.description, device="cpu:1")
    wanted = options.records * 2 // 3
    query, asked = least(lambda: client.query(wanted))
    answer, answered = least(lambda: database.answer(query.data))
    record, opened = least(lambda: query.open(answer))
    assert record == records[wanted].tobytes()
    many = [client.query(number).data for number in range(options.batch)]
    _, together = least(lambda: database.answers(many))
    stored = (Path(folder) / "database").stat().st_size

print(f"{options.records} records of {options.bytes} bytes: {records.nbytes} bytes, stored in {stored}")
print(f"description {len(database.description)} bytes, query {len(query.data)}, answer {len(answer)}")
print(f"built in {built:.1f} s; query {asked * 1e3:.2f} ms, opened in {opened * 1e3:.2f} ms")
rate = records.nbytes / answered / 1e9
print(f"answer {answered * 1e3:.2f} ms: {rate:.2f} GB/s of records, {stored / answered / 1e9:.2f} of what is stored")
rate = records.nbytes * options.batch / together / 1e9
print(f"{options.batch} together: {together / options.batch * 1e3:.2f} ms each, {rate:.2f} GB/s")
