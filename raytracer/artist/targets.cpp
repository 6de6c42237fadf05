// SPDX-License-Identifier: MIT
// Target areas in ARTIST's terms: centres, pixels to world points.
#include "raytracer/artist/targets.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <cmath>

namespace helioray::artist {
namespace {

at::Tensor on_plane(const PlanarTarget& plane, const at::Tensor& en, const at::Tensor& un) {
    const at::Tensor zero = en * 0;
    return at::stack({plane.center[0] + (0.5 - en) * plane.width,
                      plane.center[1] + zero,
                      plane.center[2] + (0.5 - un) * plane.height,
                      at::ones_like(en)},
                     1);
}

at::Tensor on_cylinder(const CylindricalTarget& c, const at::Tensor& en, const at::Tensor& un) {
    const Vec3& a = c.axis;
    const Vec3& n = c.normal;
    const Vec3 side{
        a[1] * n[2] - a[2] * n[1], a[2] * n[0] - a[0] * n[2], a[0] * n[1] - a[1] * n[0]};
    const at::Tensor angle = (en - 0.5) * c.opening_angle;
    const at::Tensor z = (0.5 - un) * c.height;
    const at::Tensor along_normal = c.radius * angle.cos(), along_side = c.radius * angle.sin();
    std::array<at::Tensor, 3> p;
    for (size_t k = 0; k < 3; ++k) {
        p[k] = c.center[k] + along_normal * n[k] + along_side * side[k] + z * a[k];
    }
    return at::stack({p[0], p[1], p[2], at::ones_like(en)}, 1);
}

}  // namespace

at::Tensor bitmap_to_target(
    const Target& target, const at::Tensor& e, const at::Tensor& u, int64_t width, int64_t height) {
    const at::Tensor en = (e + 0.5) / static_cast<double>(width);
    const at::Tensor un = (u + 0.5) / static_cast<double>(height);
    if (const auto* plane = std::get_if<PlanarTarget>(&target.geometry)) {
        return on_plane(*plane, en, un);
    }
    return on_cylinder(std::get<CylindricalTarget>(target.geometry), en, un);
}

double max_intensity(const Target& target) {
    const auto* plane = std::get_if<PlanarTarget>(&target.geometry);
    if (!plane) return 1.0;
    const Vec3& n = plane->normal;
    return std::max(1.0, std::hypot(n[0], n[1], n[2]));
}

}  // namespace helioray::artist
