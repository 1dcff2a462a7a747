# The CUDA engine as a library of its own. It is in development: C++ programs of this tree can link it, it is not installed, and the
# Python package does not reach it yet.
enable_language(CUDA)
add_library(cyclotome_cuda STATIC "${PROJECT_SOURCE_DIR}/src/engine/cuda/cuda_engine.cu")
target_link_libraries(cyclotome_cuda PUBLIC cyclotome)
set_target_properties(
  cyclotome_cuda
  PROPERTIES CUDA_STANDARD 20
             CUDA_STANDARD_REQUIRED ON
             CUDA_RUNTIME_LIBRARY Static
             CUDA_ARCHITECTURES "80-real;90-real;90-virtual")
# 554: BasicView's conversion to a constant view is never used on views that are constant already.
target_compile_options(cyclotome_cuda PRIVATE --expt-relaxed-constexpr -diag-suppress=554)
