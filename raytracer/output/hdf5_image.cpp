// SPDX-License-Identifier: MIT
// HDF5's core driver without a backing file.
#include "raytracer/output/hdf5_image.h"

#include "scenario/hdf5/handle.h"

#include <hdf5.h>

namespace helioray {

namespace {

// Open file of the core driver; its memory grows in steps of 4 MiB.
hdf5::Handle create_in_memory(const std::string& name) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const hdf5::Handle access =
        hdf5::checked(H5Pcreate(H5P_FILE_ACCESS), name, "file cannot be made in memory");
    constexpr std::size_t kStep = std::size_t{1} << 22U;
    constexpr hbool_t kBackingFile = 0;
    hdf5::check(
        H5Pset_fapl_core(access.get(), kStep, kBackingFile), name, "file cannot be made in memory");
    return hdf5::checked(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
                         name,
                         "file cannot be made in memory");
}

}  // namespace

std::vector<std::byte> hdf5_image(const std::string& name,
                                  const std::function<void(hdf5::Group root)>& fill) {
    const hdf5::Handle file = create_in_memory(name);
    fill(hdf5::Group(
        hdf5::checked(H5Gopen2(file.get(), "/", H5P_DEFAULT), name + ": /", "cannot be opened"),
        name,
        "/"));
    hdf5::check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), name, "cannot be completed");
    const ssize_t size = H5Fget_file_image(file.get(), nullptr, 0);
    hdf5::check(size, name, "cannot be completed");
    std::vector<std::byte> image(static_cast<std::size_t>(size));
    hdf5::check(
        H5Fget_file_image(file.get(), image.data(), image.size()), name, "cannot be completed");
    return image;
}

}  // namespace helioray
