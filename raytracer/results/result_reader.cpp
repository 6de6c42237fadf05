// SPDX-License-Identifier: MIT
// Reads result files.
#include "raytracer/results/geometry_json.h"
#include "raytracer/results/mirror_pose.h"
#include "raytracer/results/result_file.h"
#include "raytracer/results/result_layout.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

Provenance read_provenance(const hdf5::Group& root) {
    Provenance p = read_origin(root);
    p.world_size = root.read_attribute_integer("world_size");
    p.backend = root.read_attribute_string("backend");
    p.device = root.read_attribute_string("device");
    p.launcher = root.read_attribute_string("launcher");
    p.sun_direction = StepRows::whole().vector(root, "sun_direction");
    return p;
}

namespace {

TargetResult read_target(const hdf5::Group& group, const std::string& name, const StepRows& rows) {
    TargetResult t;
    t.target.name = name;
    t.target.geometry = geometry_from_json(group.read_attribute_string("kind"),
                                           group.read_attribute_string("geometry"),
                                           group.where() + "@geometry");
    const auto [extent_width, extent_height] = surface_extent(t.target);
    if (!(extent_width > 0.0) || !(extent_height > 0.0)) {
        refuse_result(group.where() + "@geometry", "the target has no area");
    }
    t.power_w = rows.number(group, "power_w");
    t.power_std_error_w = rows.number(group, "power_std_error_w");
    t.peak_flux_w_m2 = rows.number(group, "peak_flux_w_m2");
    if (rows.has_number(group, "peak_pixel_w_m2")) {
        t.peak_flux_std_error_w_m2 = rows.number(group, "peak_flux_std_error_w_m2");
        t.peak_area_m2 = rows.number(group, "peak_area_m2");
        t.peak_pixel_w_m2 = rows.number(group, "peak_pixel_w_m2");
    } else {
        // Versions up to 0.4 stored the largest pixel under the name of the peak.
        t.peak_pixel_w_m2 = t.peak_flux_w_m2;
        t.peak_flux_w_m2 = t.peak_flux_std_error_w_m2 = t.peak_area_m2 = std::nan("");
    }
    t.centroid_m = rows.vector(group, "centroid_m");

    const hdf5::Dataset flux = group.dataset("flux");
    const hdf5::Shape shape = rows.shape(flux);
    if (shape.size() != 2 || flux.size() == 0) {
        refuse_result(flux.where(),
                      "has shape " + hdf5::to_string(shape) + ", not [height, width]");
    }
    t.height = static_cast<int64_t>(shape[0]);
    t.width = static_cast<int64_t>(shape[1]);
    t.unit = flux.read_attribute_string("unit");
    t.flux = rows.read<double>(flux);
    const hdf5::Dataset error = group.dataset("flux_std_error");
    if (error.shape() != flux.shape()) {
        refuse_result(error.where(),
                      fmt::format("has shape {}, the flux has {}",
                                  hdf5::to_string(error.shape()),
                                  hdf5::to_string(flux.shape())));
    }
    t.flux_std_error = rows.read<double>(error);
    return t;
}

// Reads a dataset of the heliostats' group with one row of shape `row` per heliostat.
template <typename T>
std::vector<T> column(const hdf5::Group& group,
                      const std::string& name,
                      size_t count,
                      const StepRows& rows,
                      const hdf5::Shape& row = {}) {
    const hdf5::Dataset dataset = group.dataset(name);
    hdf5::Shape expected{count};
    expected.insert(expected.end(), row.begin(), row.end());
    if (rows.shape(dataset) != expected) {
        refuse_result(dataset.where(),
                      fmt::format("has shape {}, expected {} for {} heliostats",
                                  hdf5::to_string(rows.shape(dataset)),
                                  hdf5::to_string(expected),
                                  count));
    }
    return rows.read<T>(dataset);
}

template <size_t N>
void read_arrays(std::vector<HeliostatResult>& heliostats,
                 const std::vector<double>& values,
                 std::array<double, N> HeliostatResult::*member) {
    for (size_t i = 0; i < heliostats.size(); ++i) {
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * N),
                    N,
                    (heliostats[i].*member).begin());
    }
}

void read_outlines(std::vector<HeliostatResult>& heliostats, const std::vector<double>& values) {
    for (size_t i = 0; i < heliostats.size(); ++i) {
        std::array<Vec3, 4> outline{};
        for (size_t k = 0; k < 12; ++k) outline[k / 3][k % 3] = values[12 * i + k];
        heliostats[i].mirror_outline = outline;
    }
}

/// Reads the poses that a series has instead of matrices.
void read_poses(std::vector<HeliostatResult>& heliostats,
                const hdf5::Group& group,
                const StepRows& rows) {
    // If the file has neither poses nor matrices, the error names the dataset of a run.
    if (!group.contains("mirror_normal")) group.dataset("orientation");
    const size_t count = heliostats.size();
    const auto normals = column<double>(group, "mirror_normal", count, rows, {3});
    const auto origins = column<double>(group, "mirror_origin", count, rows, {3});
    const auto turns = column<double>(group, "mirror_turn", count, rows);
    for (size_t i = 0; i < count; ++i) {
        MirrorPose pose{{}, {}, turns[i]};
        for (size_t axis = 0; axis < 3; ++axis) {
            pose.normal[axis] = normals[3 * i + axis];
            pose.origin[axis] = origins[3 * i + axis];
        }
        heliostats[i].orientation = convert_to_matrix(pose);
    }
}

void read_heliostat_maps(std::vector<HeliostatResult>& heliostats,
                         const hdf5::Group& group,
                         const StepRows& rows) {
    const hdf5::Dataset dataset = group.dataset("flux");
    const hdf5::Shape shape = rows.shape(dataset);
    if (shape.size() != 3 || shape[0] != heliostats.size()) {
        refuse_result(dataset.where(),
                      fmt::format("has shape {}, not [{}, height, width]",
                                  hdf5::to_string(shape),
                                  heliostats.size()));
    }
    if (!rows.is_one_of_many()) {
        // Read one map at a time: these maps can be large and must not be in memory twice.
        for (size_t i = 0; i < heliostats.size(); ++i)
            heliostats[i].flux = dataset.read_rows<float>(i, 1);
        return;
    }
    const std::vector<float> values = rows.read<float>(dataset);
    const auto pixels = static_cast<std::ptrdiff_t>(shape[1] * shape[2]);
    for (size_t i = 0; i < heliostats.size(); ++i) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i) * pixels;
        heliostats[i].flux.assign(begin, begin + pixels);
    }
}

}  // namespace

void read_mirror_states(std::vector<HeliostatResult>& heliostats,
                        const hdf5::Group& group,
                        const StepRows& rows) {
    const size_t count = heliostats.size();
    if (group.contains("orientation")) {
        read_arrays(heliostats,
                    column<double>(group, "orientation", count, rows, {4, 4}),
                    &HeliostatResult::orientation);
    } else {
        read_poses(heliostats, group, rows);
    }
    read_arrays(heliostats,
                column<double>(group, "aim_point", count, rows, {3}),
                &HeliostatResult::aim_point);
    if (group.contains("mirror_outline")) {
        // All steps of a series share the outlines; files of earlier versions have them for each
        // step.
        const bool is_shared = group.dataset("mirror_outline").shape().size() == 3;
        read_outlines(
            heliostats,
            column<double>(
                group, "mirror_outline", count, is_shared ? StepRows::whole() : rows, {4, 3}));
    }
}

namespace {

std::vector<HeliostatResult> read_heliostats(const hdf5::Group& group,
                                             HeliostatFlux flux,
                                             const StepRows& rows) {
    const std::vector<std::string> names = group.read_strings("name");
    const size_t count = names.size();
    const hdf5::Dataset targets = group.dataset("target");
    if (targets.shape() != hdf5::Shape{count}) {
        refuse_result(targets.where(),
                      fmt::format("has shape {}, expected one name for each of {} heliostats",
                                  hdf5::to_string(targets.shape()),
                                  count));
    }
    const std::vector<std::string> target_names = targets.read_strings();
    std::vector<HeliostatResult> heliostats(count);
    for (size_t i = 0; i < count; ++i) {
        heliostats[i].name = names[i];
        heliostats[i].target = target_names[i];
    }
    for (const EnergyTermInfo& term : energy_term_infos()) {
        const auto values = column<double>(group, term.name, count, rows);
        for (size_t i = 0; i < count; ++i) heliostats[i].energy.*term.member = values[i];
    }
    const auto errors = column<double>(group, "target_power_std_error", count, rows);
    const auto rays = column<int64_t>(group, "rays", count, rows);
    for (size_t i = 0; i < count; ++i) {
        heliostats[i].target_power_std_error = errors[i];
        heliostats[i].rays = rays[i];
    }
    read_mirror_states(heliostats, group, rows);
    read_arrays(heliostats,
                column<double>(group, "motor_positions", count, rows, {2}),
                &HeliostatResult::motor_positions);
    if (flux == HeliostatFlux::read && group.contains("flux")) {
        read_heliostat_maps(heliostats, group, rows);
    }
    return heliostats;
}

RunResult read_rows(const hdf5::Group& root, HeliostatFlux heliostat_flux, const StepRows& rows) {
    RunResult result;
    result.provenance = read_provenance(root);
    const hdf5::Group targets = root.group("targets");
    for (const std::string& name : targets.names()) {
        result.targets.push_back(read_target(targets.group(name), name, rows));
    }
    const hdf5::Group heliostats = root.group("heliostats");
    result.heliostats = read_heliostats(heliostats, heliostat_flux, rows);
    const hdf5::Dataset errors = heliostats.dataset("target_power_std_error");
    if (errors.has_attribute("relative_uncertainty"))
        result.error_uncertainty = errors.read_attribute_number("relative_uncertainty");
    return result;
}

}  // namespace

RunResult read_result(const std::filesystem::path& path, HeliostatFlux heliostat_flux) {
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group root = file.root();
    check_result_format(root);
    if (const size_t steps = count_steps(root); steps > 0) {
        throw InputError(Problem{path.string(),
                                 fmt::format("holds a series of {} steps", steps),
                                 "one result is read here",
                                 "choose one of its steps"});
    }
    return read_rows(root, heliostat_flux, StepRows::whole());
}

std::uint64_t heliostat_flux_bytes(const std::filesystem::path& run) {
    const hdf5::File file = hdf5::File::open(run);
    const hdf5::Group root = file.root();
    check_result_format(root);
    const hdf5::Group heliostats = root.group("heliostats");
    return heliostats.contains("flux") ? heliostats.dataset("flux").size() * sizeof(float) : 0;
}

std::vector<float> read_heliostat_flux(const std::filesystem::path& run,
                                       const std::string& fingerprint,
                                       std::size_t heliostat) {
    const hdf5::File file = hdf5::File::open(run);
    const hdf5::Group root = file.root();
    check_result_format(root);
    if (read_provenance(root).fingerprint != fingerprint) {
        throw InputError(Problem{run.string(),
                                 "holds another result than when it was opened",
                                 "maps of single heliostats are read when they are asked for",
                                 "open it again"});
    }
    return root.group("heliostats").dataset("flux").read_rows<float>(heliostat, 1);
}

RunResult read_result(const std::filesystem::path& path,
                      std::size_t step,
                      HeliostatFlux heliostat_flux) {
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group root = file.root();
    check_result_format(root);
    const StepRows rows = StepRows::step(root, step);
    RunResult result = read_rows(root, heliostat_flux, rows);
    const hdf5::Group series = root.group("series");
    result.provenance.sun_direction = rows.vector(series, "sun_direction");
    result.provenance.rays = static_cast<int64_t>(rows.number(series, "rays"));
    result.provenance.fingerprint = series.read_strings("fingerprint").at(step);
    return result;
}

}  // namespace helioray
