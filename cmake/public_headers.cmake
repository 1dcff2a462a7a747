# The headers that are installed: those listed here, which programs include, and those that they include themselves.
# tools/check_layers.py refuses internals among them; the target verify_public_headers compiles each by itself.
set(public_headers
    # everything that programs call
    cyclotome.hpp
    # the same for C, and for bindings of other languages
    cyclotome.h
    # for authors of circuits
    engine/fpga/circuit_abi.h)

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
