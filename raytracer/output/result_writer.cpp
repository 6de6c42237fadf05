// SPDX-License-Identifier: MIT
// Writing of result files.
#include "raytracer/output/geometry_json.h"
#include "raytracer/output/hdf5_image.h"
#include "raytracer/output/origin_attributes.h"
#include "raytracer/output/result_file.h"
#include "raytracer/output/result_parts.h"
#include "scenario/error.h"
#include "scenario/hdf5/group.h"

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
    root.write_attribute("world_size", p.world_size);
    root.write_attribute("backend", p.backend);
    root.write_attribute("device", p.device);
    root.write_attribute("launcher", p.launcher);
    root.write_attribute("sun_direction",
                         std::vector<double>(p.sun_direction.begin(), p.sun_direction.end()));
}

namespace {

// Centres of `count` pixels that tile `extent` metres, ascending from the negative edge.
std::vector<double> pixel_centres(int64_t count, double extent) {
    std::vector<double> centres(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
        centres[static_cast<size_t>(i)] =
            ((static_cast<double>(i) + 0.5) / static_cast<double>(count) - 0.5) * extent;
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
    annotate(group.write_array<double>("flux", t.flux, shape),
             t.unit,
             "Flux incident on the target, [height, width]. Row 0 is the top edge, column 0 the "
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

void write_target(hdf5::Group& parent, const TargetResult& t) {
    const std::string& name = t.target.name;
    require(!name.empty() && name != "." && name.find('/') == std::string::npos,
            fmt::format("target '{}': the name cannot be a group of an HDF5 file", name));
    hdf5::Group group = parent.create_group(name);
    group.write_attribute("power_w", t.power_w);
    group.write_attribute("power_std_error_w", t.power_std_error_w);
    group.write_attribute("peak_flux_w_m2", t.peak_flux_w_m2);
    group.write_attribute("centroid_m",
                          std::vector<double>(t.centroid_m.begin(), t.centroid_m.end()));
    group.write_attribute("kind", target_kind(t.target));
    group.write_attribute("geometry", geometry_to_json(t.target));
    write_maps(group, t);
    write_axes(group, t);
}

}  // namespace

void fill_result(hdf5::Group root, const RunResult& result) {
    write_provenance(root, result.provenance);
    hdf5::Group targets = root.create_group("targets");
    for (const TargetResult& target : result.targets) write_target(targets, target);
    hdf5::Group heliostats = root.create_group("heliostats");
    write_heliostats(heliostats, result);
}

namespace {

std::vector<std::byte> result_image(const RunResult& result, const std::string& name) {
    try {
        return hdf5_image(name, [&](hdf5::Group root) { fill_result(std::move(root), result); });
    } catch (const InputError& error) {
        // The run's input was fine; what fails here is memory or this program.
        throw std::runtime_error(error.what());
    }
}

}  // namespace

void write_result(const RunResult& result, const std::filesystem::path& path) {
    const std::vector<std::byte> image = result_image(result, path.string());
    AtomicFile file(path);
    file.write(image);
    file.commit();
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
