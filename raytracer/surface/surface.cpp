// SPDX-License-Identifier: MIT
// Facets of every shape as points and normals in the mirror frame.
#include "raytracer/surface/surface.h"

#include "raytracer/surface/canting.h"
#include "scenario/error.h"
#include "scenario/vector_math.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

at::Tensor vector_tensor(const Vec3& v, const at::Tensor& like) {
    return at::tensor({v[0], v[1], v[2]}, like.options().requires_grad(false));
}

// Height z and slopes dz/dx, dz/dy of an analytic facet in its own frame.
struct HeightField {
    at::Tensor z;
    at::Tensor slope_x;
    at::Tensor slope_y;
};

HeightField height_field(const Facet& facet, const at::Tensor& x, const at::Tensor& y) {
    const double f = facet.focal_length;
    if (facet.shape == FacetShape::flat) {
        const at::Tensor zero = at::zeros_like(x);
        return {zero, zero, zero};
    }
    if (!(f > 0)) {
        throw InputError({"facet " + facet.name,
                          fmt::format("focal length {} m is not positive", f),
                          "its shape does not exist",
                          ""});
    }
    const at::Tensor square = x * x + y * y;
    if (facet.shape == FacetShape::paraboloid) {
        return {square / (4 * f), x / (2 * f), y / (2 * f)};
    }
    const double half_diagonal = std::hypot(norm(facet.canting_e), norm(facet.canting_n));
    if (half_diagonal >= 2 * f) {
        throw InputError(
            {"facet " + facet.name,
             fmt::format(
                 "half diagonal {:.6g} m on a sphere of radius {:.6g} m", half_diagonal, 2 * f),
             "the facet reaches beyond its sphere",
             "check focal_length and the canting vectors (half extents)"});
    }
    // R - root, written without the cancellation of nearly equal numbers.
    const at::Tensor root = (4 * f * f - square).sqrt();
    return {square / (2 * f + root), x / root, y / root};
}

SurfacePoints evaluate_analytic(const Facet& facet, const at::Tensor& uv) {
    const double half_e = norm(facet.canting_e), half_n = norm(facet.canting_n);
    const at::Tensor x = (2 * uv.select(1, 0) - 1) * half_e;
    const at::Tensor y = (2 * uv.select(1, 1) - 1) * half_n;
    const HeightField height = height_field(facet, x, y);
    const at::Tensor zero = at::zeros_like(x), one = at::ones_like(x);

    SurfacePoints result;
    result.points = at::stack({x, y, height.z}, -1);
    result.tangent_u = at::stack({one, zero, height.slope_x}, -1) * (2 * half_e);
    result.tangent_v = at::stack({zero, one, height.slope_y}, -1) * (2 * half_n);
    const at::Tensor normal = at::stack({-height.slope_x, -height.slope_y, one}, -1);
    result.normals = normal / (normal * normal).sum(-1, true).sqrt();
    return result;
}

SurfacePoints facet_to_mirror(const Facet& facet, const SurfacePoints& local) {
    const at::Tensor rotation = canting_rotation(vector_tensor(facet.canting_e, local.points),
                                                 vector_tensor(facet.canting_n, local.points));
    return {apply_canting(rotation, local.points) + vector_tensor(facet.translation, local.points),
            apply_canting(rotation, local.tangent_u),
            apply_canting(rotation, local.tangent_v),
            apply_canting(rotation, local.normals)};
}

}  // namespace

ControlPointFrame control_point_frame(const Surface& surface) {
    return surface.is_fitted() ? ControlPointFrame::mirror : ControlPointFrame::facet;
}

at::Tensor control_points_tensor(const Facet& facet) {
    const auto [nu, nv] = facet.num_control_points;
    TORCH_CHECK(nu > 0 && nv > 0 && facet.control_points.size() == static_cast<size_t>(3 * nu * nv),
                "facet ",
                facet.name,
                " has ",
                facet.control_points.size(),
                " numbers for ",
                nu,
                " x ",
                nv,
                " control points");
    at::Tensor result = at::empty({nu, nv, 3}, at::TensorOptions().dtype(at::kDouble));
    std::copy(facet.control_points.begin(), facet.control_points.end(), result.data_ptr<double>());
    return result;
}

SurfacePoints evaluate_facet(const Facet& facet,
                             ControlPointFrame frame,
                             const at::Tensor& uv,
                             const at::Tensor& control_points) {
    if (facet.shape != FacetShape::bspline) {
        return facet_to_mirror(facet, evaluate_analytic(facet, uv));
    }
    const SurfacePoints stated = evaluate_bspline(control_points, facet.degrees, uv);
    return frame == ControlPointFrame::mirror ? stated : facet_to_mirror(facet, stated);
}

SurfacePoints evaluate_facet(const Facet& facet, ControlPointFrame frame, const at::Tensor& uv) {
    const bool has_control_points = facet.shape == FacetShape::bspline;
    return evaluate_facet(
        facet, frame, uv, has_control_points ? control_points_tensor(facet) : at::Tensor());
}

SurfaceSamples sample_surface(const Surface& surface, int64_t ne, int64_t nn, double margin) {
    const ControlPointFrame frame = control_point_frame(surface);
    const at::Tensor uv = evaluation_grid(ne, nn, margin);
    std::vector<at::Tensor> points, normals;
    for (const Facet& facet : surface.facets) {
        const SurfacePoints samples = evaluate_facet(facet, frame, uv);
        points.push_back(samples.points);
        normals.push_back(samples.normals);
    }
    TORCH_CHECK(!points.empty(), "a surface without facets cannot be sampled");
    return {at::stack(points), at::stack(normals)};
}

}  // namespace helioray
