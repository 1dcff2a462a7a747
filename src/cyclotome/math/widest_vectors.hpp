// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A function whose loops are compiled for several widths of vectors, of which the widest that the machine has is taken
/// when the library is loaded. Not for members and templates. Doubles keep their bits where the file is compiled with
/// -ffp-contract=off.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CYCLOTOME_WIDEST_VECTORS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CYCLOTOME_WIDEST_VECTORS
#endif
