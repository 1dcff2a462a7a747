// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cyclotome::cuda {

/// To find errors: whether the environment variable CYCLOTOME_CUDA_SYNCHRONOUS was set when this was first asked. Each
/// kernel is then waited for, so that an error is reported by the name of the kernel that met it, and there are no
/// graphs.
bool launches_wait() noexcept;

}  // namespace cyclotome::cuda
