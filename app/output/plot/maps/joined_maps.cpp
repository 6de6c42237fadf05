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

/// Names the rows of several targets, each of which has the name of its first target so far.
void name_rows(std::vector<TargetRow>& rows, const RunResult& result) {
    std::map<std::string, int> uses;
    for (const TargetRow& row : rows)
        if (row.targets.size() > 1) ++uses[name_of_row(row.name)];
    for (TargetRow& row : rows) {
        if (row.targets.size() == 1) continue;
        const std::string name = name_of_row(row.name);
        if (uses[name] == 1) {
            row.name = name;
            continue;
        }
        const std::string& last = result.targets[row.targets.back()].target.name;
        row.name += " to " + last.substr(name.size() + 1);
    }
}

}  // namespace

TargetResult join_row(const std::vector<const TargetResult*>& parts) {
    const TargetResult& middle = *parts[parts.size() / 2];
    const auto [width, height] = surface_extent(middle.target);
    const auto count = static_cast<int64_t>(parts.size());
    TargetResult joined = middle;
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

std::vector<TargetRow> joined_targets(const RunResult& result) {
    std::vector<TargetRow> rows;
    const auto add_single = [&](std::size_t index) {
        rows.push_back({result.targets[index].target.name, {index}});
    };
    for (std::size_t i = 0; i < result.targets.size(); ++i)
        if (result.targets[i].target.receiver.empty()) add_single(i);
    for (const ReceiverResult& receiver : receiver_results(result)) {
        std::map<decltype(common_properties(result.targets[0])), std::size_t> known;
        for (const std::size_t index : receiver.surfaces) {
            if (is_mesh(result.targets[index])) {
                add_single(index);
                continue;
            }
            const auto [row, is_new] =
                known.emplace(common_properties(result.targets[index]), rows.size());
            if (is_new)
                add_single(index);
            else
                rows[row->second].targets.push_back(index);
        }
    }
    name_rows(rows, result);
    return rows;
}

std::vector<std::shared_ptr<const TargetResult>> joined_maps(const RunResult& result) {
    using Map = std::shared_ptr<const TargetResult>;
    std::vector<Map> maps;
    for (const TargetRow& row : joined_targets(result)) {
        const TargetResult& first = result.targets[row.targets.front()];
        if (row.targets.size() == 1) {
            maps.push_back(is_mesh(first)
                               ? std::make_shared<const TargetResult>(make_mesh_view(first))
                               : Map(Map(), &first));
            continue;
        }
        std::vector<const TargetResult*> parts;
        for (const std::size_t index : row.targets) parts.push_back(&result.targets[index]);
        TargetResult joined = join_row(parts);
        joined.target.name = row.name;
        maps.push_back(std::make_shared<const TargetResult>(std::move(joined)));
    }
    return maps;
}

}  // namespace helioray
