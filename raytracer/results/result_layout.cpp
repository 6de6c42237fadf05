// SPDX-License-Identifier: MIT
// Writes files completely, attributes of origin and datasets of known shape, and reads steps of
// series.
#include "raytracer/results/result_layout.h"

#include "raytracer/results/result_file.h"
#include "scenario/files/columns.h"
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

/// Describes a text that files of earlier versions do not have, or that is not written if empty.
Column<Provenance> text_unless_empty(const char* name,
                                     const char* description,
                                     std::string Provenance::*text) {
    return converted_column<Provenance>(
        {.name = name, .description = description, .is_optional = true},
        [text](const Provenance& p) {
            return (p.*text).empty() ? std::nullopt : std::optional(p.*text);
        },
        [text](Provenance& p, std::string value) { p.*text = std::move(value); });
}

// A new member must be in origin_columns() or process_columns(). It does not compile until it is
// also listed here.
[[maybe_unused]] void name_members(const Provenance& provenance) {
    [[maybe_unused]] const auto& [version,
                                  commit,
                                  created,
                                  config,
                                  config_folder,
                                  scenario_file,
                                  scenario_sha256,
                                  seed,
                                  rays,
                                  world_size,
                                  backend,
                                  device,
                                  launcher,
                                  fingerprint,
                                  sun_direction,
                                  instruction_set,
                                  temperature] = provenance;
}

}  // namespace

const Columns<Provenance>& origin_columns() {
    using P = Provenance;
    static const Columns<P> all{
        column({"helioray_version", "", "Version of HelioRay."}, &P::helioray_version),
        column({"git_commit", "", "Commit of the sources."}, &P::git_commit),
        column({"created", "", "Date and time in UTC."}, &P::created),
        column({"config", "", "Text of the configuration."}, &P::config),
        column({"scenario_file", "", "Scenario file."}, &P::scenario_file),
        column({"scenario_sha256", "", "Checksum of the scenario file."}, &P::scenario_sha256),
        column({"rays", "1", "Number of traced rays."}, &P::rays),
        column({"fingerprint", "", "Hash of the results."}, &P::fingerprint),
        text_unless_empty("config_folder",
                          "Folder of the input files that the configuration names.",
                          &P::config_folder),
        text_unless_empty(
            "instruction_set", "Instruction set of the processor.", &P::instruction_set)};
    return all;
}

const Columns<Provenance>& process_columns() {
    using P = Provenance;
    static const Columns<P> all{
        column({"world_size", "1", "Number of ranks."}, &P::world_size),
        column({"backend", "", "Transport between the ranks."}, &P::backend),
        column({"device", "", "Device that traced the rays."}, &P::device),
        column({"launcher", "", "Program that started the ranks."}, &P::launcher),
        column({"sun_direction", "1", "Unit vector to the sun: east, north, up."},
               &P::sun_direction),
        column({.name = "temperature_c",
                .unit = "degC",
                .description = "Temperature of the air; only if it is known.",
                .is_optional = true},
               &P::temperature_c)};
    return all;
}

void write_origin(hdf5::Group& root, const Provenance& p) {
    // xarray without engine shows the attributes of the empty root group, cut off after 50
    // characters.
    root.write_attribute("comment", "helioray.open(file) or xarray engine=\"helioray\"");
    write_attributes(root, p, origin_columns());
    write_unsigned_attribute(root, "seed", p.seed);
}

Provenance read_origin(const hdf5::Group& root) {
    Provenance p;
    read_attributes(root, p, origin_columns());
    p.seed = read_unsigned_attribute(root, "seed");
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
