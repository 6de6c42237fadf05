# Finds LibTorch in the folder HELIORAY_TORCH_DIR (the one with include/ and lib/, for example
# site-packages/torch), for the Python package also in the torch of the Python that builds it, and defines
#   LibTorch::cpu    the CPU libraries and headers
#
# LibTorch's own package is not used: for a CUDA build of LibTorch it refuses to configure without a
# CUDA toolkit even where only the CPU part is wanted, and it puts its flags on every target.

set(HELIORAY_TORCH_DIR "$ENV{HELIORAY_TORCH_DIR}" CACHE PATH "LibTorch folder with include/ and lib/")
if(HELIORAY_ONLY_PYTHON AND Python_EXECUTABLE AND NOT HELIORAY_TORCH_DIR)
    execute_process(
        COMMAND ${Python_EXECUTABLE} -c
                "import importlib.util as u; found = u.find_spec('torch'); print(found.submodule_search_locations[0] if found else '')"
        OUTPUT_VARIABLE HELIORAY_TORCH_DIR
        OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
include(FindPackageHandleStandardArgs)
if(NOT EXISTS "${HELIORAY_TORCH_DIR}/include/ATen/ATen.h")
    find_package_handle_standard_args(
        LibTorch
        REQUIRED_VARS LibTorch_INCLUDE_DIR
        REASON_FAILURE_MESSAGE
            "LibTorch was not found in HELIORAY_TORCH_DIR='${HELIORAY_TORCH_DIR}'. Run scripts/setup, or pass -DHELIORAY_TORCH_DIR=<folder with include/ and lib/>.")
    return()
endif()

# Where the numbers stand depends on the version.
foreach(folder IN ITEMS torch/headeronly torch/csrc/api/include/torch)
    if(EXISTS "${HELIORAY_TORCH_DIR}/include/${folder}/version.h")
        file(STRINGS "${HELIORAY_TORCH_DIR}/include/${folder}/version.h" version_lines
             REGEX "#define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
        break()
    endif()
endforeach()
string(REGEX REPLACE "[^0-9;]" "" LibTorch_VERSION "${version_lines}")
string(REPLACE ";" "." LibTorch_VERSION "${LibTorch_VERSION}")

find_package_handle_standard_args(LibTorch REQUIRED_VARS HELIORAY_TORCH_DIR VERSION_VAR LibTorch_VERSION)
if(NOT LibTorch_FOUND OR TARGET LibTorch::cpu)
    return()
endif()

add_library(LibTorch::cpu INTERFACE IMPORTED)
# Searched last: the wheel carries headers of other libraries (fmt), which must not hide the system's.
target_compile_options(
    LibTorch::cpu
    INTERFACE "SHELL:$<$<COMPILE_LANGUAGE:CXX>:-idirafter '${HELIORAY_TORCH_DIR}/include'>"
              "SHELL:$<$<COMPILE_LANGUAGE:CXX>:-idirafter '${HELIORAY_TORCH_DIR}/include/torch/csrc/api/include'>")
target_compile_definitions(LibTorch::cpu INTERFACE USE_DISTRIBUTED USE_C10D_GLOO)
target_link_libraries(
    LibTorch::cpu
    INTERFACE "${HELIORAY_TORCH_DIR}/lib/libtorch_cpu.so"
              "${HELIORAY_TORCH_DIR}/lib/libc10.so")
# LibTorch exports parts of an older libstdc++ (std::filesystem) that crash in newer programs: the system's one has to come
# first in the order of look-up.
target_link_options(LibTorch::cpu INTERFACE "SHELL:-Wl,--push-state,--no-as-needed -lstdc++ -Wl,--pop-state")
# The wheel's libraries find their own dependencies at run time; the linker need not.
target_link_options(LibTorch::cpu INTERFACE -Wl,--allow-shlib-undefined)
