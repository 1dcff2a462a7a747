# The Python extension. Python package sources are collected by scikit-build-core; only binaries and stubs are installed here.
find_package(
  Python 3.10 REQUIRED
  COMPONENTS Interpreter Development.Module
  OPTIONAL_COMPONENTS Development.SABIModule)

# Outside of pip, ask the interpreter where its nanobind is.
if(NOT nanobind_ROOT AND NOT SKBUILD)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
    OUTPUT_STRIP_TRAILING_WHITESPACE
    OUTPUT_VARIABLE nanobind_ROOT)
endif()
find_package(nanobind CONFIG REQUIRED)

# One stable-ABI binary serves CPython 3.12 and later; older versions get a binary of their own.
# NB_SUPPRESS_WARNINGS: headers of Python and nanobind are system headers, so our warnings are about our code only.
# A domain of its own: no other extension's types are taken for ours.
file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/bindings/*.cpp")
nanobind_add_module(_core STABLE_ABI NB_STATIC NB_SUPPRESS_WARNINGS NB_DOMAIN _core ${core_sources})
set(core_dir "${PROJECT_BINARY_DIR}/python/cyclotome")
set_target_properties(_core PROPERTIES CXX_EXTENSIONS OFF LIBRARY_OUTPUT_DIRECTORY "${core_dir}")
target_compile_features(_core PRIVATE cxx_std_20)
target_include_directories(_core PRIVATE "${PROJECT_SOURCE_DIR}/python")
target_link_libraries(_core PRIVATE cyclotome cyclotome_options)
target_compile_definitions(_core PRIVATE "CYCLOTOME_VERSION=\"${PROJECT_VERSION}\"")
if(CYCLOTOME_CUDA)
  target_link_libraries(_core PRIVATE cyclotome_cuda)
  target_compile_definitions(_core PRIVATE CYCLOTOME_CUDA)
endif()

# Internals for pytest, as the submodule _core.testing: of the same binary, so that there is one copy of the library with its
# registries, and each type is known to Python once. Packages are built without it.
if(CYCLOTOME_BUILD_TESTING)
  file(GLOB testing_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/test/bindings/*.cpp")
  target_sources(_core PRIVATE ${testing_sources})
  target_link_libraries(_core PRIVATE $<LINK_ONLY:additive_scheme>)
  # Flags of these files only: what packages are made of is compiled as it is for packages.
  set_source_files_properties(
    ${testing_sources} PROPERTIES
    INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/python;${PROJECT_SOURCE_DIR}/test;${PROJECT_SOURCE_DIR}/test/cpp")
  set_source_files_properties("${PROJECT_SOURCE_DIR}/python/bindings/module.cpp" PROPERTIES COMPILE_DEFINITIONS CYCLOTOME_TESTING)
endif()

# Nothing but the entry point is exported. Templates of the C++ library are visible whatever this project's flags say, and a
# toolchain may link all of that library statically: exported, its symbols would mix with those of other extensions.
if(APPLE)
  target_link_options(_core PRIVATE "LINKER:-exported_symbol,_PyInit__core")
elseif(NOT WIN32)
  # Archives' symbols are hidden even from a linker that reads no version scripts.
  set(script "${CMAKE_CURRENT_BINARY_DIR}/_core.map")
  file(CONFIGURE OUTPUT "${script}" CONTENT "{ global: PyInit__core; local: *; };\n")
  target_link_options(_core PRIVATE "LINKER:--version-script=${script}" "LINKER:--exclude-libs,ALL")
  set_property(TARGET _core APPEND PROPERTY LINK_DEPENDS "${script}")
endif()

# For wheels: the C++ library is part of the extension, so that it asks for no newer one than a machine has. Not libgcc, whose
# shared one is on every machine, while a new static one looks for unwinding tables by a function of a new glibc.
option(CYCLOTOME_STATIC_RUNTIME "Link libstdc++ into the Python extension" OFF)
if(CYCLOTOME_STATIC_RUNTIME AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_link_options(_core PRIVATE -static-libstdc++)
endif()

# The stub is made from the binary itself, so that the types people see are the types that are bound; tests' excepted.
if(NOT CMAKE_CROSSCOMPILING AND NOT CYCLOTOME_SANITIZE)
  nanobind_add_stub(
    _core_stub
    MODULE _core
    OUTPUT "${core_dir}/_core.pyi"
    PATTERN_FILE "${PROJECT_SOURCE_DIR}/cmake/stub_patterns.txt"
    PYTHON_PATH "$<TARGET_FILE_DIR:_core>"
    DEPENDS _core "${PROJECT_SOURCE_DIR}/cmake/stub_patterns.txt")
endif()
# cyclotome-cuda is this binary alone, in its own package (cuda/); what else is installed is the plain package's.
set(CYCLOTOME_PYTHON_PACKAGE "cyclotome" CACHE STRING "The Python package that the extension is installed into")
install(TARGETS _core LIBRARY DESTINATION "${CYCLOTOME_PYTHON_PACKAGE}" COMPONENT python)
if(NOT CYCLOTOME_PYTHON_PACKAGE STREQUAL "cyclotome")
  return()
endif()
if(TARGET _core_stub)
  install(FILES "${core_dir}/_core.pyi" DESTINATION cyclotome COMPONENT python)
endif()
# The interface that circuits implement; hdl/ compiles simulated ones against it.
install(FILES "${PROJECT_SOURCE_DIR}/src/cyclotome/engine/fpga/circuit_abi.h" DESTINATION cyclotome/include COMPONENT python)
