// SPDX-License-Identifier: MIT
// Creates markup and data of the view in three dimensions. plant_view.js draws it with WebGL alone:
// a library such as three.js would add 600 kB to every page.
#include "app/output/report/plant_view.h"

#include "app/output/plot/drawing/colors.h"
#include "app/output/plot/drawing/flux_image.h"
#include "app/output/plot/maps/mesh_view.h"
#include "raytracer/tracing/geometry/body_mesh.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/job/mirror_outline.h"
#include "scenario/files/text_encoding.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

namespace helioray {

namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "browsers read little-endian numbers");

constexpr const char* kSection = R"(<section id="plant">
<h2>Plant</h2>
<noscript><p>The view of the plant needs JavaScript.</p></noscript>
<div class="controls screen" id="view-controls">
<label>Mirrors by <select id="view-quantity"></select></label>
<button type="button" id="view-reset">Reset</button><button type="button" id="view-above">From above</button>
</div>
<div id="view" class="card">
<canvas id="view-canvas" tabindex="0" role="img" aria-describedby="view-help" aria-label="The plant in three dimensions"></canvas>
<div id="view-labels" aria-hidden="true"></div><div id="view-tip"></div>
<div id="view-legend"></div>
<p id="view-help" class="quiet screen">Drag or arrow keys turn, wheel (after a click), pinch or + and - zoom, Shift moves, Home resets.</p>
</div>
</section>
)";

std::string encode(const std::vector<float>& numbers) {
    return base64(
        std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)));
}

void append(std::vector<float>& numbers, const Vec3& point) {
    for (const double x : point) numbers.push_back(static_cast<float>(x));
}

/// Returns centre, half of the width and half of the height of each mirror, as vectors in metres.
std::vector<float> mirror_numbers(const RunResult& result) {
    std::vector<float> numbers;
    numbers.reserve(9 * result.heliostats.size());
    for (const HeliostatResult& heliostat : result.heliostats) {
        const auto corners = outline_in_field(heliostat);
        append(numbers, scaled(0.5, add(corners[0], corners[2])));
        append(numbers, scaled(0.5, subtract(corners[1], corners[0])));
        append(numbers, scaled(0.5, subtract(corners[3], corners[0])));
    }
    return numbers;
}

/// Facets of mirrors that are not rectangles, as triangles.
struct FacetTriangles {
    std::vector<float> corners;       ///< metres, x, y, z of each corner
    json heliostats = json::array();  ///< number of triangles of each heliostat; 0: a rectangle
};

FacetTriangles facet_triangles(const RunResult& result, const Surroundings& surroundings) {
    FacetTriangles found;
    const auto& mirrors = surroundings.mirrors;
    if (std::ranges::none_of(mirrors, [](const auto& mirror) { return has_outlines(*mirror); }))
        return found;
    for (size_t i = 0; i < mirrors.size(); ++i) {
        int64_t count = 0;
        const HeliostatResult& heliostat = result.heliostats[i];
        if (has_outlines(*mirrors[i])) {
            for (const Facet& facet : mirrors[i]->facets) {
                for (const std::vector<Vec3>& polygon : facet_polygons(facet)) {
                    for (size_t k = 2; k < polygon.size(); ++k, ++count)
                        for (const size_t corner : {size_t{0}, k - 1, k})
                            append(found.corners, point_in_field(heliostat, polygon[corner]));
                }
            }
        }
        found.heliostats.push_back(count);
    }
    return found;
}

/// A place on the unrolled surface of a target, metres to the right and up.
using Place = std::array<double, 2>;

/// Returns the corners of a flat shape, anticlockwise for an observer who faces it.
std::vector<Place> rim_corners(const PlanarTarget& plane) {
    const auto [width, height] = shape_extent(plane);
    return {{-0.5 * width, -0.5 * height},
            {0.5 * width, -0.5 * height},
            {0.5 * width, 0.5 * height},
            {-0.5 * width, 0.5 * height}};
}
std::vector<Place> rim_corners(const DiscTarget& disc) {
    std::vector<Place> corners;
    constexpr int kCorners = 64;
    for (int i = 0; i < kCorners; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / kCorners;
        corners.push_back({disc.radius * std::cos(angle), disc.radius * std::sin(angle)});
    }
    return corners;
}

/// Returns the corners of a flat target, anticlockwise for an observer who faces it.
std::vector<Place> flat_corners(const Target& target) {
    if (!target.outline.empty()) return target.outline;
    return std::visit(
        []<typename Shape>(const Shape& shape) -> std::vector<Place> {
            if constexpr (Shape::kIsFlat) return rim_corners(shape);
            return {};
        },
        target.geometry);
}

/// Returns surface_triangles() of a mesh. All corners of a triangle are at the centre of its pixel.
std::vector<float> mesh_triangles(const TargetResult& t) {
    const auto& mesh = std::get<MeshTarget>(t.target.geometry);
    std::vector<float> numbers;
    const auto width = static_cast<double>(t.width), height = static_cast<double>(t.height);
    for (size_t i = 0; i < mesh.triangles->size(); ++i) {
        const int64_t row = static_cast<int64_t>(i) / t.width;
        const int64_t column = static_cast<int64_t>(i) % t.width;
        for (const Vec3& corner : (*mesh.triangles)[i]) {
            append(numbers, add(mesh.center, corner));
            numbers.push_back(static_cast<float>((static_cast<double>(column) + 0.5) / width));
            numbers.push_back(static_cast<float>((static_cast<double>(row) + 0.5) / height));
        }
    }
    return numbers;
}

/// Returns triangles of the surface, anticlockwise for an observer who faces it: for each corner
/// its point in metres and its place on the map, from (0, 0) at the upper left to (1, 1).
std::vector<float> surface_triangles(const TargetResult& t) {
    const Target& target = t.target;
    if (is_mesh(t)) return mesh_triangles(t);
    const auto [width, height] = surface_extent(target);
    std::vector<float> numbers;
    const auto add_corner = [&](const Place& place) {
        append(numbers, surface_point(target, place[0], place[1]));
        numbers.push_back(static_cast<float>(0.5 + place[0] / width));
        numbers.push_back(static_cast<float>(0.5 - place[1] / height));
    };
    const auto add_polygon = [&](const std::vector<Place>& corners) {
        for (size_t i = 2; i < corners.size(); ++i)
            for (const size_t k : {size_t{0}, i - 1, i}) add_corner(corners[k]);
    };
    if (is_flat(target)) {
        add_polygon(flat_corners(target));
        return numbers;
    }
    constexpr int kStrips = 48;
    // Sides of a cylinder are straight. Other maps need rows, which are finest at the rims: on a
    // whole sphere they are equally far apart in latitude.
    const int rows = std::holds_alternative<CylindricalTarget>(target.geometry) ? 1 : 24;
    const auto up_to = [&](int row) {
        return -0.5 * height * std::cos(std::numbers::pi * row / rows);
    };
    for (int i = 0; i < kStrips; ++i) {
        const double left = (static_cast<double>(i) / kStrips - 0.5) * width;
        const double right = (static_cast<double>(i + 1) / kStrips - 0.5) * width;
        for (int row = 0; row < rows; ++row) {
            const double bottom = up_to(row), top = up_to(row + 1);
            add_polygon({{left, bottom}, {right, bottom}, {right, top}, {left, top}});
        }
    }
    return numbers;
}

/// Largest number of pixels along an edge of a map, for a few and for many targets.
constexpr int64_t kMostPixelsOfSurface = 128;
constexpr int64_t kMostPixelsOfManySurfaces = 64;
constexpr size_t kManyTargets = 6;

/// Returns the map as bytes from 0 to 255 at `full_scale`, averaged to `width` x `height` pixels.
std::string flux_bytes(const TargetResult& t, double full_scale, int64_t width, int64_t height) {
    std::string bytes;
    for (int64_t i = 0; i < height; ++i) {
        for (int64_t j = 0; j < width; ++j) {
            double sum = 0.0;
            int64_t count = 0;
            for (int64_t y = i * t.height / height; y < (i + 1) * t.height / height; ++y) {
                for (int64_t x = j * t.width / width; x < (j + 1) * t.width / width; ++x) {
                    sum += t.flux[static_cast<size_t>(y * t.width + x)];
                    ++count;
                }
            }
            const double share = sum / static_cast<double>(count) / full_scale;
            bytes += static_cast<char>(std::lround(255.0 * std::clamp(share, 0.0, 1.0)));
        }
    }
    return bytes;
}

json surfaces_json(const RunResult& result, double full_scale) {
    json out = json::array();
    const int64_t most =
        result.targets.size() > kManyTargets ? kMostPixelsOfManySurfaces : kMostPixelsOfSurface;
    for (const TargetResult& t : result.targets) {
        json surface{{"name", valid_utf8(t.target.name)},
                     {"triangles", encode(surface_triangles(t))},
                     {"width", 0},
                     {"height", 0}};
        if (!t.flux.empty() && full_scale > 0.0) {
            // Pixels of a mesh are triangles, which are not neighbours in space.
            const int64_t width = is_mesh(t) ? t.width : std::min(t.width, most);
            const int64_t height = is_mesh(t) ? t.height : std::min(t.height, most);
            surface["width"] = width;
            surface["height"] = height;
            surface["flux"] = base64(flux_bytes(t, full_scale, width, height));
        }
        out.push_back(std::move(surface));
    }
    return out;
}

std::vector<float> body_triangles(const Surroundings& surroundings) {
    std::vector<float> numbers;
    for (const ObstacleConfig& body : surroundings.obstacles) {
        for (const std::vector<Vec3>& face : body_faces(body)) {
            for (size_t i = 2; i < face.size(); ++i)
                for (const size_t k : {size_t{0}, i - 1, i}) append(numbers, face[k]);
        }
    }
    return numbers;
}

/// Returns the height of the ground: that of the lowest corner of mirrors and bodies.
double ground_height(const RunResult& result, const Surroundings& surroundings) {
    double lowest = std::numeric_limits<double>::infinity();
    for (const HeliostatResult& heliostat : result.heliostats)
        for (const Vec3& corner : outline_in_field(heliostat)) lowest = std::min(lowest, corner[2]);
    for (const ObstacleConfig& body : surroundings.obstacles)
        for (const std::vector<Vec3>& face : body_faces(body))
            for (const Vec3& corner : face) lowest = std::min(lowest, corner[2]);
    return lowest;
}

/// Returns lines over the hills in and around the field, as pairs of points; empty on flat ground.
std::vector<float> hill_lines(const RunResult& result, const Surroundings& surroundings) {
    if (!surroundings.ground) return {};
    constexpr int kLines = 40;
    constexpr double kSmallest = 10.0;  // metres
    std::array<double, 2> low, high;
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    for (const HeliostatResult& heliostat : result.heliostats) {
        for (const Vec3& corner : outline_in_field(heliostat)) {
            for (size_t k = 0; k < 2; ++k) {
                low[k] = std::min(low[k], corner[k]);
                high[k] = std::max(high[k], corner[k]);
            }
        }
    }
    const double margin = 0.5 * std::max({high[0] - low[0], high[1] - low[1], kSmallest});
    const auto at = [&](size_t axis, int step) {
        return low[axis] - margin + (high[axis] - low[axis] + 2.0 * margin) * step / kLines;
    };
    std::array<std::array<std::optional<Vec3>, kLines + 1>, kLines + 1> points;
    for (int i = 0; i <= kLines; ++i) {
        for (int j = 0; j <= kLines; ++j) {
            const double east = at(0, i), north = at(1, j);
            if (const auto height = surroundings.ground->height_at(east, north))
                points[i][j] = Vec3{east, north, *height};
        }
    }
    std::vector<float> numbers;
    const auto add_line = [&](const std::optional<Vec3>& from, const std::optional<Vec3>& to) {
        if (!from || !to) return;
        append(numbers, *from);
        append(numbers, *to);
    };
    for (int i = 0; i <= kLines; ++i) {
        for (int j = 0; j < kLines; ++j) {
            add_line(points[i][j], points[i][j + 1]);
            add_line(points[j][i], points[j + 1][i]);
        }
    }
    return numbers;
}

json flux_colors() {
    json colors = json::array();
    constexpr int kColors = 256;
    for (int i = 0; i < kColors; ++i)
        for (const auto part : flux_color(i / (kColors - 1.0))) colors.push_back(part);
    return colors;
}

bool has_view(const RunResult& result) {
    return !result.heliostats.empty() && std::ranges::all_of(result.heliostats, [](const auto& h) {
        return h.mirror_outline.has_value();
    });
}

}  // namespace

std::string plant_view(const RunResult& result) {
    return has_view(result) ? kSection : "";
}

std::string plant_view_data(const RunResult& result, const Surroundings& surroundings) {
    if (!has_view(result)) return "";
    double full_scale = 0.0;
    for (const TargetResult& t : result.targets)
        if (!t.flux.empty()) full_scale = std::max(full_scale, largest_flux(t));
    json data{{"mirrors", encode(mirror_numbers(result))},
              {"surfaces", surfaces_json(result, full_scale)},
              {"bodies", encode(body_triangles(surroundings))},
              {"ground", ground_height(result, surroundings)},
              {"hills", encode(hill_lines(result, surroundings))},
              {"flux_colors", flux_colors()}};
    const FacetTriangles facets = facet_triangles(result, surroundings);
    if (!facets.corners.empty()) {
        data["facets"] = encode(facets.corners);
        data["facet_triangles"] = facets.heliostats;
    }
    if (full_scale > 0.0) {
        const FluxUnit unit = flux_unit(result.targets.front());
        data["flux_max"] = full_scale / unit.factor;
        data["flux_unit"] = unit.name;
    }
    std::string text = data.dump(-1, ' ', false, json::error_handler_t::replace);
    // "</script>" and "<!--" in a name must not end or change the element.
    for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
        text.replace(at, 1, "\\u003c");
    return "<script id=\"view-data\" type=\"application/json\">" + text + "</script>\n";
}

}  // namespace helioray
