# For the binary wheel: the C library of Debian 11 and the static libraries that scripts/wheel/libraries has put into the folder
# HELIORAY_WHEEL_LIBRARIES of the environment. Nothing of the building machine is used but its compiler, whose C++ library is linked statically.
set(libraries "$ENV{HELIORAY_WHEEL_LIBRARIES}")
set(CMAKE_SYSROOT "${libraries}/sysroot")
set(CMAKE_PREFIX_PATH "${libraries}/prefix")
set(CMAKE_FIND_ROOT_PATH "${libraries}/prefix" "${libraries}/sysroot")
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(ENV{PKG_CONFIG_PATH} "")
set(ENV{PKG_CONFIG_LIBDIR} "${libraries}/prefix/lib/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "")
# GCC looks for its own system's libraries before those of the folder.
set(folders "-B${CMAKE_SYSROOT}/usr/lib/x86_64-linux-gnu -L${CMAKE_SYSROOT}/usr/lib/x86_64-linux-gnu -L${CMAKE_SYSROOT}/lib/x86_64-linux-gnu")
# The C++ library is static, but not the unwinder of exceptions: GCC 12's needs a newer C library, and that of any system does.
# Python loads other copies of the same libraries (HDF5 in h5py), so none of their symbols may be visible.
foreach(kind IN ITEMS EXE MODULE SHARED)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT "${folders} -static-libstdc++ -Wl,--exclude-libs,ALL -Wl,--gc-sections")
endforeach()
set(CMAKE_CXX_FLAGS_INIT "-ffunction-sections -fdata-sections")
