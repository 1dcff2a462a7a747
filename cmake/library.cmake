# The C++ library, static or shared as BUILD_SHARED_LIBS says.
file(GLOB_RECURSE cyclotome_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.cpp")
add_library(cyclotome ${cyclotome_sources})

# One seed gives one key on every machine, and numbers one plaintext, so what decides about them is compiled without fused
# multiply-adds.
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/cyclotome/rlwe/noise/canonical_embedding.cpp"
                            "${PROJECT_SOURCE_DIR}/src/cyclotome/rlwe/noise/cyclotomic_embedding.cpp"
                            "${PROJECT_SOURCE_DIR}/src/cyclotome/scheme/ckks/levels.cpp"
                            "${PROJECT_SOURCE_DIR}/src/cyclotome/scheme/ckks/special_transform.cpp"
                            PROPERTIES COMPILE_OPTIONS "$<$<BOOL:${MSVC}>:/clang:>-ffp-contract=off" SKIP_PRECOMPILE_HEADERS ON)

# cyclotome_version() of the C interface.
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/cyclotome/c/results.cpp"
                            PROPERTIES COMPILE_DEFINITIONS "CYCLOTOME_VERSION=\"${PROJECT_VERSION}\"" SKIP_PRECOMPILE_HEADERS ON)

# Kernels unroll into thousands of loads and stores. Whether each is of an object is AddressSanitizer's to see; the same
# questions asked a second time would take minutes of compilation. So would its red zones around what are registers, arrays of
# constant size on the stack, whose indices UndefinedBehaviorSanitizer checks; operands lie elsewhere.
if(CYCLOTOME_SANITIZE MATCHES "address")
  file(GLOB kernels "${PROJECT_SOURCE_DIR}/src/cyclotome/engine/cpu/kernels_avx*.cpp"
       "${PROJECT_SOURCE_DIR}/src/cyclotome/engine/cpu/kernels_neon.cpp")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(no_stack_zones --param=asan-stack=0)
  endif()
  # Without the precompiled header, which was made with the parameter's default and brings it along.
  set_source_files_properties(
    ${kernels} PROPERTIES COMPILE_OPTIONS "-fno-sanitize=null,alignment,object-size;${no_stack_zones}" SKIP_PRECOMPILE_HEADERS ON)
endif()

# Objects are the same for an archive and for a shared library. Engines and studies are hidden, but for the functions that
# make them; the rest is visible to a linker, which says what is exported (cmake/shared_library.cmake), and is not meant to be
# replaced by another library's function of that name.
file(GLOB_RECURSE internals CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cyclotome/engine/*/*.cpp"
     "${PROJECT_SOURCE_DIR}/src/cyclotome/study/*.cpp")
list(FILTER internals EXCLUDE REGEX
     "engine/(running/.*|cpu/(cpu|instruction_set)|fpga/fpga)[.]cpp$|study/transform/(design|polynomial_transform|transform_engine)[.]cpp$")
if(NOT MSVC AND NOT CYCLOTOME_UNITY)
  set_property(SOURCE ${internals} APPEND PROPERTY COMPILE_OPTIONS -fvisibility=hidden)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND NOT CYCLOTOME_UNITY) # which takes no precompiled header of another visibility
  set_property(SOURCE ${internals} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
endif()
target_compile_options(cyclotome PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>")
target_link_libraries(cyclotome PRIVATE "$<BUILD_INTERFACE:cyclotome_options>")

if(WIN32)
  target_link_libraries(cyclotome PRIVATE bcrypt)  # the system's generator
endif()
set_target_properties(
  cyclotome
  PROPERTIES CXX_STANDARD 20
             CXX_STANDARD_REQUIRED ON
             CXX_EXTENSIONS OFF
             VISIBILITY_INLINES_HIDDEN ON
             POSITION_INDEPENDENT_CODE ON)
cyclotome_precompile(cyclotome)
cyclotome_unite(cyclotome "${PROJECT_SOURCE_DIR}/src")
include(cmake/usage.cmake)
