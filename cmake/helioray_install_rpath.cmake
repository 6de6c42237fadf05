# Installed programs look for LibTorch and other libraries where they were during the build.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
# CMake leaves folders below the project out of that, and scripts/setup puts LibTorch and perhaps CUDA into .venv there.
if(HELIORAY_WITHOUT_TORCH OR HELIORAY_ONLY_PYTHON)
    return()
endif()
get_filename_component(HELIORAY_TORCH_LIBRARY_DIR "${HELIORAY_TORCH_DIR}/lib" REALPATH BASE_DIR "${PROJECT_BINARY_DIR}")
list(APPEND CMAKE_INSTALL_RPATH "${HELIORAY_TORCH_LIBRARY_DIR}")
if(HELIORAY_CUDA)
    # NCCL's folder first: the one beside LibTorch, where both are loaded.
    if(NCCL_FOUND)
        get_filename_component(NCCL_LIBRARY_DIR "${NCCL_LIBRARY}" REALPATH)
        get_filename_component(NCCL_LIBRARY_DIR "${NCCL_LIBRARY_DIR}" DIRECTORY)
        list(APPEND CMAKE_INSTALL_RPATH "${NCCL_LIBRARY_DIR}")
    endif()
    list(APPEND CMAKE_INSTALL_RPATH "${CUDAToolkit_LIBRARY_DIR}")
endif()
