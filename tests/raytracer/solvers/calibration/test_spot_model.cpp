// SPDX-License-Identifier: MIT
// Spots against the program's own kinematics, derivatives against central differences.
#include "tests/raytracer/solvers/calibration/simulated.h"
#include "tests/support/catch2.h"

namespace helioray::test {

TEST_CASE("spot model: the ray is that of the program's kinematics") {
    std::mt19937_64 random(7);
    for (int i = 0; i < 20; ++i) {
        const Simulated one = simulated(Level::all, 1, 0, 0.0, random);
        const SpotRecord& record = one.data.records.front();
        const auto ray = SpotModel(one.truth).ray(record.motor_positions, record.to_sun);
        REQUIRE(ray);
        const Pose<double> pose = motor_pose<double>({one.truth, record.motor_positions, {}});
        for (size_t k = 0; k < 3; ++k) {
            CHECK(ray->normal[k] == Approx(pose.mirror.u[k]).margin(1e-12));
            CHECK(ray->origin[k] == Approx(pose.mirror.origin[k]).margin(1e-12));
        }
    }
}

TEST_CASE("spot model: derivatives are those of central differences") {
    std::mt19937_64 random(11);
    for (int i = 0; i < 10; ++i) {
        const Simulated one = simulated(Level::all, 1, 0, 1e-3, random);
        const SpotRecord& record = one.data.records.front();
        // Somewhere beside the truth, with all tilts and translations.
        const KinematicsRecord at = drawn(one.truth, Level::all, random);
        const ResidualAxes axes = residual_axes(record, at.position);
        const auto residual = SpotModel(at).residual(record, axes);
        if (!residual) continue;
        const auto fewer = SpotModel(at).residual(record, axes, false);
        REQUIRE(fewer);
        for (size_t column = 0; column < kColumns; ++column) {
            const bool increment =
                column == RecordColumns::drives || column == RecordColumns::drives + 5;
            const double step = increment ? 1.0 : 1e-6;
            std::array<double, kColumns> shift{};
            shift[column] = step;
            const auto more = SpotModel(moved(at, shift)).residual(record, axes);
            shift[column] = -step;
            const auto less = SpotModel(moved(at, shift)).residual(record, axes);
            REQUIRE(more);
            REQUIRE(less);
            INFO(column_names()[column]);
            for (size_t k = 0; k < 2; ++k) {
                const double expected = (more->value[k] - less->value[k]) / (2.0 * step);
                CHECK(residual->slope[k][column] ==
                      Approx(expected).epsilon(1e-6).margin(increment ? 1e-12 : 1e-8));
                // Position, and translations of the joints but not of the mirror.
                const bool left_out = column < RecordColumns::translations + 6;
                CHECK(fewer->slope[k][column] == (left_out ? 0.0 : residual->slope[k][column]));
            }
        }
    }
}

TEST_CASE("spot model: a motor position beyond the spindle gives no ray") {
    const KinematicsRecord record = nominal_heliostat({0, 60, 1.7});
    CHECK(SpotModel(record).ray({20000, 40000}, {0, -0.6, 0.8}));
    CHECK_FALSE(SpotModel(record).ray({95000, 40000}, {0, -0.6, 0.8}));
    CHECK_FALSE(SpotModel(record).ray({-20000, 40000}, {0, -0.6, 0.8}));
}

}  // namespace helioray::test
