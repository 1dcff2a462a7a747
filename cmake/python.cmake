# The Python extensions. Python package sources are collected by scikit-build-core; only binaries and stubs are installed here.
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
function(cyclotome_add_extension name)
  # NB_SUPPRESS_WARNINGS: headers of Python and nanobind are system headers, so our warnings are about our code only.
  # A domain of its own: the tests' extension binds some of the same C++ types, and must not share their Python types.
  nanobind_add_module(${name} STABLE_ABI NB_STATIC NB_SUPPRESS_WARNINGS NB_DOMAIN ${name} ${ARGN})
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${name} PRIVATE cyclotome cyclotome_options)
  target_compile_definitions(${name} PRIVATE "CYCLOTOME_VERSION=\"${PROJECT_VERSION}\"")
  if(CYCLOTOME_CUDA)
    target_link_libraries(${name} PRIVATE cyclotome_cuda)
    target_compile_definitions(${name} PRIVATE CYCLOTOME_CUDA)
  endif()
  # Nothing but the entry point is exported. Templates of the C++ library are visible whatever this project's flags say, and a
  # toolchain may link all of that library statically: exported, its symbols would mix with those of other extensions.
  if(APPLE)
    target_link_options(${name} PRIVATE "LINKER:-exported_symbol,_PyInit_${name}")
  else()
    set(script "${CMAKE_CURRENT_BINARY_DIR}/${name}.map")
    file(CONFIGURE OUTPUT "${script}" CONTENT "{ global: PyInit_${name}; local: *; };\n")
    target_link_options(${name} PRIVATE "LINKER:--version-script=${script}")
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${script}")
  endif()
endfunction()

file(GLOB core_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/bindings/*.cpp")
if(core_sources)
  cyclotome_add_extension(_core ${core_sources})
  set(core_dir "${PROJECT_BINARY_DIR}/python/cyclotome")
  set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${core_dir}")
  # The stub is made from the binary itself, so that the types people see are the types that are bound.
  if(NOT CMAKE_CROSSCOMPILING AND NOT CYCLOTOME_SANITIZE)
    nanobind_add_stub(
      _core_stub
      MODULE _core
      OUTPUT "${core_dir}/_core.pyi"
      PYTHON_PATH "$<TARGET_FILE_DIR:_core>"
      DEPENDS _core)
    install(FILES "${core_dir}/_core.pyi" DESTINATION cyclotome COMPONENT python)
  endif()
  install(TARGETS _core LIBRARY DESTINATION cyclotome COMPONENT python)
  # The interface that circuits implement; hdl/ compiles simulated ones against it.
  install(FILES "${PROJECT_SOURCE_DIR}/src/cyclotome/engine/fpga/circuit_abi.h" DESTINATION cyclotome/include COMPONENT python)
endif()

# Internals of math, ring and engine for pytest; ordinary wheels do not contain it.
if(CYCLOTOME_BUILD_TESTING)
  file(GLOB testing_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/test/bindings/*.cpp")
  if(testing_sources)
    cyclotome_add_extension(cyclotome_testing ${testing_sources})
    target_link_libraries(cyclotome_testing PRIVATE additive_scheme)
    target_include_directories(cyclotome_testing PRIVATE "${PROJECT_SOURCE_DIR}/test/cpp")  # one_composite.hpp
    set_target_properties(cyclotome_testing PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/python")
    install(TARGETS cyclotome_testing LIBRARY DESTINATION . COMPONENT python)
  endif()
endif()
