# Finds NCCL beside LibTorch (Python packages bring it along), with the CUDA toolkit or in the system, and defines
#   NCCL::nccl    header and library
find_path(NCCL_INCLUDE_DIR nccl.h HINTS "${HELIORAY_TORCH_DIR}/../nvidia/nccl/include" "$ENV{CUDA_HOME}/include")
# Python packages have no link without a version.
find_library(NCCL_LIBRARY NAMES libnccl.so.2 nccl HINTS "${HELIORAY_TORCH_DIR}/../nvidia/nccl/lib" "$ENV{CUDA_HOME}/lib64")
if(NCCL_INCLUDE_DIR)
    file(STRINGS "${NCCL_INCLUDE_DIR}/nccl.h" NCCL_VERSION REGEX "#define NCCL_(MAJOR|MINOR|PATCH) ")
    string(REGEX REPLACE "[^0-9;]" "" NCCL_VERSION "${NCCL_VERSION}")
    string(REPLACE ";" "." NCCL_VERSION "${NCCL_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)
if(NCCL_FOUND AND NOT TARGET NCCL::nccl)
    add_library(NCCL::nccl UNKNOWN IMPORTED)
    set_target_properties(NCCL::nccl PROPERTIES IMPORTED_LOCATION "${NCCL_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${NCCL_INCLUDE_DIR}")
endif()
