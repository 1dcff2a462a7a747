# What a shared library is beside its objects: its name, and what it exports. Internals that have a room of their own are hidden
# where they are compiled (cmake/library.cmake); of what is left the linker exports this library's names, and no copy of the
# standard library's templates, which would mix with a program's own.
set_target_properties(cyclotome PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(UNIX AND NOT APPLE)
  target_link_options(cyclotome PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map" LINKER:--no-undefined)
  set_property(TARGET cyclotome APPEND PROPERTY LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/exports.map")
endif()
