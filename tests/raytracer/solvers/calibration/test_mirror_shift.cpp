// SPDX-License-Identifier: MIT
// Centroids of the light of bent mirrors against closed forms and against all of their rays.
#include "raytracer/solvers/calibration/model/mirror_shift.h"
#include "raytracer/tracing/surface/surface.h"
#include "tests/raytracer/solvers/calibration/simulated.h"
#include "tests/support/catch2.h"

namespace helioray::test {

namespace {

/// A mirror of 2 x 2 facets in a plane, every one 1.6 m wide and 1.2 m high.
Surface four_facets(FacetShape shape, double focal_length) {
    Surface surface;
    for (const double e : {-0.8, 0.8}) {
        for (const double n : {-0.6, 0.6}) {
            Facet facet;
            facet.name = "facet_" + std::to_string(surface.facets.size() + 1);
            facet.shape = shape;
            facet.focal_length = focal_length;
            facet.translation = {e, n, 0.0};
            facet.canting_e = {0.8, 0.0, 0.0};
            facet.canting_n = {0.0, 0.6, 0.0};
            surface.facets.push_back(facet);
        }
    }
    return surface;
}

/// The same as B-splines in the mirror's frame, with these heights at the control points.
template <typename Height>
Surface bent(const Height& height) {
    Surface surface = four_facets(FacetShape::bspline, 0.0);
    constexpr int64_t kPoints = 8;
    for (Facet& facet : surface.facets) {
        facet.num_control_points = {kPoints, kPoints};
        for (int64_t i = 0; i < kPoints; ++i) {
            for (int64_t j = 0; j < kPoints; ++j) {
                const double e =
                    facet.translation[0] + 0.8 * (2.0 * static_cast<double>(i) / 7.0 - 1.0);
                const double n =
                    facet.translation[1] + 0.6 * (2.0 * static_cast<double>(j) / 7.0 - 1.0);
                for (const double x : {e, n, height(e, n)}) facet.control_points.push_back(x);
            }
        }
    }
    return surface;
}

}  // namespace

TEST_CASE("mirror shift: the pieces of a mirror cover it") {
    for (const Surface& surface : {four_facets(FacetShape::flat, 0.0),
                                   four_facets(FacetShape::sphere, 60.0),
                                   bent([](double e, double n) { return 1e-3 * e * n; })}) {
        double area = 0.0;
        Vec3 centre{};
        for (const MirrorElement& element : mirror_elements(surface)) {
            area += element.area;
            centre = add_scaled(centre, element.area, element.centre);
            CHECK(norm(element.normal) == Approx(1.0));
        }
        // A spline runs along its edges at a changing pace, which few points follow to 0.3 %.
        CHECK(area == Approx(4 * 1.6 * 1.2).epsilon(5e-3));
        CHECK(std::abs(centre[0]) < 1e-9);
        CHECK(std::abs(centre[1]) < 1e-9);
    }
    CHECK(mirror_elements(four_facets(FacetShape::flat, 0.0)).size() == 4);
}

TEST_CASE("mirror shift: a mirror that is turned as a whole moves the light by its turn") {
    std::mt19937_64 random(83);
    const Simulated one = simulated(Level::drives, 5, 0, 0.0, random);
    // Turned by the slope du/de: the reflection at the origin along the turned normal.
    constexpr double kSlope = 4e-3;
    const Surface surface = bent([](double e, double) { return kSlope * e; });
    for (const SpotRecord& record : one.data.records) {
        const Vec3 shift = centroid_shift(mirror_elements(surface), one.truth, record);
        const Frame<double> mirror =
            motor_pose<double>({one.truth, record.motor_positions, {}}).mirror;
        const auto spot_of = [&](const Vec3& normal) {
            const Vec3 n = mirror.outwards(normalized(normal));
            const Vec3 direction =
                add_scaled(scaled(-1.0, record.to_sun), 2.0 * dot(record.to_sun, n), n);
            return *hit({mirror.origin, direction, n}, record.plane);
        };
        const Vec3 expected = subtract(spot_of({-kSlope, 0, 1}), spot_of({0, 0, 1}));
        CHECK(norm(expected) > 0.1);
        CHECK(norm(subtract(shift, expected)) < 1e-6);
    }
}

TEST_CASE("mirror shift: light of a rippled mirror has the centroid of all of its rays") {
    std::mt19937_64 random(89);
    const Simulated one = simulated(Level::drives, 5, 0, 0.0, random);
    // Astigmatism, coma and ripples of a few mrad.
    const Surface surface = bent([](double e, double n) {
        return 2e-3 * e * e - 1e-3 * n * n + 1e-3 * e * n + 0.8e-3 * e * e * e +
               0.2e-3 * std::sin(9.0 * e + 4.0 * n);
    });
    constexpr int64_t kRays = 96;
    const auto grid = evaluation_grid(kRays, kRays, 0.5 / kRays);
    for (const SpotRecord& record : one.data.records) {
        const Vec3 shift = centroid_shift(mirror_elements(surface), one.truth, record);
        // All rays, each weighted with the light that its point receives.
        const Frame<double> mirror =
            motor_pose<double>({one.truth, record.motor_positions, {}}).mirror;
        Vec3 sum{};
        double power = 0.0;
        for (const Facet& facet : surface.facets) {
            for (const FacetPoint& at : evaluate_facet(facet, ControlPointFrame::mirror, grid)) {
                const Vec3 n = mirror.outwards(at.normal);
                const double cosine = dot(record.to_sun, n);
                const Vec3 direction = add_scaled(scaled(-1.0, record.to_sun), 2.0 * cosine, n);
                const Vec3 origin = add(mirror.origin, mirror.outwards(at.point));
                const double received = cosine * norm(cross(at.tangent_u, at.tangent_v));
                sum = add_scaled(sum, received, *hit({origin, direction, n}, record.plane));
                power += received;
            }
        }
        const auto ray = SpotModel(one.truth).ray(record.motor_positions, record.to_sun);
        const Vec3 expected = subtract(scaled(1.0 / power, sum), *hit(*ray, record.plane));
        CHECK(norm(expected) > 5e-3);
        CHECK(norm(subtract(shift, expected)) < 2e-3);
    }
}

}  // namespace helioray::test
