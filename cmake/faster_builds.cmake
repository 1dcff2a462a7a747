# What makes builds faster and changes nothing in what they make.

# A cache of compilations, where there is one and the caller has not chosen a launcher. Precompiled headers are cached too:
# ccache asks to be told that what it cannot see of them does not matter here.
find_program(CYCLOTOME_CCACHE ccache DOC "Caches compilations; empty: none")
mark_as_advanced(CYCLOTOME_CCACHE)
if(PROJECT_IS_TOP_LEVEL AND CYCLOTOME_CCACHE)
  foreach(language CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                                              "${CYCLOTOME_CCACHE}")
    endif()
  endforeach()
endif()

# Headers of the standard library are half of the work in most files. Who leaves an #include out does not notice in such a
# build, so it is not how the library is built for use.
option(CYCLOTOME_PRECOMPILE "Precompile the standard library's headers: for builds that tests need often" OFF)

set(precompiled_headers <algorithm> <array> <atomic> <cmath> <cstdint> <cstring> <functional> <map> <memory> <mutex> <optional>
                        <span> <sstream> <string> <utility> <vector>)

# Precompiles the standard library's headers, and others that are named, for a target; `LIKE other`: those of a target with
# the same options.
function(cyclotome_precompile target)
  if(NOT CYCLOTOME_PRECOMPILE)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 given "" "LIKE" "")
  if(given_LIKE)
    target_precompile_headers(${target} REUSE_FROM ${given_LIKE})
  else()
    target_precompile_headers(${target} PRIVATE ${precompiled_headers} ${given_UNPARSED_ARGUMENTS})
  endif()
  # For ccache: what was precompiled is named in what the preprocessor prints, or has no time stamp in it. GCC 12 forgets that
  # precompiled headers are the system's, and warns of copies within std::string as if they were ours (cmake/options.cmake).
  target_compile_options(
    ${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess;-Wno-array-bounds>"
                      "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

# Sources in groups of a dozen, mostly of one room: what they share is read, instantiated and compiled once. Nothing is hidden
# then between files of a group, nor is a missing #include seen, so this too is for builds of tests. Files with options of their
# own stay apart. tools/unity_groups.py keeps files apart that give the same names of their own.
option(CYCLOTOME_UNITY "Compile the library's sources in groups: for builds that tests need from nothing" OFF)

function(cyclotome_unite target folder)
  if(NOT CYCLOTOME_UNITY)
    return()
  endif()
  find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)
  set(grouping "${PROJECT_SOURCE_DIR}/tools/unity_groups.py")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${grouping}")
  execute_process(COMMAND "${Python_EXECUTABLE}" "${grouping}" "${folder}" OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  foreach(line ${lines})
    string(REGEX REPLACE "^([0-9]+) .*" "\\1" group "${line}")
    string(REGEX REPLACE "^[0-9]+ " "" source "${line}")
    set_property(SOURCE "${source}" PROPERTY UNITY_GROUP "${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
