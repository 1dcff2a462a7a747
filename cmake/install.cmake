# What is installed: the library, the public headers, and packages for CMake and pkg-config that find them wherever the prefix
# is moved to. All of one component, since others install Python's (cmake/python.cmake).
if(CYCLOTOME_LIBRARY AND NOT BUILD_SHARED_LIBS)
  return() # somebody else's build installs it
endif()
include(CMakePackageConfigHelpers)
include(cmake/public_headers.cmake)
set(development COMPONENT development)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/cyclotome")

install(
  TARGETS cyclotome
  EXPORT cyclotome-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" ${development}
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" ${development}
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" ${development})
install(EXPORT cyclotome-targets NAMESPACE cyclotome:: DESTINATION "${package_dir}" ${development})

foreach(header IN LISTS installed_headers)
  get_filename_component(folder "${header}" DIRECTORY)
  install(FILES "${PROJECT_SOURCE_DIR}/src/cyclotome/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/cyclotome/${folder}"
          ${development})
endforeach()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/cyclotome-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/cyclotome-config.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cyclotome-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cyclotome-config.cmake" "${PROJECT_BINARY_DIR}/cyclotome-config-version.cmake"
        DESTINATION "${package_dir}" ${development})

# Folders as pkg-config finds them from its own file; absolute ones as they are.
foreach(kind LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}}")
    set(pc_${kind} "${CMAKE_INSTALL_${kind}}")
  else()
    set(pc_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
  endif()
endforeach()
set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pc_prefix "\${pcfiledir}/${up}")
endif()
# An archive's own needs are its user's.
set(pc_needs "-pthread")
foreach(library IN LISTS CMAKE_DL_LIBS)
  string(APPEND pc_needs " -l${library}")
endforeach()
if(BUILD_SHARED_LIBS)
  set(pc_public "-pthread")
  set(pc_private "${pc_needs}")
else()
  set(pc_public "${pc_needs}")
  set(pc_private "")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/cyclotome.pc.in" "${PROJECT_BINARY_DIR}/cyclotome.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cyclotome.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" ${development})

# Each installed header compiles by itself: nobody has to know what to include before it.
set(verified "")
foreach(header IN LISTS installed_headers)
  string(MAKE_C_IDENTIFIER "${header}" name)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/public_headers/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"cyclotome/@header@\"\n" @ONLY)
  list(APPEND verified "${source}")
endforeach()
add_library(verify_public_headers OBJECT EXCLUDE_FROM_ALL ${verified})
target_link_libraries(verify_public_headers PRIVATE cyclotome cyclotome_options)
