// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Vector primitives must be inlined at every optimisation level: a call would pass wide registers through memory.
#define CYCLOTOME_INLINE [[gnu::always_inline]] inline

/// Code between BEGIN and END is compiled for the named instruction sets; it must run only where they are present.
#if defined(__clang__)
#define CYCLOTOME_PRAGMA(text) _Pragma(#text)
#define CYCLOTOME_TARGET_BEGIN(sets) \
  CYCLOTOME_PRAGMA(clang attribute push(__attribute__((target(sets))), apply_to = function))
#define CYCLOTOME_TARGET_END _Pragma("clang attribute pop")
#else
#define CYCLOTOME_PRAGMA(text) _Pragma(#text)
// GCC 12 warns of the deliberately undefined registers in its own intrinsics.
#define CYCLOTOME_TARGET_BEGIN(sets)                                                            \
  _Pragma("GCC push_options") CYCLOTOME_PRAGMA(GCC target(sets)) _Pragma("GCC diagnostic push") \
      _Pragma("GCC diagnostic ignored \"-Wuninitialized\"")                                     \
          _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")
#define CYCLOTOME_TARGET_END _Pragma("GCC diagnostic pop") _Pragma("GCC pop_options")
#endif
