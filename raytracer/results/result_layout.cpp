// SPDX-License-Identifier: MIT
// Writes files completely, attributes of origin and datasets of known shape, and reads steps of
// series.
#include "raytracer/results/result_layout.h"

#include "raytracer/results/result_file.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/files/hdf5/stored_file.h"
#include "scenario/files/hdf5/trial.h"
#include "scenario/files/output_files.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <cstdint>
#include <string>

namespace helioray {

void write_image(const std::filesystem::path& path,
                 const std::function<void(hdf5::Group root)>& fill) {
    AtomicFile file(path);
    int failure = 0;
    try {
        failure = hdf5::write_stored_file(file.temporary(), path.string(), fill);
    } catch (const InputError& error) {
        // The user's input was valid; only memory or this program can fail here.
        throw std::runtime_error(error.what());
    }
    if (failure != 0) file.fail(failure);
    file.commit();
    hdf5::trust_file(path);
}

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
    // Reading the attribute as a signed integer checks presence, kind and shape.
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
    // xarray without engine shows the attributes of the empty root group, cut off after 50
    // characters.
    root.write_attribute("comment", "helioray.open(file) or xarray engine=\"helioray\"");
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

void refuse_result(const std::string& where, const std::string& what, const std::string& why) {
    throw InputError(Problem{where, what, why, "use a result file that HelioRay wrote"});
}

std::vector<double> read_shaped(const hdf5::Group& group,
                                const std::string& name,
                                const hdf5::Shape& shape) {
    const hdf5::Dataset dataset = group.dataset(name);
    if (dataset.shape() != shape) {
        refuse_result(dataset.where(),
                      fmt::format("has shape {}, expected {}",
                                  hdf5::to_string(dataset.shape()),
                                  hdf5::to_string(shape)));
    }
    return dataset.read<double>();
}

std::vector<std::string> read_texts(const hdf5::Group& group,
                                    const std::string& name,
                                    std::size_t count) {
    std::vector<std::string> values = group.read_strings(name);
    if (values.size() != count) {
        refuse_result(group.where_of(name),
                      fmt::format("has {} entries, expected {}", values.size(), count));
    }
    return values;
}

void check_result_format(const hdf5::Group& root) {
    if (!root.has_attribute("format")) {
        if (root.contains("power_plant"))
            throw InputError(Problem{root.file(),
                                     "is a scenario, not a result",
                                     "it describes a plant",
                                     "trace it, and use the file of the result"});
        refuse_result(root.where(), "is no result file", "it has no attribute 'format'");
    }
    const std::string format = root.read_attribute_string("format");
    if (format == "helioray-annual") {
        refuse_result(
            root.where(), "is the yield of a year, not the result of a run", "it has no flux maps");
    }
    if (format == "helioray-efficiency") {
        refuse_result(root.where(),
                      "is an efficiency table, not the result of a run",
                      "'helioray info', 'plot' and 'export sam' read it");
    }
    if (format != "helioray-result") {
        refuse_result(root.where() + "@format", "is '" + format + "', not 'helioray-result'");
    }
    const std::int64_t version = root.read_attribute_integer("format_version");
    if (version != kResultFormatVersion) {
        throw InputError(Problem{root.where() + "@format_version",
                                 fmt::format("format version {} is not supported", version),
                                 fmt::format("this program reads version {}", kResultFormatVersion),
                                 "use the HelioRay version that wrote it"});
    }
}

std::size_t count_steps(const hdf5::Group& root) {
    if (!root.has_attribute("num_steps")) return 0;
    const std::int64_t steps = root.read_attribute_integer("num_steps");
    if (steps < 1)
        refuse_result(root.where() + "@num_steps", fmt::format("is {}, not above 0", steps));
    return static_cast<std::size_t>(steps);
}

StepRows StepRows::step(const hdf5::Group& root, std::size_t step) {
    const std::size_t steps = count_steps(root);
    if (steps == 0) refuse_result(root.where(), "is a single run, not a series");
    if (step >= steps) {
        throw InputError(Problem{root.file(),
                                 fmt::format("there is no step {}", step),
                                 fmt::format("the series has {} steps", steps),
                                 fmt::format("choose one from 0 to {}", steps - 1)});
    }
    return StepRows(step, steps);
}

hdf5::Shape StepRows::shape(const hdf5::Dataset& dataset) const {
    hdf5::Shape shape = dataset.shape();
    if (!step_) return shape;
    if (shape.empty() || shape[0] != num_steps_) {
        refuse_result(dataset.where(),
                      fmt::format("has shape {}, not one row for each of {} steps",
                                  hdf5::to_string(shape),
                                  num_steps_));
    }
    shape.erase(shape.begin());
    return shape;
}

}  // namespace helioray
