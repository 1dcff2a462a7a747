# What whoever links with the library gets: headers as "cyclotome/<room>/<name>.hpp", in the source tree as in an installation.
find_package(Threads REQUIRED)
add_library(cyclotome::cyclotome ALIAS cyclotome)
target_include_directories(cyclotome PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>"
                                            "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_compile_features(cyclotome PUBLIC cxx_std_20)
target_link_libraries(cyclotome PUBLIC Threads::Threads PRIVATE ${CMAKE_DL_LIBS})
if(BUILD_SHARED_LIBS)
  include(cmake/shared_library.cmake)
endif()
