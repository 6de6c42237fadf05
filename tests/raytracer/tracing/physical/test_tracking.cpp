// SPDX-License-Identifier: MIT
// Tracking errors: their distribution, what they depend on, and where the beams go.
#include "raytracer/run/make_job.h"
#include "raytracer/tracing/physical/align_field.h"
#include "tests/raytracer/tracing/physical/physical_support.h"

#include <cmath>
#include <numeric>
#include <set>

using namespace helioray;
using namespace helioray::test;
using physical::axis_errors;

namespace {

struct MeanAndDeviation {
    double mean = 0.0;
    double deviation = 0.0;
};

MeanAndDeviation moments(const std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    MeanAndDeviation result;
    result.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    for (const double value : values) result.deviation += std::pow(value - result.mean, 2);
    result.deviation = std::sqrt(result.deviation / (count - 1.0));
    return result;
}

/// Mean [right, up] position of a heliostat's own light, in metres.
std::array<double, 2> centroid(const HeliostatResult& heliostat, int64_t pixels, double extent) {
    double sum = 0.0, right = 0.0, up = 0.0;
    for (int64_t i = 0; i < pixels; ++i) {
        for (int64_t j = 0; j < pixels; ++j) {
            const double flux = heliostat.flux[static_cast<size_t>(i * pixels + j)];
            sum += flux;
            right += flux * ((static_cast<double>(j) + 0.5) / static_cast<double>(pixels) - 0.5);
            up += flux * (0.5 - (static_cast<double>(i) + 0.5) / static_cast<double>(pixels));
        }
    }
    return {right / sum * extent, up / sum * extent};
}

}  // namespace

TEST_CASE("axis errors are normal numbers that depend on seed and heliostat alone") {
    std::vector<size_t> all(20000);
    std::iota(all.begin(), all.end(), size_t{0});
    const auto errors = axis_errors({1e-3, 42}, all);
    REQUIRE(errors.size() == all.size());

    std::set<double> different;
    std::vector<double> first, second, product;
    size_t within = 0;
    for (size_t i = 0; i < all.size(); ++i) {
        different.insert(errors[i].begin(), errors[i].end());
        first.push_back(errors[i][0] / 1e-3);
        second.push_back(errors[i][1] / 1e-3);
        product.push_back(first.back() * second.back());
        within += std::abs(first.back()) < 1.0 ? 1 : 0;
    }
    CHECK(different.size() == 2 * all.size());
    // Four standard errors of n = 20000.
    const double root = std::sqrt(static_cast<double>(all.size()));
    for (const auto& axis : {first, second}) {
        CHECK(std::abs(moments(axis).mean) < 4.0 / root);
        CHECK(std::abs(moments(axis).deviation - 1.0) < 4.0 / (std::sqrt(2.0) * root));
    }
    CHECK(std::abs(moments(product).mean) < 4.0 / root);
    CHECK(std::abs(static_cast<double>(within) / 20000.0 - 0.6827) < 4.0 * 0.4655 / root);

    const auto alone = axis_errors({1e-3, 42}, {777})[0];
    CHECK(alone == errors[777]);
    CHECK(axis_errors({1e-3, 43}, {777})[0] != alone);
    CHECK(axis_errors({1e-3, 42 + (uint64_t{1} << 40)}, {777})[0] != alone);
    CHECK(axis_errors({2e-3, 42}, {777})[0][0] == Approx(2.0 * alone[0]));
}

TEST_CASE("beams scatter as far as the axes turn their mirrors") {
    // In the vertical plane the normal follows its elevation, and the beam turns twice as far. An
    // azimuth error moves the normal by its cosine of elevation (30 degrees) sideways, and a beam
    // that arrives at 30 degrees by 2 cos 30 of that. The wall stands 100 m off, at right angles.
    constexpr size_t kCount = 400;
    constexpr double kSigma = 1e-3, kExtent = 2.0, kDistance = 100.0;
    const Scenario scenario = wall_scenario(kCount, 0.1, kExtent);
    RunConfig config = wall_config();
    config.tracing.rays_per_heliostat = 512;
    config.output.per_heliostat = true;
    config.optics.tracking_error = kSigma;
    const RunResult result = trace_all(*make_job(config, scenario));

    std::vector<double> right, up;
    for (const HeliostatResult& heliostat : result.heliostats) {
        const auto mean = centroid(heliostat, config.bitmap.width, kExtent);
        right.push_back(mean[0]);
        up.push_back(mean[1]);
    }
    const double expected_right = 2.0 * 0.75 * kSigma * kDistance;
    const double expected_up = 2.0 * kSigma * kDistance;
    const double tolerance = 4.0 / std::sqrt(2.0 * kCount);
    CHECK(std::abs(moments(right).deviation / expected_right - 1.0) < tolerance);
    CHECK(std::abs(moments(up).deviation / expected_up - 1.0) < tolerance);
    CHECK(std::abs(moments(right).mean) < 4.0 * expected_right / std::sqrt(double(kCount)));
    CHECK(std::abs(moments(up).mean) < 4.0 * expected_up / std::sqrt(double(kCount)));

    // Without an error all beams meet at the centre, within a pixel.
    config.optics.tracking_error = 0.0;
    const RunResult straight = trace_all(*make_job(config, scenario));
    for (const HeliostatResult& heliostat : straight.heliostats) {
        const auto mean = centroid(heliostat, config.bitmap.width, kExtent);
        CHECK(std::hypot(mean[0], mean[1]) < kExtent / 64.0);
    }
}

TEST_CASE("a heliostat errs the same way whoever else is active, by aim or by motor positions") {
    const Scenario scenario = wall_scenario(5, 1.0, 10.0);
    RunConfig config = wall_config();
    config.tracing.rays_per_heliostat = 64;
    config.optics.tracking_error = 2e-3;
    const RunResult all = trace_all(*make_job(config, scenario));
    config.aim.active = {"H003", "H001"};
    const RunResult some = trace_all(*make_job(config, scenario));
    REQUIRE(some.heliostats.size() == 2);
    CHECK(some.heliostats[0].orientation == all.heliostats[1].orientation);
    CHECK(some.heliostats[1].orientation == all.heliostats[3].orientation);
    CHECK(some.heliostats[0].orientation != some.heliostats[1].orientation);

    // The drives stand where they were sent; the mirror does not.
    config.optics.tracking_error = 0.0;
    const RunResult straight = trace_all(*make_job(config, scenario));
    CHECK(straight.heliostats[0].motor_positions == some.heliostats[0].motor_positions);
    CHECK(straight.heliostats[0].orientation != some.heliostats[0].orientation);

    config.optics.tracking_error = 2e-3;
    config.aim.heliostats["H001"].motor_positions = some.heliostats[0].motor_positions;
    const RunResult by_motors = trace_all(*make_job(config, scenario));
    for (size_t i = 0; i < 16; ++i) {
        CHECK(by_motors.heliostats[0].orientation[i] ==
              Approx(some.heliostats[0].orientation[i]).margin(1e-9));
    }
    config.tracing.seed = 43;
    const RunResult other = trace_all(*make_job(config, scenario));
    CHECK(other.heliostats[1].orientation != some.heliostats[1].orientation);
}
