// SPDX-License-Identifier: MIT
// Points of surfaces in tests: from JSON, sampled, and compared.
#pragma once

#include "raytracer/tracing/surface/surface.h"
#include "scenario/types/vector_math.h"
#include "tests/support/catch2.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace helioray::test {

/// Margin of ARTIST's evaluation grid.
inline constexpr double kArtistGridMargin = 1e-7;

/// The first three numbers of a JSON list.
inline Vec3 vec3_of(const nlohmann::json& json) {
    return {json[0], json[1], json[2]};
}

/// The first three numbers of every row.
inline std::vector<Vec3> vec3_rows(const nlohmann::json& json) {
    std::vector<Vec3> rows;
    for (const nlohmann::json& row : json) rows.push_back(vec3_of(row));
    return rows;
}

/// Rows of two numbers.
inline std::vector<FacetParameters> parameters_of(const nlohmann::json& json) {
    std::vector<FacetParameters> rows;
    for (const nlohmann::json& row : json) rows.push_back({row[0], row[1]});
    return rows;
}

/// Numbers in [low, high) that are the same in every run.
class Uniform {
  public:
    explicit Uniform(uint64_t seed) : state_(seed) {}

    double operator()(double low, double high) {
        // splitmix64
        uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return low + (high - low) * static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }

  private:
    uint64_t state_;
};

/// One member of every point, as list.
inline std::vector<Vec3> each(const std::vector<FacetPoint>& points, Vec3 FacetPoint::*member) {
    std::vector<Vec3> list;
    for (const FacetPoint& point : points) list.push_back(point.*member);
    return list;
}

/// Largest difference of two lists of equal lengths; NaN counts as infinite.
inline double largest_difference(std::span<const double> a, std::span<const double> b) {
    REQUIRE(a.size() == b.size());
    double largest = 0.0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(a[i] - b[i]);
        largest = std::isnan(difference) ? INFINITY : std::max(largest, difference);
    }
    return largest;
}

inline double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0.0;
    for (size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, largest_difference(std::span(a[i]), std::span(b[i])));
    return largest;
}

inline double largest_difference(const Vec3& a, const Vec3& b) {
    return largest_difference(std::span(a), std::span(b));
}

/// Largest difference of the points' normals from the directions of tangent_u x tangent_v.
inline double largest_difference_of_normals(const std::vector<FacetPoint>& points) {
    std::vector<Vec3> crosses;
    for (const FacetPoint& point : points)
        crosses.push_back(normalized(cross(point.tangent_u, point.tangent_v)));
    return largest_difference(crosses, each(points, &FacetPoint::normal));
}

/// All facets of a mirror, one after the other, each over a regular grid of its parameters.
inline std::vector<FacetPoint> sample_surface(const Surface& surface,
                                              int64_t ne,
                                              int64_t nn,
                                              double margin = 0.0) {
    const ControlPointFrame frame = control_point_frame(surface);
    std::vector<FacetPoint> all;
    for (const Facet& facet : surface.facets) {
        const auto points = evaluate_facet(facet, frame, evaluation_grid(ne, nn, margin));
        all.insert(all.end(), points.begin(), points.end());
    }
    return all;
}

}  // namespace helioray::test
