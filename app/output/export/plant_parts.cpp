// SPDX-License-Identifier: MIT
// Writes bodies as polygons and rays as lines.
#include "app/output/export/plant_parts.h"

#include "app/output/export/vtk_xml.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/tracing/geometry/body_mesh.h"
#include "raytracer/tracing/job/mirror_outline.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace helioray {

std::string bodies_vtp(const std::vector<ObstacleConfig>& bodies) {
    PolyData data;
    std::vector<std::string> names;
    std::vector<std::int64_t> indices;
    for (const ObstacleConfig& body : bodies) {
        for (const std::vector<Vec3>& face : body_faces(body)) {
            for (const Vec3& corner : face) data.add_point(corner);
            data.end_cell();
            indices.push_back(static_cast<std::int64_t>(&body - bodies.data()));
            names.push_back(body.name);
        }
    }
    return poly_data_file(
        data, "Polys", "body", data_array("body", indices) + data_array("name", names));
}

std::string terrain_vtp(const Terrain& terrain) {
    const ValueGrid& grid = terrain.heights();
    const std::size_t columns = grid.x.size();
    PolyData data;
    std::vector<double> heights;
    for (std::size_t j = 0; j < grid.y.size(); ++j)
        for (std::size_t i = 0; i < columns; ++i) {
            const double height = grid.values[j * columns + i];
            // Points in holes belong to no triangle.
            const Vec3 point{grid.x[i], grid.y[j], std::isfinite(height) ? height : 0.0};
            data.points.insert(data.points.end(), point.begin(), point.end());
        }
    const auto add_triangle = [&](const std::array<std::size_t, 3>& corners) {
        double mean = 0.0;
        for (const std::size_t corner : corners) mean += grid.values[corner] / 3.0;
        if (!std::isfinite(mean)) return;
        for (const std::size_t corner : corners)
            data.connectivity.push_back(static_cast<std::int64_t>(corner));
        data.end_cell();
        heights.push_back(mean);
    };
    for (std::size_t j = 0; j + 1 < grid.y.size(); ++j)
        for (std::size_t i = 0; i + 1 < columns; ++i) {
            const std::size_t south_west = j * columns + i, north_east = south_west + columns + 1;
            add_triangle({south_west, south_west + 1, north_east});
            add_triangle({south_west, north_east, north_east - 1});
        }
    return poly_data_file(data, "Polys", "height_m", data_array("height_m", heights));
}

std::string facets_vtp(const RunResult& result, const PlantParts& parts) {
    if (std::ranges::none_of(parts.mirrors,
                             [](const auto& mirror) { return has_outlines(*mirror); }))
        return "";
    PolyData data;
    std::vector<std::int64_t> heliostats;
    std::vector<std::string> heliostat_names;
    std::vector<std::string> names;
    std::vector<double> efficiencies;
    for (std::size_t i = 0; i < parts.mirrors.size(); ++i) {
        const HeliostatResult& heliostat = result.heliostats[i];
        for (const Facet& facet : parts.mirrors[i]->facets) {
            for (const std::vector<Vec3>& polygon : facet_polygons(facet)) {
                for (const Vec3& corner : polygon)
                    data.add_point(point_in_field(heliostat, corner));
                data.end_cell();
                heliostats.push_back(static_cast<std::int64_t>(i));
                heliostat_names.push_back(heliostat.name);
                names.push_back(facet.name);
                efficiencies.push_back(heliostat_quantities().front().value(heliostat));
            }
        }
    }
    return poly_data_file(
        data,
        "Polys",
        "efficiency",
        data_array("efficiency", efficiencies) + data_array("heliostat", heliostats) +
            data_array("heliostat_name", heliostat_names) + data_array("name", names));
}

std::string rays_vtp(const RunResult& result, const PlantParts& parts) {
    PolyData data;
    std::vector<std::int64_t> reasons;
    std::vector<std::string> reason_names;
    std::vector<std::int64_t> heliostats;
    std::vector<std::string> heliostat_names;
    std::vector<double> shares;
    std::vector<double> powers;
    std::vector<std::int64_t> reflections;
    for (const TracedPath& ray : parts.rays) {
        const bool is_shaded = ray.end == kernels::RayEnd::shaded;
        data.add_point(
            add_scaled(is_shaded ? ray.end_point : ray.mirror, parts.sun_length, ray.to_sun));
        if (!is_shaded) data.add_point(ray.mirror);
        for (const Vec3& point : ray.reflections) data.add_point(point);
        data.add_point(ray.end_point);
        data.end_cell();
        reasons.push_back(static_cast<std::int64_t>(ray.end));
        reason_names.emplace_back(ray_end_info(ray.end).name);
        heliostats.push_back(static_cast<std::int64_t>(ray.heliostat));
        heliostat_names.push_back(result.heliostats[ray.heliostat].name);
        shares.push_back(ray.share);
        powers.push_back(ray.power_w);
        reflections.push_back(std::ssize(ray.reflections));
    }
    return poly_data_file(data,
                          "Lines",
                          "reason",
                          data_array("reason", reasons) + data_array("power_w", powers) +
                              data_array("share", shares) + data_array("heliostat", heliostats) +
                              data_array("reflections", reflections) +
                              data_array("reason_name", reason_names) +
                              data_array("heliostat_name", heliostat_names));
}

}  // namespace helioray
