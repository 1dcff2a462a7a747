# SPDX-License-Identifier: Apache-2.0
"""`cyclotome.Server` over HTTP, for ``cyclotome serve``: quotas, request ids, logs, metrics (extra "serve")."""
