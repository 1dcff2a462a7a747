# SPDX-License-Identifier: Apache-2.0
"""cyclotome's extension with the CUDA engine. Nothing to import here: `cyclotome.cuda_wheel` finds it."""
