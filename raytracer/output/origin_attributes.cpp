// SPDX-License-Identifier: MIT
#include "raytracer/output/origin_attributes.h"

#include "scenario/hdf5/handle.h"

#include <hdf5.h>

#include <cstdint>
#include <string>

namespace helioray {

namespace {

// Seeds use the whole range of unsigned numbers, which needs HDF5's C interface.
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

}  // namespace

void write_origin(hdf5::Group& root, const Provenance& p) {
    root.write_attribute("helioray_version", p.helioray_version);
    root.write_attribute("git_commit", p.git_commit);
    root.write_attribute("created", p.created);
    root.write_attribute("config", p.config);
    root.write_attribute("scenario_file", p.scenario_file);
    root.write_attribute("scenario_sha256", p.scenario_sha256);
    write_unsigned_attribute(root, "seed", p.seed);
    root.write_attribute("rays", p.rays);
    root.write_attribute("fingerprint", p.fingerprint);
    if (!p.instruction_set.empty()) root.write_attribute("instruction_set", p.instruction_set);
}

Provenance read_origin(const hdf5::Group& root) {
    Provenance p;
    p.helioray_version = root.read_attribute_string("helioray_version");
    p.git_commit = root.read_attribute_string("git_commit");
    p.created = root.read_attribute_string("created");
    p.config = root.read_attribute_string("config");
    p.scenario_file = root.read_attribute_string("scenario_file");
    p.scenario_sha256 = root.read_attribute_string("scenario_sha256");
    p.seed = read_unsigned_attribute(root, "seed");
    p.rays = root.read_attribute_integer("rays");
    p.fingerprint = root.read_attribute_string("fingerprint");
    if (root.has_attribute("instruction_set"))
        p.instruction_set = root.read_attribute_string("instruction_set");
    return p;
}

}  // namespace helioray
