// SPDX-License-Identifier: MIT
// Writes result files.
#include "raytracer/results/axes.h"
#include "raytracer/results/geometry_json.h"
#include "raytracer/results/incident_light.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/results/result_file.h"
#include "raytracer/results/result_layout.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/files/hdf5/stored_file.h"
#include "scenario/types/receivers.h"
#include "scenario/types/type_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace helioray {

void write_provenance(hdf5::Group& root, const Provenance& p) {
    root.write_attribute("format", "helioray-result");
    root.write_attribute("format_version", kResultFormatVersion);
    write_origin(root, p);
    write_attributes(root, p, process_columns());
}

namespace {

// Returns the centres of `count` pixels that divide `extent` metres, ascending from the negative
// edge.
std::vector<double> pixel_centres(int64_t count, double extent) {
    std::vector<double> centres(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
        centres[static_cast<size_t>(i)] = pixel_centre(i, count, extent);
    }
    return centres;
}

void write_maps(hdf5::Group& group, const TargetResult& t) {
    const size_t pixels = static_cast<size_t>(t.height * t.width);
    require(t.width > 0 && t.height > 0 && t.flux.size() == pixels &&
                (t.flux_std_error.empty() || t.flux_std_error.size() == pixels),
            fmt::format("target '{}': flux arrays do not fit {} x {} pixels",
                        t.target.name,
                        t.height,
                        t.width));
    const hdf5::Shape shape{static_cast<size_t>(t.height), static_cast<size_t>(t.width)};
    annotate(
        group.write_array<double>("flux", t.flux, shape),
        t.unit,
        t.incident
            ? "Flux that the surface absorbs, [height, width]. Row 0 is the top edge, "
              "column 0 the left edge as seen by an observer in front of it."
            : "Flux incident on the target, [height, width]. Row 0 is the top edge, column 0 the "
              "left edge as seen by an observer in front of the target and facing it.");
    const std::vector<double> unknown(t.flux_std_error.empty() ? pixels : 0,
                                      std::numeric_limits<double>::quiet_NaN());
    annotate(group.write_array<double>(
                 "flux_std_error", t.flux_std_error.empty() ? unknown : t.flux_std_error, shape),
             t.unit,
             "Standard error of flux from the finite number of rays, same layout; NaN: unknown.");
}

void write_axes(hdf5::Group& group, const TargetResult& t) {
    const auto [width, height] = surface_extent(t.target);
    annotate(group.write_array<double>(
                 "width_m", pixel_centres(t.width, width), {static_cast<size_t>(t.width)}),
             "m",
             "Pixel centres along the width of the (unrolled) surface from the target's centre, "
             "growing to the right of the observer.");
    std::vector<double> rows = pixel_centres(t.height, height);
    std::reverse(rows.begin(), rows.end());
    annotate(group.write_array<double>("height_m", rows, {static_cast<size_t>(t.height)}),
             "m",
             "Pixel centres along the height of the surface from the target's centre, growing "
             "upwards; row 0 is the highest.");
}

/// Writes the triangles of a mesh and the flux on each of them.
void write_triangles(hdf5::Group& group, const TargetResult& t) {
    const MeshTarget* mesh = find_triangles(t.target);
    if (mesh == nullptr) return;
    const std::size_t count = num_triangles(*mesh);
    require(t.flux.size() >= count,
            fmt::format("target '{}': the map has fewer pixels than the mesh has triangles",
                        t.target.name));
    annotate(group.write_array<double>(kTrianglesName, triangle_corners(*mesh), {count, 3, 3}),
             "m",
             "Corners of the triangles in east, north, up, [triangle, corner, coordinate]; "
             "counter-clockwise for an observer who faces the side of their normal.");
    annotate(group.write_array<double>("triangle_area", triangle_areas(*mesh), {count}),
             "m2",
             "Area of each triangle.");
    const std::vector<double> flux(t.flux.begin(),
                                   t.flux.begin() + static_cast<std::ptrdiff_t>(count));
    annotate(group.write_array<double>("triangle_flux", flux, {count}),
             t.unit,
             "Flux on each triangle: the first pixels of flux, row by row.");
}

/// Writes the receiver of a surface, its use, absorption and outline.
void write_role(hdf5::Group& group, const Target& target) {
    if (!target.receiver.empty()) {
        group.write_attribute("receiver", target.receiver);
        group.write_attribute("use", to_string(target.use));
    }
    if (target.absorption) write_absorption(group, *target.absorption);
    if (target.outline.empty()) return;
    std::vector<double> corners;
    for (const auto& corner : target.outline)
        corners.insert(corners.end(), corner.begin(), corner.end());
    group.write_attribute("outline", corners);
}

void write_target(hdf5::Group& parent, const TargetResult& t) {
    const std::string& name = t.target.name;
    require(!name.empty() && name != "." && name.find('/') == std::string::npos,
            fmt::format("target '{}': the name cannot be a group of an HDF5 file", name));
    hdf5::Group group = parent.create_group(name);
    write_attributes(group, t, target_columns());
    group.write_attribute("kind", target_kind(t.target));
    group.write_attribute("geometry", geometry_to_json(t.target));
    write_role(group, t.target);
    write_maps(group, t);
    write_incident(group, t);
    write_triangles(group, t);
    write_axes(group, t);
    attach_axes(group);
}

}  // namespace

hdf5::Storage heliostat_map_storage(const hdf5::Shape& shape) {
    constexpr size_t kLongest = 512;
    return {{1, std::min(shape.at(1), kLongest), std::min(shape.at(2), kLongest)}, 4};
}

namespace {

// Writes the maps of single heliostats, one at a time.
void write_heliostat_flux(hdf5::Group& group, const RunResult& result) {
    const auto& heliostats = result.heliostats;
    const bool any = std::any_of(
        heliostats.begin(), heliostats.end(), [](const auto& h) { return !h.flux.empty(); });
    if (!any) return;
    require(!result.targets.empty(), "flux maps of heliostats without a target");
    const size_t height = static_cast<size_t>(result.targets[0].height);
    const size_t width = static_cast<size_t>(result.targets[0].width);

    const hdf5::Shape shape{heliostats.size(), height, width};
    hdf5::Dataset dataset =
        group.create_dataset<float>("flux", shape, heliostat_map_storage(shape));
    annotate(dataset,
             result.targets[0].unit,
             "Flux of each heliostat alone on its target, [heliostat, height, width], laid out as "
             "the targets' flux.");
    for (size_t i = 0; i < heliostats.size(); ++i) {
        // A heliostat without a map has no flux; the dataset already contains 0 there.
        if (heliostats[i].flux.empty()) continue;
        require(heliostats[i].flux.size() == height * width,
                fmt::format("heliostat '{}': its flux map does not fit {} x {} pixels",
                            heliostats[i].name,
                            height,
                            width));
        dataset.write_rows<float>(i, heliostats[i].flux);
        hdf5::give_up_unless_stored();
    }
}

void write_heliostats(hdf5::Group& group, const RunResult& result) {
    Columns<HeliostatResult> columns = heliostat_columns(result);
    write_columns(group, result.heliostats, columns);
    if (result.error_uncertainty > 0.0) {
        group.dataset("target_power_std_error")
            .write_attribute("relative_uncertainty", result.error_uncertainty);
    }
    write_heliostat_flux(group, result);
    attach_axes(group);
}

}  // namespace

namespace {

/// Writes the light on receivers of several surfaces.
void write_receivers(hdf5::Group& root, const RunResult& result) {
    const std::vector<ReceiverResult> receivers = receiver_results(result);
    if (receivers.empty()) return;
    hdf5::Group group = root.create_group(kReceiverGroup);
    for (const ReceiverResult& receiver : receivers) {
        hdf5::Group own = group.create_group(receiver.name);
        write_attributes(own, receiver, receiver_columns());
        if (has_reflection(result)) write_attributes(own, receiver, incident_receiver_columns());
    }
}

}  // namespace

void fill_result(hdf5::Group root, const RunResult& result) {
    write_provenance(root, result.provenance);
    hdf5::Group targets = root.create_group("targets");
    for (const TargetResult& target : result.targets) write_target(targets, target);
    write_receivers(root, result);
    hdf5::Group heliostats = root.create_group("heliostats");
    write_heliostats(heliostats, result);
}

void write_result(const RunResult& result, const std::filesystem::path& path) {
    write_image(path, [&](hdf5::Group root) { fill_result(std::move(root), result); });
}

std::uint64_t estimated_result_bytes(std::int64_t num_targets,
                                     std::int64_t num_heliostats,
                                     std::int64_t bitmap_height,
                                     std::int64_t bitmap_width,
                                     bool per_heliostat) {
    const auto pixels = static_cast<std::uint64_t>(bitmap_height * bitmap_width);
    const auto heliostats = static_cast<std::uint64_t>(num_heliostats);
    constexpr std::uint64_t kFixed = 1 << 16;          // structure, attributes, configuration
    constexpr std::uint64_t kBytesPerHeliostat = 512;  // 34 numbers and two names
    return kFixed + static_cast<std::uint64_t>(num_targets) * (2 * pixels * sizeof(double) + 8192) +
           heliostats * kBytesPerHeliostat +
           (per_heliostat ? heliostats * pixels * sizeof(float) : 0);
}

}  // namespace helioray
