// SPDX-License-Identifier: MIT
// The tilt that facets have in common, from the poses that motors gave the mirror.
#include "raytracer/solvers/reconstruction/fit/common_tilt.h"
#include "raytracer/tracing/geometry/frames.h"
#include "tests/raytracer/solvers/reconstruction/mirrors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

using namespace helioray;
using namespace helioray::reconstruction;

namespace {

/// A mirror of four tilted facets, records of it, and a fit that knows all but the tilt that facets
/// have in common, 1.5 and -1 mrad.
struct TiltedMirror {
    Scenario scenario = test::one_heliostat(test::four_facets(50.0));
    MirrorShape shape{*scenario.heliostats[0].surface};
    Surface truth;
    std::vector<FluxRecord> records;
    MirrorFit fit;

    TiltedMirror() {
        constexpr std::array<double, 2> kCommon{1.5e-3, -1e-3};
        constexpr std::array<std::array<double, 2>, 4> kOwn{
            {{0.6e-3, 0.3e-3}, {-0.6e-3, -0.9e-3}, {0.2e-3, 0.9e-3}, {-0.2e-3, -0.3e-3}}};
        const size_t count = shape.num_unknowns();
        std::vector<double> unknowns(count, 0.0);
        fit.unknowns = unknowns;
        for (size_t f = 0; f < kOwn.size(); ++f) {
            for (size_t axis = 0; axis < 2; ++axis) {
                const size_t at = f * shape.num_coefficients() + axis;
                fit.unknowns[at] = kOwn[f][axis];
                unknowns[at] = kOwn[f][axis] + kCommon[axis];
            }
        }
        fit.covariance.assign(count * count, 0.0);
        truth = shape.surface(unknowns, fit.covariance);
        for (size_t i = 0; i < count; ++i) fit.covariance[i * count + i] = 1e-10;
        for (size_t i = 0; i < 4; ++i) {
            const auto [azimuth, elevation] = test::kSuns[2 * i];
            const ImageGeometry aimed = test::geometry_of(scenario, azimuth, elevation);
            // The light misses the aim point, and the record is about the light.
            const auto [x, y] = ImageModel(aimed).centroid(shape, unknowns).value();
            const std::array<Vec3, 3> axes = flat_axes(aimed.normal);
            const Vec3 spot = add_scaled(add_scaled(aimed.centre, x, axes[0]), y, axes[1]);
            FluxRecord& record = records.emplace_back();
            record.geometry = test::geometry_of(scenario, azimuth, elevation, spot);
            record.by_motors = aimed.orientation;
            const auto [right, up] =
                ImageModel(record.geometry).centroid(shape, fit.unknowns).value();
            fit.own.push_back({{-right, -up}, 0.0});
        }
    }

    double off() const {
        return slope_difference(shape.surface(fit.unknowns, fit.covariance), truth);
    }
    double stated() const { return shape.slope_deviation(fit.covariance, fit.unresolved); }
    /// Turns the mirror of a record about east, radians.
    void turn(FluxRecord& record, double angle) const {
        std::array<double, 16>& m = record.by_motors.value();
        for (size_t column = 0; column < 3; ++column) {
            const double n = m[4 + column], u = m[8 + column];
            m[4 + column] = std::cos(angle) * n - std::sin(angle) * u;
            m[8 + column] = std::sin(angle) * n + std::cos(angle) * u;
        }
    }
};

}  // namespace

TEST_CASE("Motor positions show the tilt that all facets have in common") {
    TiltedMirror mirror;
    CHECK(mirror.off() == Approx(std::hypot(1.5e-3, 1e-3)).epsilon(0.01));
    const auto tilt = shown_tilt(mirror.shape, mirror.fit, mirror.records);
    REQUIRE(tilt);
    take_tilt(mirror.shape, *tilt, mirror.fit);
    INFO("off by " << mirror.off() << ", stated " << mirror.stated());
    CHECK(mirror.off() < 0.05e-3);
    // Surveys may be off by 0.1 mrad along either axis.
    CHECK(mirror.stated() > 0.14e-3);
    CHECK(mirror.stated() < 0.2e-3);
}

TEST_CASE("Kinematics that are not right show no tilt") {
    const TiltedMirror mirror;
    const auto tilt_with = [&](const auto& error) {
        std::vector<FluxRecord> records = mirror.records;
        for (size_t i = 0; i < records.size(); ++i) mirror.turn(records[i], error(i));
        return shown_tilt(mirror.shape, mirror.fit, records);
    };
    CHECK(tilt_with([](size_t) { return 0.0; }));
    // All off alike by more than mirrors are tilted, every one by its own, pointing away.
    CHECK(!tilt_with([](size_t) { return 5e-3; }));
    CHECK(!tilt_with([](size_t) { return -5e-3; }));
    CHECK(!tilt_with([](size_t i) { return i % 2 == 0 ? 0.8e-3 : -0.8e-3; }));
    CHECK(!tilt_with([](size_t) { return 2.5; }));
    // Scatter is variance.
    const auto vague = tilt_with([](size_t i) { return i % 2 == 0 ? 0.3e-3 : -0.3e-3; });
    const auto exact = tilt_with([](size_t) { return 0.0; });
    REQUIRE(vague);
    REQUIRE(exact);
    CHECK(vague->variance[1] > 2.0 * exact->variance[1]);

    std::vector<FluxRecord> records = mirror.records;
    for (size_t i = 1; i < records.size(); ++i) records[i].by_motors.reset();
    CHECK(!shown_tilt(mirror.shape, mirror.fit, records));
}
