# The C++ library as another build of the same sources left it: what cmake/library.cmake builds.
find_package(Threads REQUIRED)
add_library(cyclotome STATIC IMPORTED GLOBAL)
set_target_properties(cyclotome PROPERTIES IMPORTED_LOCATION "${CYCLOTOME_LIBRARY}")
target_include_directories(cyclotome INTERFACE "${PROJECT_SOURCE_DIR}/src")
target_compile_features(cyclotome INTERFACE cxx_std_20)
target_link_libraries(cyclotome INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
