// SPDX-License-Identifier: MIT
// Projects triangles along a direction; the nearest one in each pixel is seen.
#include "app/output/plot/maps/mesh_view.h"

#include "raytracer/tracing/geometry/frames.h"
#include "scenario/types/receivers.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace helioray {

namespace {

constexpr std::int64_t kLongestSide = 512;  // pixels
constexpr double kNoFlux = std::numeric_limits<double>::quiet_NaN();

/// Returns the direction from which most light comes: the mean normal of the lit fronts by power.
Vec3 lit_side(const TargetResult& t, const MeshTarget& mesh) {
    Vec3 sum{};
    double power = 0.0;
    const double sign = mesh.front == MeshTarget::Front::reversed ? -1.0 : 1.0;
    for (std::size_t i = 0; i < mesh.triangles->size(); ++i) {
        const MeshTriangle& corners = (*mesh.triangles)[i];
        const Vec3 across =
            cross(subtract(corners[1], corners[0]), subtract(corners[2], corners[0]));
        sum = add_scaled(sum, 0.5 * sign * t.flux[i], across);
        power += 0.5 * t.flux[i] * norm(across);
    }
    if (!(norm(sum) > 0.05 * power) || !(power > 0.0)) return mesh.normal;
    const Vec3 direction = normalized(sum);
    const Vec3 level{direction[0], direction[1], 0.0};
    return norm(level) > 0.3 ? normalized(level) : direction;
}

/// A picture with the distance of what each pixel shows.
class View {
  public:
    View(const TargetFrame& frame,
         const std::array<double, 2>& extent,
         std::int64_t width,
         std::int64_t height)
        : frame_(frame),
          extent_(extent),
          width_(width),
          height_(height),
          nearest_(static_cast<std::size_t>(width * height),
                   -std::numeric_limits<double>::infinity()) {}

    /// Draws a triangle with one value in each map.
    void draw(const MeshTriangle& corners,
              const std::array<double, 2>& values,
              std::array<std::vector<double>*, 2> maps) {
        std::array<Vec3, 3> p{};
        for (std::size_t i = 0; i < 3; ++i) {
            const Vec3 q = frame_.point_to_frame(corners[i]);
            p[i] = {(q[0] / extent_[0] + 0.5) * static_cast<double>(width_) - 0.5,
                    (0.5 - q[1] / extent_[1]) * static_cast<double>(height_) - 0.5,
                    q[2]};
        }
        const double area = edge(p[0], p[1], p[2]);
        if (area == 0.0) return;
        const auto bounds = [&](std::size_t axis, std::int64_t most) {
            const auto [low, high] = std::minmax({p[0][axis], p[1][axis], p[2][axis]});
            return std::array{std::max<std::int64_t>(0, std::llround(std::ceil(low))),
                              std::min<std::int64_t>(most - 1, std::llround(std::floor(high)))};
        };
        const auto [left, right] = bounds(0, width_);
        const auto [top, bottom] = bounds(1, height_);
        for (std::int64_t y = top; y <= bottom; ++y) {
            for (std::int64_t x = left; x <= right; ++x) {
                const Vec3 at{static_cast<double>(x), static_cast<double>(y), 0.0};
                const double a = edge(p[1], p[2], at) / area, b = edge(p[2], p[0], at) / area;
                const double c = 1.0 - a - b;
                if (a < 0.0 || b < 0.0 || c < 0.0) continue;
                const double near = a * p[0][2] + b * p[1][2] + c * p[2][2];
                const auto pixel = static_cast<std::size_t>(y * width_ + x);
                if (near <= nearest_[pixel]) continue;
                nearest_[pixel] = near;
                for (std::size_t k = 0; k < maps.size(); ++k) (*maps[k])[pixel] = values[k];
            }
        }
    }

  private:
    static double edge(const Vec3& a, const Vec3& b, const Vec3& p) {
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
    }

    const TargetFrame& frame_;
    std::array<double, 2> extent_;
    std::int64_t width_, height_;
    std::vector<double> nearest_;
};

}  // namespace

bool is_mesh(const TargetResult& target) {
    return find_triangles(target.target) != nullptr && !target.flux.empty();
}

TargetResult make_mesh_view(const TargetResult& target) {
    const auto& mesh = std::get<MeshTarget>(target.target.geometry);
    TargetResult view = target;
    const Vec3 toward = lit_side(target, mesh);
    // Corners are relative to the centre.
    const TargetFrame frame = target_frame({"", PlanarTarget{{}, toward, 1.0, 1.0}});
    std::array<double, 2> low{1e300, 1e300}, high{-1e300, -1e300};
    for (const MeshTriangle& corners : *mesh.triangles) {
        for (const Vec3& corner : corners) {
            const Vec3 p = frame.point_to_frame(corner);
            for (std::size_t k = 0; k < 2; ++k) {
                low[k] = std::min(low[k], p[k]);
                high[k] = std::max(high[k], p[k]);
            }
        }
    }
    const Vec3 middle =
        frame.direction_to_world({0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.0});
    const double longest = std::max({high[0] - low[0], high[1] - low[1], 1e-9});
    // A thin mesh still has some pixels.
    const std::array<double, 2> extent{std::max(high[0] - low[0], 0.02 * longest),
                                       std::max(high[1] - low[1], 0.02 * longest)};
    const double pixel = longest / static_cast<double>(kLongestSide);
    view.width = std::max<std::int64_t>(1, std::llround(extent[0] / pixel));
    view.height = std::max<std::int64_t>(1, std::llround(extent[1] / pixel));
    view.target.geometry = PlanarTarget{add(mesh.center, middle), toward, extent[0], extent[1]};
    const auto pixels = static_cast<std::size_t>(view.width * view.height);
    view.flux.assign(pixels, kNoFlux);
    view.flux_std_error.assign(pixels, kNoFlux);
    view.flux_noise.clear();
    view.incident.reset();
    const TargetFrame centred{frame.axes, middle};
    View picture(centred, extent, view.width, view.height);
    const double sign = mesh.front == MeshTarget::Front::reversed ? -1.0 : 1.0;
    for (std::size_t i = 0; i < mesh.triangles->size(); ++i) {
        const MeshTriangle& corners = (*mesh.triangles)[i];
        const Vec3 across =
            cross(subtract(corners[1], corners[0]), subtract(corners[2], corners[0]));
        const bool is_front =
            mesh.front == MeshTarget::Front::both || sign * dot(across, toward) > 0.0;
        const double error = target.flux_std_error.empty() ? kNoFlux : target.flux_std_error[i];
        picture.draw(corners,
                     {is_front ? target.flux[i] : kNoFlux, is_front ? error : kNoFlux},
                     {&view.flux, &view.flux_std_error});
    }
    return view;
}

}  // namespace helioray
