// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cyclotome::io {

/// A name beside `target` that nobody can guess, for a file that is to get that place.
std::string temporary_name(const std::string& target);

/// Removes what processes that were killed left in a folder under such names: a file that gets a place which is taken
/// has one for a moment, and where files can't be without a name (NFS), as long as it is written. Who writes holds a
/// lock on it, so what has none is nobody's. Looks once in a process into each folder; whatever fails is left alone.
void remove_strays(const std::string& folder) noexcept;

}  // namespace cyclotome::io
