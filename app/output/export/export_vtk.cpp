// SPDX-License-Identifier: MIT
// Writes targets as grids and mirrors as polygons in VTK's XML files.
#include "app/output/export/export_files.h"
#include "app/output/export/plant_parts.h"
#include "app/output/export/vtk_xml.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/job/mirror_outline.h"
#include "scenario/files/text_encoding.h"
#include "scenario/types/receivers.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

namespace {

// Returns the corners of the pixels, starting at the lower left, so that the cells' normals point
// to the observer.
std::vector<double> grid_points(const TargetResult& t) {
    const auto [width, height] = surface_extent(t.target);
    std::vector<double> points;
    points.reserve(static_cast<size_t>(3 * (t.width + 1) * (t.height + 1)));
    for (int64_t i = 0; i <= t.height; ++i) {
        const double y = (static_cast<double>(i) / static_cast<double>(t.height) - 0.5) * height;
        for (int64_t j = 0; j <= t.width; ++j) {
            const double x = (static_cast<double>(j) / static_cast<double>(t.width) - 0.5) * width;
            const Vec3 point = surface_point(t.target, x, y);
            points.insert(points.end(), point.begin(), point.end());
        }
    }
    return points;
}

// Returns the map with its rows ordered from the bottom to the top.
std::vector<double> upwards(const TargetResult& t, const std::vector<double>& map) {
    std::vector<double> flipped;
    flipped.reserve(map.size());
    for (int64_t i = t.height; i-- > 0;) {
        const auto row = map.begin() + static_cast<std::ptrdiff_t>(i * t.width);
        flipped.insert(flipped.end(), row, row + static_cast<std::ptrdiff_t>(t.width));
    }
    return flipped;
}

std::string target_vts(const TargetResult& t) {
    const auto [width, height] = surface_extent(t.target);
    const double area = width * height / static_cast<double>(t.width * t.height);
    const std::vector<double> flux = upwards(t, t.flux);
    std::vector<double> power = flux;
    // Bitmaps of model artist contain a value per pixel, not per area.
    const bool per_area = t.unit == "W/m2";
    if (per_area) std::for_each(power.begin(), power.end(), [&](double& p) { p *= area; });
    const std::string name = per_area ? "flux_w_m2" : t.unit == "W" ? "power_w" : "weight";
    const std::string error_name = per_area ? "flux_std_error_w_m2" : name + "_std_error";

    std::string grid = fmt::format(
        "<StructuredGrid WholeExtent=\"0 {0} 0 {1} 0 0\">\n"
        "<Piece Extent=\"0 {0} 0 {1} 0 0\">\n"
        "<CellData Scalars=\"{2}\">\n",
        t.width,
        t.height,
        name);
    grid += data_array(name, flux);
    grid += data_array(error_name, upwards(t, std_errors(t)));
    if (per_area) grid += data_array("power_w", power);
    grid += data_array("area_m2", std::vector<double>(flux.size(), area));
    grid += "</CellData>\n<Points>\n";
    grid += data_array("points", grid_points(t), 3);
    return vtk_file("StructuredGrid", grid += "</Points>\n</Piece>\n</StructuredGrid>\n");
}

/// Returns the triangles of a mesh as polygons with their flux.
std::string mesh_vtp(const TargetResult& t, const MeshTarget& mesh) {
    PolyData data;
    const std::vector<double> corners = triangle_corners(mesh);
    for (size_t i = 0; i < corners.size(); i += 3) {
        data.add_point(Vec3{corners[i], corners[i + 1], corners[i + 2]});
        if (i % 9 == 6) data.end_cell();
    }
    const auto count = static_cast<std::ptrdiff_t>(num_triangles(mesh));
    const auto of_triangles = [&](const std::vector<double>& map) {
        return std::vector<double>(map.begin(), map.begin() + count);
    };
    const std::vector<double> areas = triangle_areas(mesh);
    std::vector<double> power = of_triangles(t.flux);
    for (size_t i = 0; i < power.size(); ++i) power[i] *= areas[i];
    return poly_data_file(data,
                          "Polys",
                          "flux_w_m2",
                          data_array("flux_w_m2", of_triangles(t.flux)) +
                              data_array("flux_std_error_w_m2", of_triangles(std_errors(t))) +
                              data_array("power_w", power) + data_array("area_m2", areas));
}

std::string heliostat_cells(const RunResult& result) {
    std::vector<std::string> names;
    std::vector<std::string> targets;
    std::vector<double> normals;
    std::vector<double> aim_points;
    std::vector<int64_t> rays;
    for (const HeliostatResult& h : result.heliostats) {
        names.push_back(h.name);
        targets.push_back(h.target);
        for (const size_t k : {2U, 6U, 10U}) normals.push_back(h.orientation[k]);
        aim_points.insert(aim_points.end(), h.aim_point.begin(), h.aim_point.end());
        rays.push_back(h.rays);
    }
    Columns<HeliostatResult> columns = heliostat_columns(result);
    columns.insert(columns.begin(),
                   derived_column<HeliostatResult>({.name = "efficiency", .unit = "1"},
                                                   heliostat_quantities().front().value));
    std::string cells;
    for (const Column<HeliostatResult>& column : columns) {
        if (!is_number(column)) continue;
        cells +=
            data_array(csv_headers(column).at(0),
                       std::get<std::vector<double>>(collect_values(result.heliostats, column)));
    }
    return cells + data_array("normal", normals, 3) + data_array("aim_point_m", aim_points, 3) +
           data_array("rays", rays) + data_array("name", names) + data_array("target", targets);
}

std::string heliostats_vtp(const RunResult& result) {
    const bool outlines = std::all_of(result.heliostats.begin(),
                                      result.heliostats.end(),
                                      [](const auto& h) { return h.mirror_outline.has_value(); });
    PolyData data;
    for (const HeliostatResult& h : result.heliostats) {
        if (outlines) {
            for (const Vec3& corner : outline_in_field(h)) data.add_point(corner);
        } else {
            data.add_point(mirror_origin(h));
        }
        data.end_cell();
    }
    return poly_data_file(
        data, outlines ? "Polys" : "Verts", "efficiency", heliostat_cells(result));
}

}  // namespace

namespace {

/// Returns the files of a result; `suffix` follows the names before their extensions.
std::vector<ExportFile> make_files(const RunResult& result,
                                   const PlantParts& parts,
                                   const std::string& suffix) {
    std::vector<ExportFile> files;
    std::string blocks;
    const auto add = [&](const std::string& block, const std::string& name, std::string content) {
        blocks += fmt::format("<DataSet index=\"{}\" name=\"{}\" file=\"{}\"/>\n",
                              files.size(),
                              markup_text(valid_utf8(block)),
                              markup_text(name));
        files.push_back({name, std::move(content)});
    };
    const std::vector<std::string> names = target_file_names(result);
    for (size_t i = 0; i < result.targets.size(); ++i) {
        const TargetResult& t = result.targets[i];
        const std::string name = "target_" + names[i] + suffix;
        if (const MeshTarget* mesh = find_triangles(t.target))
            add(t.target.name, name + ".vtp", mesh_vtp(t, *mesh));
        else
            add(t.target.name, name + ".vts", target_vts(t));
    }
    add("heliostats", "heliostats" + suffix + ".vtp", heliostats_vtp(result));
    if (std::string facets = facets_vtp(result, parts); !facets.empty())
        add("facets", "facets" + suffix + ".vtp", std::move(facets));
    if (!parts.bodies.empty()) add("bodies", "bodies" + suffix + ".vtp", bodies_vtp(parts.bodies));
    if (parts.ground) add("terrain", "terrain" + suffix + ".vtp", terrain_vtp(*parts.ground));
    if (!parts.rays.empty()) add("rays", "rays" + suffix + ".vtp", rays_vtp(result, parts));
    files.push_back({"result" + suffix + ".vtm",
                     vtk_file("vtkMultiBlockDataSet",
                              "<vtkMultiBlockDataSet>\n" + blocks + "</vtkMultiBlockDataSet>\n")});
    return files;
}

/// Returns "_0003", with as many digits as the last step needs, at least four.
std::string step_suffix(const SeriesResult& series, size_t step) {
    const size_t digits = std::max<size_t>(4, std::to_string(series.steps.size() - 1).size());
    return fmt::format("_{:0{}}", step, digits);
}

/// Returns the time of each step in seconds after the first one; the numbers of the steps where a
/// step has no time.
std::vector<double> step_times(const SeriesResult& series) {
    std::vector<double> times;
    for (const SeriesStep& step : series.steps) {
        const IsoTime time = parse_iso_time(step.time);
        if (!time.error.empty()) break;
        times.push_back(static_cast<double>(milliseconds_of(time.normalised)) / 1e3);
    }
    const bool has_times = times.size() == series.steps.size();
    const double first = has_times ? times.front() : 0.0;
    times.resize(series.steps.size());
    for (size_t i = 0; i < times.size(); ++i)
        times[i] = has_times ? times[i] - first : static_cast<double>(i);
    return times;
}

}  // namespace

std::vector<ExportFile> vtk_files(const RunResult& result, const PlantParts& parts) {
    return make_files(result, parts, "");
}

std::vector<ExportFile> vtk_files(const SeriesResult& series,
                                  const RunResult& step,
                                  size_t index,
                                  const PlantParts& parts) {
    return make_files(step, parts, step_suffix(series, index));
}

ExportFile vtk_collection(const SeriesResult& series) {
    const std::vector<double> times = step_times(series);
    std::string steps;
    for (size_t i = 0; i < times.size(); ++i)
        steps += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"result{}.vtm\"/>\n",
                             times[i],
                             step_suffix(series, i));
    return {"series.pvd", vtk_file("Collection", "<Collection>\n" + steps + "</Collection>\n")};
}

}  // namespace helioray
