# Compile options shared by every target of this project; never exported to consumers.
add_library(cyclotome_options INTERFACE)
# Microsoft's compiler has neither 128-bit integers nor functions for chosen instruction sets; clang-cl takes its place.
if(MSVC AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "cyclotome needs 128-bit integers, which Microsoft's compiler lacks: configure with "
                      "-DCMAKE_CXX_COMPILER=clang-cl, or with MinGW")
endif()
# In a group (cmake/faster_builds.cmake) a local name hides what another file calls so, and a file's own types lie in an included
# one: nothing to warn of.
set(alone -Wshadow)
if(CYCLOTOME_UNITY)
  set(alone $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
target_compile_options(
  cyclotome_options INTERFACE $<IF:$<BOOL:${MSVC}>,/W4,-Wall> -Wextra -Wpedantic ${alone} -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
                              -Woverloaded-virtual -Wcast-align -Wimplicit-fallthrough -Wundef -Wvla)
# Two warnings of GCC are wrong about its own library: it sees overlapping copies where std::string concatenates (GCC bugs
# 105329 and 105651) and writes past the end where std::vector grows. The sanitizer run looks for the real thing.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(cyclotome_options INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
if(CYCLOTOME_WERROR)
  target_compile_options(cyclotome_options INTERFACE -Werror)
endif()

if(CYCLOTOME_SANITIZE)
  set(sanitize "-fsanitize=${CYCLOTOME_SANITIZE}")
  target_compile_options(cyclotome_options INTERFACE ${sanitize} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(cyclotome_options INTERFACE ${sanitize})
endif()
