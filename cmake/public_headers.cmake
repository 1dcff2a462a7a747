# The headers that are installed: those listed here, which programs include, and those that they include themselves.
# tools/check_layers.py refuses internals among them; a build of all_verify_interface_header_sets compiles each by itself.
set(public_headers
    # encrypted arrays and the operators on them
    value/threshold_decryption.hpp
    value/value.hpp
    # parameters, keys, ciphertexts and the operations of the schemes
    rlwe/keys.hpp
    rlwe/noise.hpp
    rlwe/noise_model.hpp
    rlwe/operations.hpp
    rlwe/secret_sharing.hpp
    rlwe/security.hpp
    rlwe/threshold_keys.hpp
    scheme/encoding.hpp
    scheme/planning.hpp
    scheme/registry.hpp
    scheme/scheme.hpp
    # circuits over bits, for plain values and every scheme
    circuit/ciphertext_algebra.hpp
    circuit/parameters.hpp
    circuit/plain_algebra.hpp
    circuit/plan.hpp
    circuit/prince.hpp
    circuit/sorting.hpp
    # files
    io/array_io.hpp
    io/ciphertext_io.hpp
    io/container.hpp
    io/file.hpp
    io/file_set.hpp
    io/inspect.hpp
    io/key_files.hpp
    io/keys_io.hpp
    io/parameters_io.hpp
    io/protected_key.hpp
    io/threshold_io.hpp
    # where it is computed
    engine/cpu/cpu.hpp
    engine/memory_limit.hpp
    # transforms for study: engines that have one of them, and polynomials through them
    study/transform/polynomial_transform.hpp
    study/transform/transform_engine.hpp
    # for authors of engines and of circuits
    engine/engine.hpp
    engine/fpga/circuit_abi.h
    engine/fpga/fpga_engine.hpp
    # errors, interrupts, and primes for parameters
    math/errors.hpp
    math/interrupt.hpp
    math/primes.hpp)

set(pending ${public_headers})
set(installed_headers "")
while(pending)
  list(POP_FRONT pending header)
  if(header IN_LIST installed_headers)
    continue()
  endif()
  list(APPEND installed_headers "${header}")
  set(path "${PROJECT_SOURCE_DIR}/src/cyclotome/${header}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
  file(STRINGS "${path}" includes REGEX "^#include \"cyclotome/")
  list(TRANSFORM includes REPLACE "^#include \"cyclotome/(.*)\".*" "\\1")
  list(APPEND pending ${includes})
endwhile()
list(TRANSFORM installed_headers PREPEND "${PROJECT_SOURCE_DIR}/src/cyclotome/")
