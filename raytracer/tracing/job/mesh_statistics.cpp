// SPDX-License-Identifier: MIT
// Peak of a mesh over patches of triangles, which halving by their centres puts side by side.
#include "raytracer/tracing/job/mesh_statistics.h"

#include "scenario/types/receivers.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace helioray {

namespace {

/// Relative standard error of the mean flux of a patch that is small enough.
constexpr double kAccurate = 0.1;

using Order = std::vector<std::size_t>;

/// Orders triangles [first, last) so that neighbours in the order are neighbours in space. Parts
/// begin at multiples of powers of two.
void order_by_place(Order& order,
                    const std::vector<Vec3>& centres,
                    std::size_t first,
                    std::size_t last) {
    if (last - first <= 1) return;
    Vec3 low = centres[order[first]], high = low;
    for (std::size_t i = first; i < last; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], centres[order[i]][k]);
            high[k] = std::max(high[k], centres[order[i]][k]);
        }
    }
    std::size_t axis = 0;
    for (std::size_t k = 1; k < 3; ++k)
        if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
    // The left part has the largest power of two below the number of triangles.
    std::size_t left = 1;
    while (2 * left < last - first) left *= 2;
    const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(first), at(first + left), at(last), [&](std::size_t a, std::size_t b) {
        const double x = centres[a][axis], y = centres[b][axis];
        return x != y ? x < y : a < b;
    });
    order_by_place(order, centres, first, first + left);
    order_by_place(order, centres, first + left, last);
}

/// Power and area of a patch.
struct Patch {
    double power = 0.0;     ///< W
    double noise = 0.0;     ///< power of the first half of the rays minus that of the second, W
    double variance = 0.0;  ///< variance of the power, W^2
    double area = 0.0;      ///< m2

    double flux() const { return area > 0.0 ? power / area : 0.0; }
    double error() const { return area > 0.0 ? std::sqrt(variance) / area : 0.0; }
    /// Returns the flux by one half of the rays: sign 1 or -1.
    double flux_by_half(double sign) const {
        return area > 0.0 ? (power + sign * noise) / area : 0.0;
    }
};

/// Returns the patch whose flux by a half of the rays is largest.
const Patch& strongest(const std::vector<Patch>& patches, double sign) {
    return *std::max_element(patches.begin(), patches.end(), [&](const auto& a, const auto& b) {
        return a.flux_by_half(sign) < b.flux_by_half(sign);
    });
}

/// Joins neighbours.
std::vector<Patch> joined(const std::vector<Patch>& patches) {
    std::vector<Patch> pairs((patches.size() + 1) / 2);
    for (std::size_t i = 0; i < patches.size(); ++i) {
        Patch& pair = pairs[i / 2];
        pair.power += patches[i].power;
        pair.noise += patches[i].noise;
        pair.variance += patches[i].variance;
        pair.area += patches[i].area;
    }
    return pairs;
}

}  // namespace

std::vector<double> mesh_pixel_areas(const Target& target, int64_t num_pixels) {
    const MeshTarget* mesh = find_triangles(target);
    if (mesh == nullptr) return {};
    std::vector<double> areas = triangle_areas(*mesh);
    areas.resize(static_cast<std::size_t>(num_pixels), 0.0);
    return areas;
}

std::vector<Vec3> triangle_centres(const MeshTarget& mesh) {
    std::vector<Vec3> centres;
    centres.reserve(num_triangles(mesh));
    if (!mesh.triangles) return centres;
    for (const MeshTriangle& t : *mesh.triangles)
        centres.push_back(add_scaled(mesh.center, 1.0 / 3.0, add(t[0], add(t[1], t[2]))));
    return centres;
}

bool add_mesh_statistics(TargetResult& result) {
    const MeshTarget* mesh = find_triangles(result.target);
    if (mesh == nullptr) return false;
    const std::vector<double> areas = triangle_areas(*mesh);
    const std::vector<Vec3> centres = triangle_centres(*mesh);
    const std::size_t count = std::min(areas.size(), result.flux.size());
    Order order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    order_by_place(order, centres, 0, count);
    std::vector<Patch> patches(count);
    Vec3 moment{};
    double total = 0.0;
    result.peak_pixel_w_m2 = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t k = order[i];
        const double area = areas[k];
        const double error = result.flux_std_error.empty() ? 0.0 : result.flux_std_error[k] * area;
        const double noise = result.flux_noise.empty() ? 0.0 : result.flux_noise[k] * area;
        patches[i] = {result.flux[k] * area, noise, error * error, area};
        result.peak_pixel_w_m2 = std::max(result.peak_pixel_w_m2, result.flux[k]);
    }
    for (std::size_t k = 0; k < count; ++k) {
        moment = add_scaled(moment, result.flux[k] * areas[k], centres[k]);
        total += result.flux[k] * areas[k];
    }
    result.centroid_m = total > 0.0 ? scaled(1.0 / total, moment) : mesh->center;
    const auto is_accurate = [](const Patch& patch) {
        return patch.error() <= kAccurate * patch.flux();
    };
    while (patches.size() > 1 && !is_accurate(strongest(patches, 0.0))) patches = joined(patches);
    const Patch& by_first = strongest(patches, 1.0);
    const Patch& by_second = strongest(patches, -1.0);
    const double peak = 0.5 * (by_first.flux_by_half(-1.0) + by_second.flux_by_half(1.0));
    result.peak_flux_w_m2 = std::max(0.0, peak);
    result.peak_flux_std_error_w_m2 =
        0.5 * std::hypot(std::sqrt(2.0) * by_first.error(), std::sqrt(2.0) * by_second.error());
    result.peak_area_m2 = 0.5 * (by_first.area + by_second.area);
    return true;
}

}  // namespace helioray
