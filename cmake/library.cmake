# The C++ library: a static archive, its headers and its CMake package.
find_package(Threads REQUIRED)

file(GLOB_RECURSE cyclotome_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.cpp")
add_library(cyclotome STATIC ${cyclotome_sources})
add_library(cyclotome::cyclotome ALIAS cyclotome)

# One seed gives one key on every machine, so what decides about keys is compiled without fused multiply-adds.
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/cyclotome/rlwe/canonical_embedding.cpp"
                            "${PROJECT_SOURCE_DIR}/src/cyclotome/rlwe/cyclotomic_embedding.cpp"
                            PROPERTIES COMPILE_OPTIONS "$<$<BOOL:${MSVC}>:/clang:>-ffp-contract=off" SKIP_PRECOMPILE_HEADERS ON)

# Kernels unroll into thousands of loads and stores. Whether each is of an object is AddressSanitizer's to see; the same
# questions asked a second time would take minutes of compilation. So would its red zones around what are registers, arrays of
# constant size on the stack, whose indices UndefinedBehaviorSanitizer checks; operands lie elsewhere.
if(CYCLOTOME_SANITIZE MATCHES "address")
  file(GLOB kernels "${PROJECT_SOURCE_DIR}/src/cyclotome/engine/cpu/kernels_avx*.cpp")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(no_stack_zones --param=asan-stack=0)
  endif()
  # Without the precompiled header, which was made with the parameter's default and brings it along.
  set_source_files_properties(
    ${kernels} PROPERTIES COMPILE_OPTIONS "-fno-sanitize=null,alignment,object-size;${no_stack_zones}" SKIP_PRECOMPILE_HEADERS ON)
endif()

if(WIN32)
  target_link_libraries(cyclotome PRIVATE bcrypt)  # the system's generator
endif()

# In the source tree as in an installation, headers are found as "cyclotome/<room>/<name>.hpp".
include(cmake/public_headers.cmake)
target_sources(
  cyclotome
  PUBLIC FILE_SET HEADERS
         BASE_DIRS "${PROJECT_SOURCE_DIR}/src"
         FILES ${installed_headers})
target_compile_features(cyclotome PUBLIC cxx_std_20)
target_link_libraries(cyclotome PUBLIC Threads::Threads PRIVATE ${CMAKE_DL_LIBS} "$<BUILD_INTERFACE:cyclotome_options>")
set_target_properties(
  cyclotome
  PROPERTIES CXX_STANDARD 20
             CXX_STANDARD_REQUIRED ON
             CXX_EXTENSIONS OFF
             CXX_VISIBILITY_PRESET hidden
             VISIBILITY_INLINES_HIDDEN ON
             POSITION_INDEPENDENT_CODE ON
             VERIFY_INTERFACE_HEADER_SETS ${CYCLOTOME_BUILD_TESTING})
cyclotome_precompile(cyclotome)

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/cyclotome")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/cyclotome-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/cyclotome-config.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cyclotome-config-version.cmake" COMPATIBILITY SameMinorVersion)

install(
  TARGETS cyclotome
  EXPORT cyclotome-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
install(EXPORT cyclotome-targets NAMESPACE cyclotome:: DESTINATION "${package_dir}" COMPONENT development)
install(FILES "${PROJECT_BINARY_DIR}/cyclotome-config.cmake" "${PROJECT_BINARY_DIR}/cyclotome-config-version.cmake"
        DESTINATION "${package_dir}" COMPONENT development)
