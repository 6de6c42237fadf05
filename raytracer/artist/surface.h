// SPDX-License-Identifier: MIT
// Clamped uniform B-splines, and mirror surfaces sampled in the mirror frame as by ARTIST's loader.
#pragma once

#include "scenario/types/types.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <map>
#include <vector>

namespace helioray::artist {

/// Returns `degree` zeros, then n - degree + 1 equidistant values from 0 to 1, then `degree` ones.
std::vector<float> clamped_knots(int64_t num_control_points, int64_t degree);

/// Returns the knot span of t in [0, 1).
int64_t knot_span(float t, int64_t num_control_points, int64_t degree);

/// The degree + 1 basis functions that are not 0 at given parameters.
struct Basis {
    int64_t degree = 0;
    /// Index of the first control point with a non-zero basis function, [T].
    std::vector<int64_t> first;
    std::vector<float> value;       ///< [T, degree + 1]
    std::vector<float> derivative;  ///< [T, degree + 1]
};
Basis evaluate_basis(const std::vector<float>& parameters,
                     int64_t num_control_points,
                     int64_t degree);

/// Points and unit normals of a facet.
struct SurfacePoints {
    at::Tensor points;   ///< float32 [P, 4] metres, last = 1
    at::Tensor normals;  ///< float32 [P, 4] unit, last = 0
};

/// Evaluates the tensor product surface at all pairs of the parameters of the bases, u outermost.
/// @param control_points float32 [nu, nv, 3] metres
SurfacePoints evaluate_surface(const at::Tensor& control_points, const Basis& u, const Basis& v);

/// Returns the rotation [3, 3] of a facet from its canting vectors: columns e, n, u axis.
at::Tensor canting_rotation(const Vec3& canting_e, const Vec3& canting_n);

/// Returns n equidistant parameters from 1e-7 to 1 - 1e-7.
std::vector<float> evaluation_grid(int64_t n);

/// Returns points and normals of all facets [facets * along_e * along_n, 4], ordered facet, east,
/// north. Parameters are equidistant, so that points are denser in the facets' middle (P5). Ideal
/// surfaces (all control point heights 0) are canted and translated; fitted ones already contain
/// both.
SurfacePoints sample_surface(const Surface& surface,
                             const std::array<int64_t, 2>& points_per_facet);

/// Samples surfaces on demand and caches those that several heliostats share.
class SurfaceStore {
  public:
    SurfaceStore(const Scenario& scenario, const std::array<int64_t, 2>& points_per_facet);

    SurfacePoints sample(size_t heliostat);

  private:
    const Scenario& scenario_;
    std::array<int64_t, 2> points_per_facet_;
    std::map<const Surface*, int64_t> num_users_;
    std::map<const Surface*, SurfacePoints> kept_;
};

}  // namespace helioray::artist
