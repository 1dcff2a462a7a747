# SPDX-License-Identifier: Apache-2.0
"""Which of the server's images looks most like mine? The server never sees mine.

Needs scikit-learn for its handwritten digits. `cyclotome demo` does this with all images and two processes.
"""

import cyclotome as cy
import numpy as np
from sklearn.datasets import load_digits

images, labels = load_digits(return_X_y=True)
images = images.astype(int)
references, queries = images[:200], images[200:230]

# The client: 64 ciphertexts, one for each pixel, with that pixel of every query in the slots.
params = cy.Parameters.suggest(depth=0, value_bits=5, result_bits=16, terms=2048, plain_products=0)
secret, public, _ = cy.keygen(params, rotations=[], relinearization=False)
encrypted = cy.encrypt(queries.T, public, bound=16)

# The server: |reference|^2 - 2 reference . query, which is the squared distance up to the client's own |query|^2.
distances = (-2 * references) @ encrypted + (references**2).sum(axis=1)[:, None]

# The client.
scores = cy.decrypt(distances, secret)
nearest = labels[:200][scores.argmin(axis=0)]
print(f"{scores.size} distances, {np.mean(nearest == labels[200:230]):.0%} of {len(nearest)} digits recognised")
print(f"{distances.noise_headroom:.0f} bits of noise headroom left; {params}")

plain = ((references[:, :, None] - queries.T[None]) ** 2).sum(axis=1) - (queries**2).sum(axis=1)
assert np.array_equal(scores, plain)
