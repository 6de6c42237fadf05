// SPDX-License-Identifier: MIT
// Reads heights from tables, ASCII grids and HDF5.
#include "scenario/inputs/terrain_file.h"

#include "scenario/files/hdf5/file.h"
#include "scenario/files/text_file.h"
#include "scenario/inputs/grid_dataset.h"
#include "scenario/inputs/grid_rows.h"
#include "scenario/inputs/raw_table.h"
#include "scenario/types/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>

namespace helioray {

namespace {

/// Largest coordinate of a map projection, metres.
constexpr double kFarthestOnMap = 5e7;
/// Most points of a grid, 800 MB.
constexpr double kMostPoints = 1e8;

// The following functions read tables.

/// Names of a table's columns for each coordinate.
const std::array<std::vector<std::string>, 3> kCoordinateNames{
    {{"x", "east", "easting", "e"},
     {"y", "north", "northing", "n"},
     {"z", "up", "height", "elevation", "altitude", "u"}}};

/// A column of coordinates.
struct CoordinateColumn {
    size_t cell = 0;
    double factor = 1.0;  ///< converts into metres
};

std::optional<CoordinateColumn> find_column(const RawTable& table,
                                            size_t axis,
                                            std::vector<Problem>& problems) {
    for (const TableHeader& header : table.headers()) {
        if (std::ranges::find(kCoordinateNames[axis], header.name) == kCoordinateNames[axis].end())
            continue;
        CoordinateColumn column{header.cell, 1.0};
        if (header.unit) {
            const auto conversion = find_conversion(*header.unit, "m");
            if (!conversion) {
                problems.push_back({table.where(header),
                                    fmt::format("'{}' is not a unit of length", *header.unit),
                                    "coordinates are lengths",
                                    "use m, km or ft"});
                return std::nullopt;
            }
            column.factor = conversion->factor;
        }
        return column;
    }
    problems.push_back({fmt::format("{}:{}", table.file(), std::max(table.header_line(), 1)),
                        fmt::format("there is no column '{}'", kCoordinateNames[axis].front()),
                        "terrain has points with three coordinates",
                        "name the columns x, y, z or east, north, up; others are ignored"});
    return std::nullopt;
}

std::optional<ValueGrid> read_table(const std::filesystem::path& file,
                                    std::vector<Problem>& problems) {
    const size_t before = problems.size();
    const RawTable table(read_csv(file), problems);
    std::array<CoordinateColumn, 3> columns;
    for (size_t axis = 0; axis < 3; ++axis)
        columns[axis] = find_column(table, axis, problems).value_or(CoordinateColumn{});
    if (problems.size() != before) return std::nullopt;
    std::vector<GridRow> rows;
    for (size_t i = 0; i < table.num_rows(); ++i) {
        const CsvRow& row = table.row(i);
        std::array<double, 3> point{};
        for (size_t axis = 0; axis < 3; ++axis) {
            const std::string& cell = row.cells[columns[axis].cell];
            const auto value = table.number(cell);
            const double metres = columns[axis].factor * value.value_or(0.0);
            const double most = axis == 2 ? kGroundHeights.high : kFarthestOnMap;
            if (!value || !(std::abs(metres) <= most)) {
                problems.push_back({table.where(row, columns[axis].cell),
                                    value ? fmt::format("{} is outside of its range", cell)
                                          : fmt::format("'{}' is not a number", cell),
                                    "it is a coordinate of the ground in metres",
                                    value ? "check its unit" : table.number_advice(cell)});
                // Wrong columns have thousands of rows.
                if (problems.size() > before + 5) return std::nullopt;
            }
            point[axis] = metres;
        }
        rows.push_back(
            {point[0], point[1], point[2], fmt::format("{}:{}", table.file(), row.line)});
    }
    if (problems.size() != before) return std::nullopt;
    return make_grid(rows, file.string(), {"x", "y"}, "heights", problems);
}

// The following functions read ASCII grids: a header of keys and numbers, then rows from north to
// south.

/// Returns the header's numbers by key in lower case; leaves the stream at the first height.
std::map<std::string, double> read_grid_header(std::istringstream& text) {
    std::map<std::string, double> header;
    std::string key;
    while (text >> std::ws && std::isalpha(text.peek())) {
        double value = 0.0;
        if (!(text >> key >> value)) break;
        std::ranges::transform(key, key.begin(), [](unsigned char c) { return std::tolower(c); });
        header[key] = value;
    }
    text.clear();
    return header;
}

/// Returns the first coordinate of an axis, that of the centres of the first cells.
std::optional<double> first_center(const std::map<std::string, double>& header,
                                   const std::string& axis,
                                   double step) {
    if (const auto center = header.find(axis + "llcenter"); center != header.end())
        return center->second;
    if (const auto corner = header.find(axis + "llcorner"); corner != header.end())
        return corner->second + 0.5 * step;
    return std::nullopt;
}

std::optional<ValueGrid> read_ascii_grid(const std::filesystem::path& file,
                                         const std::string& content,
                                         std::vector<Problem>& problems) {
    std::istringstream text(content);
    const auto header = read_grid_header(text);
    const auto fail = [&](const std::string& what, const std::string& advice) {
        problems.push_back({file.string(), what, "it is an ASCII grid of heights", advice});
        return std::nullopt;
    };
    for (const char* key : {"ncols", "nrows", "cellsize"}) {
        const auto found = header.find(key);
        if (found == header.end() || !(found->second > 0.0))
            return fail(fmt::format("{} is missing or not above 0", key),
                        "begin with ncols, nrows, xllcorner, yllcorner and cellsize");
    }
    const double columns = std::floor(header.at("ncols"));
    const double rows = std::floor(header.at("nrows"));
    const double step = header.at("cellsize");
    const auto west = first_center(header, "x", step);
    const auto south = first_center(header, "y", step);
    if (!west || !south)
        return fail("its position is missing",
                    "add xllcorner and yllcorner, or xllcenter and yllcenter");
    if (columns < 2.0 || rows < 2.0 || columns * rows > kMostPoints)
        return fail(fmt::format("has {} columns and {} rows", columns, rows),
                    fmt::format("give at least 2 of each and at most {:g} points", kMostPoints));
    ValueGrid grid;
    const auto fill = [&](std::vector<double>& axis, double first, double count) {
        const auto size = static_cast<size_t>(count);
        for (size_t i = 0; i < size; ++i) axis.push_back(first + static_cast<double>(i) * step);
    };
    fill(grid.x, *west, columns);
    fill(grid.y, *south, rows);
    const auto hole = header.find("nodata_value");
    const double no_data = hole == header.end() ? -9999.0 : hole->second;
    const size_t width = grid.x.size();
    grid.values.resize(width * grid.y.size());
    for (size_t row = grid.y.size(); row-- > 0;) {
        for (size_t column = 0; column < width; ++column) {
            double& height = grid.values[row * width + column];
            if (!(text >> height))
                return fail(
                    fmt::format(
                        "row {} from the north has no number {}", grid.y.size() - row, column + 1),
                    fmt::format("give {} rows of {} numbers", rows, columns));
            if (height == no_data) {
                height = std::numeric_limits<double>::quiet_NaN();
            } else if (!kGroundHeights.contains(height)) {
                return fail(fmt::format("a height of {} m is outside of its range", height),
                            "check its unit, or name the value of holes in NODATA_value");
            }
        }
    }
    if (std::string word; text >> word)
        return fail(fmt::format("has more numbers than its {} rows of {}", rows, columns),
                    "check ncols and nrows");
    if (std::ranges::all_of(grid.values, [](double height) { return std::isnan(height); }))
        return fail("consists of holes", "check NODATA_value");
    return grid;
}

std::optional<ValueGrid> read_heights(const std::filesystem::path& file,
                                      std::vector<Problem>& problems) {
    if (is_hdf5(file)) {
        const hdf5::Group root = hdf5::File::open(file).root();
        return read_grid_dataset(
            root, "height_m", {"east_m", "north_m"}, 1.0, "m", kGroundHeights, problems);
    }
    const std::string text = read_text_file(file, "it holds the heights of the ground");
    const size_t begin = text.find_first_not_of(" \t\r\n");
    constexpr size_t kWord = 5;
    std::string word = begin == std::string::npos ? "" : text.substr(begin, kWord);
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
    return word == "ncols" ? read_ascii_grid(file, text, problems) : read_table(file, problems);
}

}  // namespace

std::shared_ptr<const Terrain> read_terrain_file(const std::filesystem::path& file,
                                                 const std::array<double, 3>& origin,
                                                 std::vector<Problem>& problems) {
    std::optional<ValueGrid> heights = read_heights(file, problems);
    if (!heights) return nullptr;
    for (double& x : heights->x) x -= origin[0];
    for (double& y : heights->y) y -= origin[1];
    for (double& z : heights->values) z -= origin[2];
    return std::make_shared<const Terrain>(std::move(*heights));
}

}  // namespace helioray
