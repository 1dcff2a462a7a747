# The CUDA engine: a library of its own, which the Python extensions contain too when it is built. The CUDA runtime is linked
# statically, so that everything loads on machines without a driver. CMAKE_CUDA_ARCHITECTURES chooses other architectures.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES "80-real;90-real;90-virtual")
endif()
enable_language(CUDA)
file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cyclotome/engine/cuda/*.cu")
add_library(cyclotome_cuda STATIC ${cuda_sources})
target_link_libraries(cyclotome_cuda PUBLIC cyclotome PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(
  cyclotome_cuda
  PROPERTIES CUDA_STANDARD 20
             CUDA_STANDARD_REQUIRED ON
             CUDA_RUNTIME_LIBRARY Static
             CUDA_VISIBILITY_PRESET hidden
             POSITION_INDEPENDENT_CODE ON)
# 554: BasicView's conversion to a constant view is never used on views that are constant already.
target_compile_options(cyclotome_cuda PRIVATE --expt-relaxed-constexpr -diag-suppress=554)
