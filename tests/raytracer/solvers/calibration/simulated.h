// SPDX-License-Identifier: MIT
// Heliostats whose true kinematics are known, and spots that they make.
#pragma once

#include "raytracer/solvers/calibration/calibrate.h"
#include "raytracer/tracing/kinematics/pose.h"

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace helioray::test {

using namespace calibration;

/// A rigid body with linear drives as they stand in Juelich, at a place of the field.
inline KinematicsRecord nominal_heliostat(const Vec3& position) {
    KinematicsRecord record;
    record.position = position;
    record.translations[7] = -0.175;
    record.drives[0] = {true,
                        false,
                        154166.6667,
                        0.335308,
                        0.338095,
                        0.0774,
                        0.039 - std::numbers::pi / 2,
                        0.0,
                        69000.0};
    record.drives[1] = {true, true, 154166.6667, 0.340771, 0.3191, 0.0775, 0.944, 0.0, 75000.0};
    return record;
}

/// A wall that faces north, 50 m above ground.
inline TargetPlane north_wall() {
    return {{0, -3, 40}, {-1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
}

inline std::vector<std::pair<std::string, TargetPlane>> walls() {
    return {{"wall", north_wall()}};
}

/// The nominal kinematics with parameters up to a level drawn from their priors.
inline KinematicsRecord drawn(const KinematicsRecord& nominal,
                              Level level,
                              std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::array<double, kColumns> shift{};
    for (const Parameter& parameter : parameters_of(nominal)) {
        const double value = parameter.sigma * normal(random);
        if (parameter.level > level) continue;
        for (const auto& [column, factor] : parameter.columns) shift[column] += factor * value;
    }
    return moved(nominal, shift);
}

/// A sun of any time of the year, at least 12 degrees high, at a latitude of 50.9 degrees.
inline Vec3 drawn_sun(std::mt19937_64& random) {
    std::uniform_real_distribution<double> season(0, 2 * std::numbers::pi), hours(-1.4, 1.4);
    const double latitude = 0.888;
    while (true) {
        const double declination = 0.409 * std::sin(season(random)), hour = hours(random);
        const Vec3 sun{-std::cos(declination) * std::sin(hour),
                       std::sin(declination) * std::cos(latitude) -
                           std::cos(declination) * std::cos(hour) * std::sin(latitude),
                       std::sin(declination) * std::sin(latitude) +
                           std::cos(declination) * std::cos(hour) * std::cos(latitude)};
        if (sun[2] > 0.21) return sun;
    }
}

/// What rigid kinematics leave out: a smooth function of the sun for each axis, normally
/// distributed with a standard deviation, that suns thirty degrees apart share with a correlation
/// of exp(-1/2) (random Fourier features).
class SmoothError {
  public:
    SmoothError() = default;
    SmoothError(double deviation, std::mt19937_64& random) {
        constexpr double kReach = std::numbers::pi / 6;
        constexpr size_t kWaves = 60;
        std::normal_distribution<double> normal;
        std::uniform_real_distribution<double> phase(0, 2 * std::numbers::pi);
        for (auto& waves : waves_) {
            for (size_t i = 0; i < kWaves; ++i) {
                const Vec3 wave{normal(random), normal(random), normal(random)};
                waves.push_back({scaled(1 / kReach, wave), phase(random)});
            }
        }
        amplitude_ = deviation * std::sqrt(2.0 / kWaves);
    }

    /// Radians about an axis.
    double at(const Vec3& to_sun, size_t axis) const {
        double sum = 0.0;
        for (const auto& [wave, phase] : waves_[axis]) sum += std::cos(dot(wave, to_sun) + phase);
        return amplitude_ * sum;
    }

  private:
    std::array<std::vector<std::pair<Vec3, double>>, 2> waves_;
    double amplitude_ = 0.0;  // radians
};

/// A record of a mirror that aims at the wall as well as its nominal kinematics let it, up to a
/// metre, and whose spot is measured with an error of `noise` radians about each axis.
inline SpotRecord drawn_record(const KinematicsRecord& nominal,
                               const KinematicsRecord& truth,
                               double noise,
                               size_t number,
                               std::mt19937_64& random,
                               const SmoothError& smooth = {}) {
    std::normal_distribution<double> normal;
    SpotRecord record;
    record.id = std::to_string(number);
    record.order = static_cast<double>(number);
    record.target = "wall";
    record.plane = north_wall();
    while (true) {
        record.to_sun = drawn_sun(random);
        const Pointing pointing = point_mirror(nominal, {record.to_sun, record.plane.centre});
        if (!pointing.within_limits[0] || !pointing.within_limits[1]) continue;
        for (size_t axis = 0; axis < 2; ++axis) {
            record.motor_positions[axis] = std::round(pointing.motor_positions[axis]);
        }
        const auto ray = SpotModel(truth).ray(record.motor_positions, record.to_sun);
        if (!ray) continue;
        const auto spot = hit(*ray, record.plane);
        if (!spot) continue;
        // Turned by twice the error of the normal.
        record.spot = *spot;
        const ResidualAxes axes = residual_axes(record, ray->origin);
        const double first = noise * normal(random) + smooth.at(record.to_sun, 0);
        const double second = noise * normal(random) + smooth.at(record.to_sun, 1);
        const Vec3 direction = normalized(
            add_scaled(add_scaled(ray->direction, 2 * first, axes.first), 2 * second, axes.second));
        const auto measured = hit({ray->origin, direction, ray->normal}, record.plane);
        if (!measured) continue;
        record.spot = *measured;
        return record;
    }
}

/// One heliostat with records and records for a test.
struct Simulated {
    HeliostatRecords data;
    KinematicsRecord truth;
};

/// bending: standard deviation of a SmoothError, radians.
inline Simulated simulated(Level level,
                           size_t records,
                           size_t tests,
                           double noise,
                           std::mt19937_64& random,
                           double bending = 0.0) {
    std::uniform_real_distribution<double> east(-60, 60), north(25, 130);
    Simulated result;
    result.data.name = "H";
    const Vec3 position{east(random), north(random), 1.7};
    result.data.nominal = nominal_heliostat(position);
    result.truth = drawn(result.data.nominal, level, random);
    const SmoothError smooth = bending > 0 ? SmoothError(bending, random) : SmoothError();
    for (size_t i = 0; i < records + tests; ++i) {
        auto& list = i < records ? result.data.records : result.data.test;
        list.push_back(
            drawn_record(result.data.nominal, result.truth, noise, i + 1, random, smooth));
    }
    return result;
}

/// Standard deviation of the directions to simulated spots, radians.
inline constexpr double kNoise = 0.6e-3;

/// Returns the calibration of one heliostat.
inline HeliostatCalibration calibrated(const HeliostatRecords& data, bool left_out = false) {
    CalibrationOptions options;
    options.left_out = left_out;
    options.next_measurement = false;
    options.latitude_deg = 50.9;
    options.num_threads = 1;
    return calibrate({data}, walls(), options).front();
}

}  // namespace helioray::test
