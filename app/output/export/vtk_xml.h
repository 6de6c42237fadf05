// SPDX-License-Identifier: MIT
// The syntax of VTK's XML files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace helioray {

/// Returns a whole file with its content; `type` is VTK's name ("StructuredGrid").
std::string vtk_file(const std::string& type, const std::string& content);

/// @{
/// Returns an array with the values of all points or cells, `components` for each. Text that is not
/// UTF-8 is replaced.
std::string data_array(const std::string& name,
                       const std::vector<double>& values,
                       int components = 1);
std::string data_array(const std::string& name, const std::vector<std::int64_t>& values);
std::string data_array(const std::string& name, const std::vector<std::string>& values);
/// @}

/// Points, and cells that are lists of points.
struct PolyData {
    std::vector<double> points;              ///< coordinates, metres: x, y, z of each point
    std::vector<std::int64_t> connectivity;  ///< points of all cells
    std::vector<std::int64_t> offsets;       ///< end of each cell in `connectivity`

    /// Adds a point to the cell that the next end_cell() ends.
    template <typename Point>
    void add_point(const Point& point) {
        connectivity.push_back(static_cast<std::int64_t>(points.size() / 3));
        points.insert(points.end(), point.begin(), point.end());
    }
    /// Ends a cell.
    void end_cell() { offsets.push_back(static_cast<std::int64_t>(connectivity.size())); }
};

/// Returns a file of polygons, lines or points. `kind` is VTK's name: "Polys", "Lines" or "Verts";
/// cell_data: arrays of the cells; scalars: the one that programs show first.
std::string poly_data_file(const PolyData& data,
                           const std::string& kind,
                           const std::string& scalars,
                           const std::string& cell_data);

}  // namespace helioray
