// SPDX-License-Identifier: MIT
// Unsigned 64-bit attributes through HDF5's C interface.
#include "raytracer/output/seed_attribute.h"

#include "scenario/hdf5/handle.h"

#include <hdf5.h>

namespace helioray {

void write_unsigned_attribute(const hdf5::Object& object,
                              const std::string& name,
                              std::uint64_t value) {
    const std::string where = object.where() + "@" + name;
    const hdf5::Handle space = hdf5::checked(H5Screate(H5S_SCALAR), where, "attribute has no room");
    const hdf5::Handle attribute = hdf5::checked(
        H5Acreate2(object.id(), name.c_str(), H5T_STD_U64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
        where,
        "attribute cannot be created");
    hdf5::check(
        H5Awrite(attribute.get(), H5T_NATIVE_UINT64, &value), where, "attribute cannot be written");
}

std::uint64_t read_unsigned_attribute(const hdf5::Object& object, const std::string& name) {
    // Checks of presence, kind and shape are those of any integer attribute.
    object.read_attribute_integer(name);
    const std::string where = object.where() + "@" + name;
    const hdf5::Handle attribute = hdf5::checked(
        H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), where, "attribute cannot be opened");
    std::uint64_t value = 0;
    hdf5::check(
        H5Aread(attribute.get(), H5T_NATIVE_UINT64, &value), where, "attribute cannot be read");
    return value;
}

}  // namespace helioray
