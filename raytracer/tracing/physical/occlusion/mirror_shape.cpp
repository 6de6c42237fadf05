// SPDX-License-Identifier: MIT
// Fits patches to facets by least squares over a grid of surface points.
#include "raytracer/tracing/physical/occlusion/mirror_shape.h"

#include "kernels/surface/analytic.h"
#include "kernels/surface/facet_grid.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/physical/records/facet_outlines.h"
#include "raytracer/tracing/surface/surface.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace helioray::physical {

namespace {

using kernels::FacetGrid;
using kernels::kGridSamples;
using kernels::kGridSize;

Vec3 to_vec3(const kernels::Vec<double>& v) {
    return {v.x, v.y, v.z};
}

Vec3 to_vec3(const double (&v)[3]) {
    return {v[0], v[1], v[2]};
}

Vec3 column(const double (&values)[3][kGridSamples], int sample) {
    return {values[0][sample], values[1][sample], values[2][sample]};
}

void set_column(double (&values)[3][kGridSamples], int sample, const Vec3& v) {
    for (size_t axis = 0; axis < 3; ++axis) values[axis][sample] = v[axis];
}

double grid_value(int i) {
    return 2.0 * i / (kGridSize - 1) - 1.0;
}

/// Samples a facet without control points in its own frame.
void sample_analytic(const Facet& facet, FacetGrid& grid) {
    const double half_e = norm(facet.canting_e);
    const double half_n = norm(facet.canting_n);
    // The corners of the rectangle about an outline may lie beyond its sphere.
    const double most = has_outline(facet) && facet.shape == FacetShape::sphere
                            ? 1.98 * facet.focal_length
                            : std::numeric_limits<double>::infinity();
    for (int i = 0; i < kGridSamples; ++i) {
        double x = grid_value(i / kGridSize) * half_e;
        double y = grid_value(i % kGridSize) * half_n;
        const double radius = std::hypot(x, y);
        if (radius > most) {
            x *= most / radius;
            y *= most / radius;
        }
        kernels::Vec<double> point, normal;
        kernels::analytic_surface(facet_kind(facet.shape), facet.focal_length, x, y, point, normal);
        set_column(grid.point, i, to_vec3(point));
        set_column(grid.normal, i, normalized(to_vec3(normal)));
    }
}

/// Converts samples from the facet's frame to the mirror's.
void put_in_place(const Facet& facet, FacetGrid& grid) {
    const std::array<Vec3, 3> axes = canting_axes(facet);
    for (int i = 0; i < kGridSamples; ++i) {
        set_column(grid.point, i, along_axes(facet.translation, axes, column(grid.point, i)));
        set_column(grid.normal, i, along_axes({}, axes, column(grid.normal, i)));
    }
}

/// Samples all facets of the surfaces in the mirror's frame, one surface after the other.
void sample_surfaces(std::span<const Surface* const> surfaces,
                     const SplineBases& bases,
                     FacetGrid* grids) {
    SplineGroups<FacetGrid*> splines(bases);
    FacetGrid* grid = grids;
    for (const Surface* surface : surfaces) {
        for (const Facet& facet : surface->facets) {
            if (facet.shape == FacetShape::bspline) {
                splines.add(facet, grid);
            } else {
                sample_analytic(facet, *grid);
            }
            ++grid;
        }
    }
    splines.for_each([](const kernels::SplineFacets& basis, auto control_points, auto places) {
        basis.sample(control_points, places.data());
    });
    grid = grids;
    for (const Surface* surface : surfaces) {
        const bool fitted = surface->is_fitted();
        for (const Facet& facet : surface->facets) {
            if (!fitted || facet.shape != FacetShape::bspline) put_in_place(facet, *grid);
            ++grid;
        }
    }
}

FacetPatch to_facet_patch(const kernels::BentPatch& patch) {
    return {to_vec3(patch.center),
            to_vec3(patch.half_x),
            to_vec3(patch.half_y),
            to_vec3(patch.bending),
            patch.radius,
            {}};
}

Vec3 mean_normal(std::span<const FacetGrid> grids) {
    Vec3 sum{};
    for (const FacetGrid& grid : grids) {
        for (int i = 0; i < kGridSamples; ++i) sum = add(sum, column(grid.normal, i));
    }
    return normalized(sum);
}

/// Computes the squared tangents of the angles between the grid's normals and the mean normal;
/// infinite for angles of 90 degrees or more.
void squared_tangents(const FacetGrid& grid, const Vec3& mean, double* tangents) {
    for (int i = 0; i < kGridSamples; ++i) {
        const Vec3 normal = column(grid.normal, i);
        const Vec3 across = cross(normal, mean);
        const double cosine = dot(normal, mean);
        tangents[i] = cosine > 0.0 ? dot(across, across) / (cosine * cosine)
                                   : std::numeric_limits<double>::infinity();
    }
}

/// Bounding box of points, extended point by point.
class GrowingBox {
  public:
    void include(const Vec3& point) {
        for (size_t i = 0; i < 3; ++i) {
            low_[i] = std::min(low_[i], point[i]);
            high_[i] = std::max(high_[i], point[i]);
        }
    }

    void include(const FacetGrid& grid) {
        for (int i = 0; i < kGridSamples; ++i) include(column(grid.point, i));
    }

    /// Extends the box by the corners and the bending of a facet's patch.
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
        // The margin allows for deviations between the samples and for rounding in single
        // precision.
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

/// Returns the largest angle between a normal and the mean normal, radians.
double largest_angle(std::span<const FacetGrid> grids, const Vec3& mean) {
    std::vector<double> tangents(grids.size() * kGridSamples);
    for (size_t f = 0; f < grids.size(); ++f)
        squared_tangents(grids[f], mean, tangents.data() + f * kGridSamples);
    double steepest = 0.0;
    for (const double tangent : tangents) steepest = std::max(steepest, tangent);
    // Arctangents dominate the cost of this function, so they are computed only for normals that
    // may have the largest angle, within rounding. Angles above 45 degrees differ less than their
    // tangents.
    const double least = steepest < 1.0 ? (1.0 - 1e-13) * steepest : 0.0;
    double largest = 0.0;
    for (size_t i = 0; i < tangents.size(); ++i) {
        if (tangents[i] < least) continue;
        const Vec3 normal =
            column(grids[i / kGridSamples].normal, static_cast<int>(i % kGridSamples));
        const double sine = norm(cross(normal, mean));
        largest = std::max(largest, std::atan2(sine, dot(normal, mean)));
    }
    return largest;
}

MirrorShape make_shape(const Surface& surface,
                       std::span<const FacetGrid> grids,
                       std::span<const kernels::BentPatch> patches) {
    MirrorShape shape;
    shape.facets.reserve(patches.size());
    GrowingBox box;
    for (size_t i = 0; i < patches.size(); ++i) {
        shape.facets.push_back(to_facet_patch(patches[i]));
        shape.facets.back().outline = occluder_outline(surface.facets[i].outline);
        box.include(shape.facets.back());
        box.include(grids[i]);
    }
    box.store(shape);
    for (const FacetPatch& patch : shape.facets)
        shape.center =
            add_scaled(shape.center, 1.0 / static_cast<double>(shape.facets.size()), patch.center);
    for (const FacetPatch& patch : shape.facets) {
        const double distance = norm(subtract(patch.center, shape.center));
        shape.radius = std::max(shape.radius, distance + patch.radius);
    }
    const auto [low, high] = std::ranges::minmax_element(
        shape.facets, {}, [](const FacetPatch& patch) { return patch.center[2]; });
    shape.depth = high->center[2] - low->center[2];
    shape.mean_normal = mean_normal(grids);
    // The factor allows for larger tilts between the samples.
    shape.normal_spread = 1.25 * largest_angle(grids, shape.mean_normal) + 1e-3;
    return shape;
}

}  // namespace

std::vector<MirrorShape> mirror_shapes(std::span<const Surface* const> surfaces,
                                       const SplineBases& bases) {
    size_t num_facets = 0;
    for (const Surface* surface : surfaces) num_facets += surface->facets.size();
    const auto grids = std::make_unique_for_overwrite<FacetGrid[]>(num_facets);
    const auto patches = std::make_unique_for_overwrite<kernels::BentPatch[]>(num_facets);
    sample_surfaces(surfaces, bases, grids.get());
    kernels::fit_patches({grids.get(), num_facets}, patches.get());
    std::vector<MirrorShape> shapes;
    shapes.reserve(surfaces.size());
    size_t first = 0;
    for (const Surface* surface : surfaces) {
        const size_t count = surface->facets.size();
        shapes.push_back(
            make_shape(*surface, {grids.get() + first, count}, {patches.get() + first, count}));
        first += count;
    }
    return shapes;
}

MirrorShape mirror_shape(const Surface& surface) {
    const Surface* const single = &surface;
    return std::move(mirror_shapes({&single, 1}, SplineBases({&single, 1})).front());
}

}  // namespace helioray::physical
