// SPDX-License-Identifier: MIT
// Reading of result files.
#include "raytracer/output/geometry_json.h"
#include "raytracer/output/result_file.h"
#include "raytracer/output/seed_attribute.h"
#include "scenario/error.h"
#include "scenario/hdf5/file.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

namespace {

[[noreturn]] void refuse(const std::string& where,
                         const std::string& what,
                         const std::string& why = {}) {
    throw InputError(Problem{where, what, why, "use a result file that HelioRay wrote"});
}

void check_format(const hdf5::Group& root) {
    if (!root.has_attribute("format")) {
        refuse(root.where(), "is no result file", "it has no attribute 'format'");
    }
    const std::string format = root.read_attribute_string("format");
    if (format != "helioray-result") {
        refuse(root.where() + "@format", "is '" + format + "', not 'helioray-result'");
    }
    const std::int64_t version = root.read_attribute_integer("format_version");
    if (version != kResultFormatVersion) {
        throw InputError(Problem{root.where() + "@format_version",
                                 fmt::format("format version {} is not supported", version),
                                 fmt::format("this program reads version {}", kResultFormatVersion),
                                 "use the HelioRay version that wrote it"});
    }
}

Vec3 read_vector(const hdf5::Object& object, const std::string& name) {
    const std::vector<double> values = object.read_attribute_numbers(name);
    if (values.size() != 3) {
        refuse(object.where() + "@" + name, fmt::format("has {} numbers, not 3", values.size()));
    }
    return {values[0], values[1], values[2]};
}

Provenance read_provenance(const hdf5::Group& root) {
    Provenance p;
    p.helioray_version = root.read_attribute_string("helioray_version");
    p.git_commit = root.read_attribute_string("git_commit");
    p.created = root.read_attribute_string("created");
    p.config = root.read_attribute_string("config");
    p.scenario_file = root.read_attribute_string("scenario_file");
    p.scenario_sha256 = root.read_attribute_string("scenario_sha256");
    p.seed = read_unsigned_attribute(root, "seed");
    p.rays = root.read_attribute_integer("rays");
    p.world_size = root.read_attribute_integer("world_size");
    p.backend = root.read_attribute_string("backend");
    p.device = root.read_attribute_string("device");
    p.launcher = root.read_attribute_string("launcher");
    p.fingerprint = root.read_attribute_string("fingerprint");
    p.sun_direction = read_vector(root, "sun_direction");
    return p;
}

TargetResult read_target(const hdf5::Group& group, const std::string& name) {
    TargetResult t;
    t.target.name = name;
    t.target.geometry = geometry_from_json(group.read_attribute_string("kind"),
                                           group.read_attribute_string("geometry"),
                                           group.where() + "@geometry");
    const auto [extent_width, extent_height] = surface_extent(t.target);
    if (!(extent_width > 0.0) || !(extent_height > 0.0)) {
        refuse(group.where() + "@geometry", "the target has no area");
    }
    t.power_w = group.read_attribute_number("power_w");
    t.power_std_error_w = group.read_attribute_number("power_std_error_w");
    t.peak_flux_w_m2 = group.read_attribute_number("peak_flux_w_m2");
    t.centroid_m = read_vector(group, "centroid_m");

    const hdf5::Dataset flux = group.dataset("flux");
    if (flux.shape().size() != 2 || flux.size() == 0) {
        refuse(flux.where(),
               "has shape " + hdf5::to_string(flux.shape()) + ", not [height, width]");
    }
    t.height = static_cast<int64_t>(flux.shape()[0]);
    t.width = static_cast<int64_t>(flux.shape()[1]);
    t.unit = flux.read_attribute_string("unit");
    t.flux = flux.read<double>();
    const hdf5::Dataset error = group.dataset("flux_std_error");
    if (error.shape() != flux.shape()) {
        refuse(error.where(),
               fmt::format("has shape {}, the flux has {}",
                           hdf5::to_string(error.shape()),
                           hdf5::to_string(flux.shape())));
    }
    t.flux_std_error = error.read<double>();
    return t;
}

// A dataset of the heliostats' group, with one row of shape `row` per heliostat.
hdf5::Dataset column(const hdf5::Group& group,
                     const std::string& name,
                     size_t count,
                     const hdf5::Shape& row = {}) {
    hdf5::Dataset dataset = group.dataset(name);
    hdf5::Shape expected{count};
    expected.insert(expected.end(), row.begin(), row.end());
    if (dataset.shape() != expected) {
        refuse(dataset.where(),
               fmt::format("has shape {}, expected {} for {} heliostats",
                           hdf5::to_string(dataset.shape()),
                           hdf5::to_string(expected),
                           count));
    }
    return dataset;
}

template <size_t N>
void read_arrays(std::vector<HeliostatResult>& heliostats,
                 const hdf5::Dataset& dataset,
                 std::array<double, N> HeliostatResult::*member) {
    const std::vector<double> values = dataset.read<double>();
    for (size_t i = 0; i < heliostats.size(); ++i) {
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * N),
                    N,
                    (heliostats[i].*member).begin());
    }
}

void read_outlines(std::vector<HeliostatResult>& heliostats, const hdf5::Dataset& dataset) {
    const std::vector<double> values = dataset.read<double>();
    for (size_t i = 0; i < heliostats.size(); ++i) {
        std::array<Vec3, 4> outline{};
        for (size_t k = 0; k < 12; ++k) outline[k / 3][k % 3] = values[12 * i + k];
        heliostats[i].mirror_outline = outline;
    }
}

void read_heliostat_flux(std::vector<HeliostatResult>& heliostats, const hdf5::Group& group) {
    const hdf5::Dataset dataset = group.dataset("flux");
    if (dataset.shape().size() != 3 || dataset.shape()[0] != heliostats.size()) {
        refuse(dataset.where(),
               fmt::format("has shape {}, not [{}, height, width]",
                           hdf5::to_string(dataset.shape()),
                           heliostats.size()));
    }
    for (size_t i = 0; i < heliostats.size(); ++i) {
        heliostats[i].flux = dataset.read_rows<float>(i, 1);
    }
}

std::vector<HeliostatResult> read_heliostats(const hdf5::Group& group, HeliostatFlux flux) {
    const std::vector<std::string> names = group.read_strings("name");
    const size_t count = names.size();
    const std::vector<std::string> targets = column(group, "target", count).read_strings();
    std::vector<HeliostatResult> heliostats(count);
    for (size_t i = 0; i < count; ++i) {
        heliostats[i].name = names[i];
        heliostats[i].target = targets[i];
    }
    for (const EnergyTermInfo& term : energy_term_infos()) {
        const std::vector<double> values = column(group, term.name, count).read<double>();
        for (size_t i = 0; i < count; ++i) heliostats[i].energy.*term.member = values[i];
    }
    const std::vector<double> errors =
        column(group, "target_power_std_error", count).read<double>();
    const std::vector<int64_t> rays = column(group, "rays", count).read<int64_t>();
    for (size_t i = 0; i < count; ++i) {
        heliostats[i].target_power_std_error = errors[i];
        heliostats[i].rays = rays[i];
    }
    read_arrays(
        heliostats, column(group, "orientation", count, {4, 4}), &HeliostatResult::orientation);
    read_arrays(heliostats,
                column(group, "motor_positions", count, {2}),
                &HeliostatResult::motor_positions);
    read_arrays(heliostats, column(group, "aim_point", count, {3}), &HeliostatResult::aim_point);
    if (group.contains("mirror_outline")) {
        read_outlines(heliostats, column(group, "mirror_outline", count, {4, 3}));
    }
    if (flux == HeliostatFlux::read && group.contains("flux")) {
        read_heliostat_flux(heliostats, group);
    }
    return heliostats;
}

}  // namespace

RunResult read_result(const std::filesystem::path& path, HeliostatFlux heliostat_flux) {
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group root = file.root();
    check_format(root);
    RunResult result;
    result.provenance = read_provenance(root);
    const hdf5::Group targets = root.group("targets");
    for (const std::string& name : targets.names()) {
        result.targets.push_back(read_target(targets.group(name), name));
    }
    result.heliostats = read_heliostats(root.group("heliostats"), heliostat_flux);
    return result;
}

}  // namespace helioray
