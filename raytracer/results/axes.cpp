// SPDX-License-Identifier: MIT
// Dimension scales of result files.
#include "raytracer/results/axes.h"

#include "raytracer/results/result_columns.h"
#include "raytracer/results/result_layout.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

namespace helioray {

namespace {

using Axes = std::vector<std::string>;

constexpr const char* kStep = "step";
constexpr const char* kHeliostat = "name";
constexpr const char* kMonth = "month";
constexpr const char* kDeclination = "declination";
constexpr const char* kHour = "hour";

struct MadeAxis {
    const char* name;
    const char* description;
    int64_t first = 0;  // number of the first index
};

constexpr const char* kVector = "axis";  // the only axis whose coordinates are words
constexpr std::array kMadeAxes{
    MadeAxis{kStep, "Index of each step of the series."},
    MadeAxis{kVector, "Components of vectors in the world frame."},
    MadeAxis{"row", "Index of the rows of matrices."},
    MadeAxis{"column", "Index of the columns of matrices."},
    MadeAxis{"corner", "Index of the corners of a mirror."},
    MadeAxis{"motor", "Index of the axis that a motor turns."},
    MadeAxis{"pixel_row", "Index of the rows of pixels, from the upper edge."},
    MadeAxis{"pixel_column", "Index of the columns of pixels, from the left edge."},
    MadeAxis{kMonth, "Month of the year.", 1},
    MadeAxis{kDeclination, "Index of the sun's declinations."},
    MadeAxis{kHour, "Index of the hour angles of each declination."},
    MadeAxis{"heliostat", "Index of the heliostats."},
    MadeAxis{"triangle", "Index of the triangles of a mesh, in the order of its file."},
    MadeAxis{"corner", "Index of the corners of a triangle."},
};

/// Returns the axes of columns with several values in a row, by their names.
std::map<std::string, Axes> axes_of_columns() {
    std::map<std::string, Axes> axes{{"monthly_target_energy", {kMonth}}};
    const auto add = [&](const auto& columns) {
        for (const ColumnInfo& column : columns)
            if (!column.axes.empty()) axes.emplace(column.name, column.axes);
    };
    add(heliostat_columns());
    add(pose_columns());
    add(target_columns());
    add(step_columns());
    return axes;
}

/// Returns the axes of a dataset other than those of steps and of the group.
Axes own_axes(const std::string& name, bool is_target) {
    static const std::map<std::string, Axes> kOwn = axes_of_columns();
    if (name == "height_m" || name == "width_m") return {name};
    if (name == "flux" || name == "flux_std_error")
        return is_target ? Axes{"height_m", "width_m"} : Axes{"pixel_row", "pixel_column"};
    if (name == kTrianglesName) return {"triangle", "corner", kVector};
    if (name == "triangle_flux" || name == "triangle_area") return {"triangle"};
    const auto found = kOwn.find(name);
    return found == kOwn.end() ? Axes{} : found->second;
}

hdf5::Dataset made_axis(hdf5::Group& group, const MadeAxis& axis, size_t count) {
    const bool has_words = axis.name == std::string(kVector);
    std::vector<int64_t> indices(has_words ? 0 : count);
    std::iota(indices.begin(), indices.end(), axis.first);
    hdf5::Dataset made = has_words ? group.write_strings(axis.name, {"east", "north", "up"})
                                   : group.write_array<int64_t>(axis.name, indices, {count});
    annotate(made, has_words ? "" : "1", axis.description);
    return made;
}

/// Returns the leading axes of all datasets of a group.
Axes axes_of_group(const hdf5::Group& group) {
    if (group.contains(kHeliostat)) return {kHeliostat};
    if (group.contains("hour_angle_deg")) return {kDeclination, kHour};
    if (group.contains("usable_insolation") || group.contains("monthly_energy")) return {kMonth};
    return {};
}

/// The scales of the axes of a group; each is created when it is requested for the first time.
class Scales {
  public:
    explicit Scales(hdf5::Group group) : group_(std::move(group)) {}

    const hdf5::Dataset& get(const std::string& axis, size_t count) {
        const auto known = scales_.find(axis);
        if (known != scales_.end()) return known->second;
        const auto made = std::find_if(kMadeAxes.begin(), kMadeAxes.end(), [&](const auto& info) {
            return info.name == axis;
        });
        hdf5::Dataset scale =
            made == kMadeAxes.end() ? group_.dataset(axis) : made_axis(group_, *made, count);
        scale.become_scale(axis);
        return scales_.emplace(axis, std::move(scale)).first->second;
    }

  private:
    hdf5::Group group_;
    std::map<std::string, hdf5::Dataset> scales_;
};

}  // namespace

void attach_axes(const hdf5::Group& group) {
    const bool is_target = group.contains("height_m");
    const Axes first = axes_of_group(group);
    const bool is_sky = !first.empty() && first.front() == kDeclination;
    Scales scales(group);
    for (const std::string& name : group.names()) {
        hdf5::Dataset dataset = group.dataset(name);
        Axes axes = own_axes(name, is_target);
        if (is_sky && name == "efficiency") axes = {"heliostat"};
        axes.insert(axes.begin(), first.begin(), first.end());
        // Datasets of series have an additional axis of steps.
        if (dataset.shape().size() > axes.size()) axes.insert(axes.begin(), kStep);
        for (size_t i = 0; i < axes.size(); ++i) {
            const hdf5::Dataset& scale = scales.get(axes[i], dataset.shape()[i]);
            if (axes[i] != name) dataset.attach_scale(i, scale);
        }
    }
}

bool is_made_axis(const std::string& name) {
    return std::any_of(
        kMadeAxes.begin(), kMadeAxes.end(), [&](const auto& info) { return info.name == name; });
}

}  // namespace helioray
