# Every package from outside the project; cmake/README.md gives the purpose of each.
set(helioray_FIND_REQUIRED ON)
set(CMAKE_FIND_PACKAGE_NAME helioray)
include(helioray_library_dependencies)
unset(CMAKE_FIND_PACKAGE_NAME)
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_path(GLOO_INCLUDE_DIR gloo/algorithm.h REQUIRED)
