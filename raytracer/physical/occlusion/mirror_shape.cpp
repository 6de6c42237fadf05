// SPDX-License-Identifier: MIT
// Patches of facets by least squares over a grid of surface points.
#include "raytracer/physical/occlusion/mirror_shape.h"

#include "kernels/surface/analytic.h"
#include "kernels/surface/bspline.h"
#include "raytracer/canting_frame.h"
#include "raytracer/least_squares.h"
#include "raytracer/physical/facets.h"
#include "raytracer/surface/surface.h"
#include "scenario/vector_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray::physical {

namespace {

/// Grid of parameters in [-1, 1] per direction, with the edges.
constexpr int kGrid = 9;

struct Sample {
    double u, v;  ///< [-1, 1]
    Vec3 point;   ///< metres, mirror frame
    Vec3 normal;  ///< unit
};

double grid_value(int i) {
    return 2.0 * i / (kGrid - 1) - 1.0;
}

Vec3 to_vec3(const kernels::Vec<double>& v) {
    return {v.x, v.y, v.z};
}

/// Point and normal of a facet in its own frame.
Sample facet_sample(const Facet& facet, double u, double v) {
    Sample sample{u, v, {}, {0, 0, 1}};
    if (facet.shape == FacetShape::bspline) {
        const int32_t n[2] = {static_cast<int32_t>(facet.num_control_points[0]),
                              static_cast<int32_t>(facet.num_control_points[1])};
        const int32_t degrees[2] = {static_cast<int32_t>(facet.degrees[0]),
                                    static_cast<int32_t>(facet.degrees[1])};
        kernels::SurfacePatch<double> patch;
        kernels::evaluate_bspline(
            facet.control_points.data(), 0, n, degrees, 0.5 * (u + 1.0), 0.5 * (v + 1.0), patch);
        sample.point = to_vec3(patch.point);
        sample.normal = normalized(cross(to_vec3(patch.tangent_u), to_vec3(patch.tangent_v)));
        return sample;
    }
    kernels::Vec<double> point, normal;
    kernels::analytic_surface(facet_kind(facet.shape),
                              facet.focal_length,
                              u * norm(facet.canting_e),
                              v * norm(facet.canting_n),
                              point,
                              normal);
    sample.point = to_vec3(point);
    sample.normal = normalized(to_vec3(normal));
    return sample;
}

std::vector<Sample> facet_samples(const Facet& facet, bool fitted) {
    check_degrees(facet);
    std::vector<Sample> samples;
    const bool in_place = facet.shape == FacetShape::bspline && fitted;
    const std::array<Vec3, 3> axes = canting_axes(facet);
    for (int i = 0; i < kGrid; ++i) {
        for (int j = 0; j < kGrid; ++j) {
            Sample sample = facet_sample(facet, grid_value(i), grid_value(j));
            if (!in_place) {
                sample.point = along_axes(facet.translation, axes, sample.point);
                sample.normal = along_axes({}, axes, sample.normal);
            }
            samples.push_back(sample);
        }
    }
    return samples;
}

/// Mean of the samples that a condition selects.
template <typename Condition>
Vec3 mean_point(const std::vector<Sample>& samples, Condition condition) {
    Vec3 sum{};
    int count = 0;
    for (const Sample& sample : samples) {
        if (!condition(sample)) continue;
        sum = add(sum, sample.point);
        ++count;
    }
    return scaled(1.0 / count, sum);
}

/// Height above the parallelogram as c + cx x + cy y + b0 x^2 + b1 x y + b2 y^2.
std::array<double, 6> fit_height(const FacetPatch& patch, const std::vector<Sample>& samples) {
    const Vec3 normal = normalized(cross(patch.half_x, patch.half_y));
    LeastSquares<6> fit;
    // Coordinates by the dual basis: the parallelogram need not be a rectangle.
    const Vec3 across_y = cross(patch.half_y, normal);
    const Vec3 across_x = cross(normal, patch.half_x);
    for (const Sample& sample : samples) {
        const Vec3 p = subtract(sample.point, patch.center);
        const double x = dot(across_y, p) / dot(across_y, patch.half_x);
        const double y = dot(across_x, p) / dot(across_x, patch.half_y);
        fit.add_row({1.0, x, y, x * x, x * y, y * y}, dot(normal, p));
    }
    return fit.solve();
}

/// A box that grows with the points it has to hold.
class GrowingBox {
  public:
    void include(const Vec3& point) {
        for (size_t i = 0; i < 3; ++i) {
            low_[i] = std::min(low_[i], point[i]);
            high_[i] = std::max(high_[i], point[i]);
        }
    }

    /// Corners and bending of the patch that stands for a facet.
    void include(const FacetPatch& patch) {
        const Vec3 normal = normalized(cross(patch.half_x, patch.half_y));
        double bend = 0.0;
        for (const double b : patch.bending) bend += std::abs(b);
        for (int corner = 0; corner < 8; ++corner) {
            Vec3 point = add_scaled(patch.center, corner & 1 ? 1.0 : -1.0, patch.half_x);
            point = add_scaled(point, corner & 2 ? 1.0 : -1.0, patch.half_y);
            include(add_scaled(point, corner & 4 ? bend : -bend, normal));
        }
    }

    void store(MirrorShape& shape) const {
        // What lies between the samples, and rounding in single precision.
        const double margin = 0.01 * norm(subtract(high_, low_)) + 0.02;
        for (size_t i = 0; i < 3; ++i) {
            shape.box_low[i] = low_[i] - margin;
            shape.box_high[i] = high_[i] + margin;
        }
    }

  private:
    Vec3 low_{kFar, kFar, kFar};
    Vec3 high_{-kFar, -kFar, -kFar};
    static constexpr double kFar = std::numeric_limits<double>::infinity();
};

FacetPatch fit_patch(const std::vector<Sample>& samples) {
    const Vec3 left = mean_point(samples, [](const Sample& s) { return s.u == -1.0; });
    const Vec3 right = mean_point(samples, [](const Sample& s) { return s.u == 1.0; });
    const Vec3 low = mean_point(samples, [](const Sample& s) { return s.v == -1.0; });
    const Vec3 high = mean_point(samples, [](const Sample& s) { return s.v == 1.0; });
    FacetPatch patch;
    for (size_t i = 0; i < 3; ++i) {
        patch.center[i] = 0.25 * (left[i] + right[i] + low[i] + high[i]);
        patch.half_x[i] = 0.5 * (right[i] - left[i]);
        patch.half_y[i] = 0.5 * (high[i] - low[i]);
    }
    // The fitted plane first (it moves and tilts the parallelogram), then the bending about it.
    for (int pass = 0; pass < 2; ++pass) {
        const Vec3 normal = normalized(cross(patch.half_x, patch.half_y));
        const auto [c, cx, cy, b0, b1, b2] = fit_height(patch, samples);
        patch.bending = {b0, b1, b2};
        patch.center = add_scaled(patch.center, c, normal);
        patch.half_x = add_scaled(patch.half_x, cx, normal);
        patch.half_y = add_scaled(patch.half_y, cy, normal);
    }
    for (const Sample& sample : samples) {
        patch.radius = std::max(patch.radius, norm(subtract(sample.point, patch.center)));
    }
    // What lies between the samples, and rounding in single precision.
    patch.radius = 1.02 * patch.radius + 0.02;
    return patch;
}

}  // namespace

MirrorShape mirror_shape(const Surface& surface) {
    MirrorShape shape;
    std::vector<Vec3> normals;
    GrowingBox box;
    const bool fitted = surface.is_fitted();
    for (const Facet& facet : surface.facets) {
        const std::vector<Sample> samples = facet_samples(facet, fitted);
        shape.facets.push_back(fit_patch(samples));
        box.include(shape.facets.back());
        for (const Sample& sample : samples) {
            box.include(sample.point);
            normals.push_back(sample.normal);
        }
    }
    box.store(shape);
    for (const FacetPatch& patch : shape.facets)
        shape.center =
            add_scaled(shape.center, 1.0 / static_cast<double>(shape.facets.size()), patch.center);
    for (const FacetPatch& patch : shape.facets) {
        const double distance = norm(subtract(patch.center, shape.center));
        shape.radius = std::max(shape.radius, distance + patch.radius);
    }
    for (const Vec3& normal : normals) shape.mean_normal = add(shape.mean_normal, normal);
    shape.mean_normal = normalized(shape.mean_normal);
    for (const Vec3& normal : normals) {
        const double sine = norm(cross(normal, shape.mean_normal));
        shape.normal_spread =
            std::max(shape.normal_spread, std::atan2(sine, dot(normal, shape.mean_normal)));
    }
    // Normals between the samples may tilt further.
    shape.normal_spread = 1.25 * shape.normal_spread + 1e-3;
    return shape;
}

}  // namespace helioray::physical
