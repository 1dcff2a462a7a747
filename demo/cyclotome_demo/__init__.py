# SPDX-License-Identifier: Apache-2.0
"""The main job on real data: private lookup, statistics and scoring.

A client encrypts, a server without any secret key computes, the client decrypts: three processes that share nothing but
the files in an exchange folder. ``cyclotome demo`` starts them one after the other and checks every answer against the
same computation in the clear. By hand, each party in its own folder::

    python -m cyclotome_demo.client encrypt --home client --exchange exchange
    python -m cyclotome_demo.server         --home server --exchange exchange
    python -m cyclotome_demo.client decrypt --home client --exchange exchange

The data sets come with scikit-learn; nothing is downloaded.
"""
