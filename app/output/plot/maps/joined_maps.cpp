// SPDX-License-Identifier: MIT
// Joins the flux maps of neighbouring panels of a receiver to one map.
#include "app/output/plot/maps/joined_maps.h"

#include "app/output/plot/maps/mesh_view.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace helioray {

namespace {

/// Returns the name without its number at the end: "tower_panel" for "tower_panel_01".
std::string name_of_row(const std::string& name) {
    size_t end = name.size();
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') --end;
    if (end == name.size() || end < 2 || name[end - 1] != '_') return name;
    return name.substr(0, end - 1);
}

/// Properties that joined maps have in common; lengths in micrometres, to allow for rounding.
auto common_properties(const TargetResult& t) {
    const auto [width, height] = surface_extent(t.target);
    const double up =
        std::visit([](const auto& shape) { return shape.center[2]; }, t.target.geometry);
    const auto micrometres = [](double metres) { return std::llround(1e6 * metres); };
    return std::tuple(name_of_row(t.target.name),
                      t.target.geometry.index(),
                      t.target.outline.empty(),
                      micrometres(width),
                      micrometres(height),
                      micrometres(up),
                      t.width,
                      t.height,
                      t.unit);
}

}  // namespace

TargetResult join_row(const std::vector<const TargetResult*>& parts) {
    const TargetResult& middle = *parts[parts.size() / 2];
    const auto [width, height] = surface_extent(middle.target);
    const auto count = static_cast<int64_t>(parts.size());
    TargetResult joined = middle;
    joined.target.name = name_of_row(middle.target.name);
    joined.target.geometry = std::visit(
        [&, &w = width, &h = height](const auto& shape) {
            Vec3 normal{0.0, 0.0, 1.0};
            // Rows consist of flat panels.
            if constexpr (requires { shape.normal; }) normal = shape.normal;
            return PlanarTarget{shape.center, normal, static_cast<double>(count) * w, h};
        },
        middle.target.geometry);
    joined.width = count * middle.width;
    joined.power_w = joined.power_std_error_w = 0.0;
    joined.centroid_m = {};
    for (std::vector<double> TargetResult::*map :
         {&TargetResult::flux, &TargetResult::flux_std_error, &TargetResult::flux_noise}) {
        std::vector<double>& values = joined.*map;
        values.clear();
        const bool is_known = std::ranges::all_of(
            parts, [&](const TargetResult* part) { return !(part->*map).empty(); });
        if (!is_known) continue;
        values.reserve(static_cast<size_t>(joined.width * joined.height));
        for (int64_t row = 0; row < joined.height; ++row)
            for (const TargetResult* part : parts) {
                const auto begin = (part->*map).begin() + row * part->width;
                values.insert(values.end(), begin, begin + part->width);
            }
    }
    for (const TargetResult* part : parts) {
        joined.power_w += part->power_w;
        joined.power_std_error_w = std::hypot(joined.power_std_error_w, part->power_std_error_w);
        joined.centroid_m = add_scaled(joined.centroid_m, part->power_w, part->centroid_m);
        joined.peak_pixel_w_m2 = std::max(joined.peak_pixel_w_m2, part->peak_pixel_w_m2);
        if (!(part->peak_flux_w_m2 > joined.peak_flux_w_m2)) continue;
        joined.peak_flux_w_m2 = part->peak_flux_w_m2;
        joined.peak_flux_std_error_w_m2 = part->peak_flux_std_error_w_m2;
        joined.peak_area_m2 = part->peak_area_m2;
    }
    if (joined.power_w > 0.0) joined.centroid_m = scaled(1.0 / joined.power_w, joined.centroid_m);
    return joined;
}

std::vector<std::vector<std::size_t>> joined_targets(const RunResult& result) {
    std::vector<std::vector<std::size_t>> maps;
    for (std::size_t i = 0; i < result.targets.size(); ++i)
        if (result.targets[i].target.receiver.empty()) maps.push_back({i});
    for (const ReceiverResult& receiver : receiver_results(result)) {
        std::map<decltype(common_properties(result.targets[0])), std::size_t> known;
        for (const std::size_t index : receiver.surfaces) {
            if (std::holds_alternative<MeshTarget>(result.targets[index].target.geometry)) {
                maps.push_back({index});
                continue;
            }
            const auto [row, is_new] =
                known.emplace(common_properties(result.targets[index]), maps.size());
            if (is_new) maps.emplace_back();
            maps[row->second].push_back(index);
        }
    }
    return maps;
}

std::vector<std::shared_ptr<const TargetResult>> joined_maps(const RunResult& result) {
    using Map = std::shared_ptr<const TargetResult>;
    std::vector<Map> maps;
    for (const std::vector<std::size_t>& row : joined_targets(result)) {
        if (row.size() == 1 && is_mesh(result.targets[row.front()])) {
            maps.push_back(
                std::make_shared<const TargetResult>(make_mesh_view(result.targets[row.front()])));
            continue;
        }
        if (row.size() == 1) {
            maps.emplace_back(Map(), &result.targets[row.front()]);
            continue;
        }
        std::vector<const TargetResult*> parts;
        for (const std::size_t index : row) parts.push_back(&result.targets[index]);
        maps.push_back(std::make_shared<const TargetResult>(join_row(parts)));
    }
    return maps;
}

}  // namespace helioray
