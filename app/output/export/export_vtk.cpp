// SPDX-License-Identifier: MIT
// Writes VTK's XML files: their syntax, targets as grids, mirrors as polygons.
#include "app/output/export/export_files.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/job/mirror_outline.h"
#include "scenario/files/text_encoding.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace helioray {

namespace {

// The XML is written by hand: a document library would store every array once more as text, and
// would only save the escaping of names.

static_assert(std::endian::native == std::endian::little, "the files say LittleEndian");

// Returns the number of bytes and the bytes, together as base64.
template <typename T>
std::string inline_data(const std::vector<T>& values) {
    const std::uint64_t size = values.size() * sizeof(T);
    std::string bytes(sizeof(size) + size, '\0');
    std::memcpy(bytes.data(), &size, sizeof(size));
    if (size > 0) std::memcpy(bytes.data() + sizeof(size), values.data(), size);
    return base64(bytes);
}

template <typename T>
std::string number_array(const char* type,
                         const std::string& name,
                         const std::vector<T>& values,
                         int components) {
    std::string array = fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">",
        type,
        markup_text(name),
        components);
    array += inline_data(values);
    return array += "</DataArray>\n";
}

/// Returns the whole file with its content; `type` is VTK's name ("StructuredGrid"). Here and below
/// large texts are joined without fmt, whose buffer would contain them once more.
std::string vtk_file(const std::string& type, const std::string& content) {
    std::string file = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n",
        type);
    const std::string end = "</VTKFile>\n";
    file.reserve(file.size() + content.size() + end.size());
    file += content;
    return file += end;
}

std::string data_array(const std::string& name,
                       const std::vector<double>& values,
                       int components = 1) {
    return number_array("Float64", name, values, components);
}

std::string data_array(const std::string& name, const std::vector<std::int64_t>& values) {
    return number_array("Int64", name, values, 1);
}

std::string data_array(const std::string& name, const std::vector<std::string>& values) {
    // VTK stores strings as character codes, with a 0 after each string.
    std::string codes;
    for (const std::string& value : values) {
        for (const char c : valid_utf8(value)) {
            codes += fmt::format("{} ", static_cast<int>(static_cast<unsigned char>(c)));
        }
        codes += "0\n";
    }
    return fmt::format(
        "<DataArray type=\"String\" Name=\"{}\" NumberOfComponents=\"1\" NumberOfTuples=\"{}\" "
        "format=\"ascii\">\n{}</DataArray>\n",
        markup_text(name),
        values.size(),
        codes);
}

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
    std::vector<double> points;
    std::vector<int64_t> connectivity;
    std::vector<int64_t> offsets;
    const auto add_point = [&](const Vec3& point) {
        connectivity.push_back(static_cast<int64_t>(points.size() / 3));
        points.insert(points.end(), point.begin(), point.end());
    };
    for (const HeliostatResult& h : result.heliostats) {
        if (outlines) {
            for (const Vec3& corner : outline_in_field(h)) add_point(corner);
        } else {
            add_point(mirror_origin(h));
        }
        offsets.push_back(static_cast<int64_t>(connectivity.size()));
    }
    const size_t count = result.heliostats.size();
    const std::string kind = outlines ? "Polys" : "Verts";
    return vtk_file(
        "PolyData",
        fmt::format("<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" "
                    "NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n"
                    "<CellData Scalars=\"efficiency\">\n{}</CellData>\n<Points>\n{}</Points>\n"
                    "<{}>\n{}{}</{}>\n</Piece>\n</PolyData>\n",
                    points.size() / 3,
                    outlines ? 0 : count,
                    outlines ? count : 0,
                    heliostat_cells(result),
                    data_array("points", points, 3),
                    kind,
                    data_array("connectivity", connectivity),
                    data_array("offsets", offsets),
                    kind));
}

}  // namespace

namespace {

/// Returns the files of a result; `suffix` follows the names before their extensions.
std::vector<ExportFile> make_files(const RunResult& result, const std::string& suffix) {
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
        add(t.target.name, "target_" + names[i] + suffix + ".vts", target_vts(t));
    }
    add("heliostats", "heliostats" + suffix + ".vtp", heliostats_vtp(result));
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

std::vector<ExportFile> vtk_files(const RunResult& result) {
    return make_files(result, "");
}

std::vector<ExportFile> vtk_files(const SeriesResult& series, const RunResult& step, size_t index) {
    return make_files(step, step_suffix(series, index));
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
