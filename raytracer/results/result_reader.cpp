// SPDX-License-Identifier: MIT
// Reads result files.
#include "raytracer/results/geometry_json.h"
#include "raytracer/results/incident_light.h"
#include "raytracer/results/mirror_pose.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/results/result_file.h"
#include "raytracer/results/result_layout.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/types/type_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

Provenance read_provenance(const hdf5::Group& root) {
    Provenance p = read_origin(root);
    read_attributes(root, p, process_columns());
    return p;
}

void read_role(const hdf5::Group& group, Target& target) {
    if (group.has_attribute("receiver")) target.receiver = group.read_attribute_string("receiver");
    if (group.has_attribute("use"))
        target.use =
            from_string<SurfaceUse>(group.read_attribute_string("use")).value_or(SurfaceUse{});
    target.absorption = read_absorption(group);
    if (!group.has_attribute("outline")) return;
    const std::vector<double> corners = group.read_attribute_numbers("outline");
    for (size_t i = 0; i + 1 < corners.size(); i += 2)
        target.outline.push_back({corners[i], corners[i + 1]});
}

namespace {

/// Reads the triangles of a mesh.
void read_triangles(const hdf5::Group& group, TargetResult& t) {
    auto* mesh = std::get_if<MeshTarget>(&t.target.geometry);
    if (!mesh) return;
    const hdf5::Dataset dataset = group.dataset(kTrianglesName);
    const hdf5::Shape& shape = dataset.shape();
    if (shape.size() != 3 || shape[0] == 0 || shape[1] != 3 || shape[2] != 3 ||
        shape[0] > t.flux.size())
        refuse_result(dataset.where(),
                      fmt::format("has shape {}, not [triangles, 3, 3] with at most as many "
                                  "triangles as the flux has pixels",
                                  hdf5::to_string(shape)));
    mesh->triangles = triangles_of_corners(dataset.read<double>(), mesh->center);
}

TargetResult read_target(const hdf5::Group& group, const std::string& name, const StepRows& rows) {
    TargetResult t;
    t.target.name = name;
    t.target.geometry = geometry_from_json(group.read_attribute_string("kind"),
                                           group.read_attribute_string("geometry"),
                                           group.where() + "@geometry");
    read_role(group, t.target);
    const auto [extent_width, extent_height] = surface_extent(t.target);
    if (!(extent_width > 0.0) || !(extent_height > 0.0)) {
        refuse_result(group.where() + "@geometry", "the target has no area");
    }
    const char* pixel = "peak_pixel_w_m2";
    if (rows.is_one_of_many() ? group.contains(pixel) : group.has_attribute(pixel)) {
        read_attributes(group, t, target_columns(), rows.reading());
    } else {
        read_attributes(group, t, columns_without_peak(target_columns()), rows.reading());
        t.peak_pixel_w_m2 = t.peak_flux_w_m2;
        t.peak_flux_w_m2 = t.peak_flux_std_error_w_m2 = t.peak_area_m2 = std::nan("");
    }

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
    read_incident(group, rows, t);
    read_triangles(group, t);
    return t;
}

/// Reads the poses that a series has instead of matrices.
void read_poses(std::vector<HeliostatResult>& heliostats,
                const hdf5::Group& group,
                const StepRows& rows) {
    // If the file has neither poses nor matrices, the error names the dataset of a run.
    if (!group.contains("mirror_normal")) group.dataset("orientation");
    std::vector<MirrorPose> poses(heliostats.size());
    read_columns(group, poses, pose_columns(), rows.reading());
    for (size_t i = 0; i < poses.size(); ++i)
        heliostats[i].orientation = convert_to_matrix(poses[i]);
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

void read_heliostat_columns(std::vector<HeliostatResult>& heliostats,
                            const hdf5::Group& group,
                            const StepRows& rows,
                            const Columns<HeliostatResult>& table) {
    Columns<HeliostatResult> columns = table;
    if (!group.contains("orientation")) {
        read_poses(heliostats, group, rows);
        std::erase_if(columns, [](const auto& column) { return column.name == "orientation"; });
    }
    read_columns(group, heliostats, columns, rows.reading());
}

namespace {

std::vector<HeliostatResult> read_heliostats(const hdf5::Group& group,
                                             HeliostatFlux flux,
                                             const StepRows& rows) {
    std::vector<HeliostatResult> heliostats(group.read_strings("name").size());
    read_heliostat_columns(heliostats, group, rows, heliostat_columns());
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
    SeriesStep facts;
    read_attributes(series, facts, step_columns(), rows.reading());
    result.provenance.sun_direction = facts.sun_direction;
    result.provenance.temperature_c = facts.temperature_c;
    result.provenance.rays = facts.rays;
    result.provenance.fingerprint = facts.fingerprint;
    return result;
}

}  // namespace helioray
