# SPDX-License-Identifier: Apache-2.0
"""Largest log2(QP) for 128, 192 and 256 bits of security with a ternary secret, as printed; 0: none.

Classical attacks:

A: Albrecht et al., Homomorphic Encryption Standard (2018), table 1.
B: Bossuat et al., Security Guidelines for Implementing Homomorphic Encryption (2024).
Quantum attacks, 128 bits only:
Q: the guidelines' script with its quantum cost model, as HomomorphicEncryption.org tabulates it (SparseLWEkit).
"""

LEVELS = (128, 192, 256)

STANDARD_2018 = {
    1024: (27, 19, 14),
    2048: (54, 37, 29),
    4096: (109, 75, 58),
    8192: (218, 152, 118),
    16384: (438, 305, 237),
    32768: (881, 611, 476),
    65536: (0, 0, 0),
    131072: (0, 0, 0),
}
GUIDELINES_2024 = {
    1024: (26, 0, 0),
    2048: (53, 36, 27),
    4096: (106, 73, 56),
    8192: (214, 147, 114),
    16384: (430, 297, 230),
    32768: (868, 597, 462),
    65536: (1747, 1199, 929),
    131072: (3523, 2411, 1866),
}
QUANTUM = {
    1024: 20,
    2048: 40,
    4096: 80,
    8192: 161,
    16384: 322,
    32768: 644,
    65536: 1289,
    131072: 2578,
}
