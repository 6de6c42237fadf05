// SPDX-License-Identifier: MIT
// Derives states from calibrations, and updates them by a filter.
#include "raytracer/solvers/calibration/state.h"

#include "raytracer/solvers/calibration/stages.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray::calibration {

namespace {

constexpr double kDaysPerYear = 365.25;

/// Returns a problem without records, to use the formulas of the fitter.
SpotProblem problem_of(const HeliostatState& state) {
    SpotProblem problem;
    problem.nominal = state.nominal;
    problem.parameters = parameters_of(state.nominal);
    for (size_t i = 0; i < problem.parameters.size(); ++i) {
        problem.parameters[i].sigma = state.prior_sigmas.at(i);
    }
    return problem;
}

KinematicsRecord make_kinematics(const HeliostatState& state) {
    const SpotProblem problem = problem_of(state);
    return SpotFitter(problem).kinematics(state.unknowns, 0);
}

/// Returns the variance that a parameter gains per day, relative to its prior variance.
double drift_per_day(const Parameter& parameter) {
    if (!(parameter.sigma > 0)) return 0.0;
    const size_t column = parameter.columns.front().first;
    double drift = 0.0;
    if (parameter.level <= Level::zero) drift = kTiltDrift;
    if (column == RecordColumns::drives + 3 || column == RecordColumns::drives + 8)
        drift = kStrokeDrift;
    return drift * drift / (parameter.sigma * parameter.sigma * kDaysPerYear);
}

}  // namespace

HeliostatState state_of(const HeliostatCalibration& calibration) {
    HeliostatState state;
    state.name = calibration.name;
    state.nominal = calibration.nominal;
    state.prior_sigmas = calibration.prior_sigmas;
    state.unknowns = calibration.unknowns;
    state.covariance = calibration.covariance;
    state.scale = calibration.scale;
    state.bending = calibration.bending;
    state.aim_error = calibration.aim_error;
    state.records = calibration.used;
    state.counted = calibration.counted;
    state.epochs = calibration.epochs.size() + 1;
    state.last_day = calibration.last_day;
    for (const Comparison& comparison : calibration.fitted) {
        state.residual += comparison.error / static_cast<double>(calibration.fitted.size());
    }
    return state;
}

Scenario calibrated_scenario(Scenario scenario, const std::vector<HeliostatState>& states) {
    for (const HeliostatState& state : states) {
        if (state.records == 0) continue;
        const auto index = scenario.find_heliostat(state.name);
        if (!index || !scenario.heliostats[*index].kinematics) continue;
        Heliostat& heliostat = scenario.heliostats[*index];
        const KinematicsRecord record = make_kinematics(state);
        heliostat.position = record.position;
        Kinematics kinematics = *heliostat.kinematics;
        KinematicsDeviations& deviations = kinematics.deviations;
        for (size_t i = 0; i < 3; ++i) {
            deviations.first_joint_translation[i] = record.translations[i];
            deviations.second_joint_translation[i] = record.translations[3 + i];
            deviations.concentrator_translation[i] = record.translations[6 + i];
        }
        deviations.first_joint_tilt_n = record.rotations[0];
        deviations.first_joint_tilt_u = record.rotations[1];
        deviations.second_joint_tilt_e = record.rotations[2];
        deviations.second_joint_tilt_n = record.rotations[3];
        heliostat.kinematics = std::make_shared<const Kinematics>(kinematics);
        ActuatorPair actuators = *heliostat.actuators;
        for (size_t axis = 0; axis < 2; ++axis) {
            if (actuators[axis].type != ActuatorType::linear) continue;
            const DriveRecord& drive = record.drives[axis];
            actuators[axis].increment = drive.increment;
            actuators[axis].offset = drive.offset;
            actuators[axis].pivot_radius = drive.pivot_radius;
            actuators[axis].initial_stroke_length = drive.initial_stroke;
            // Files specify the angle of axis 1 for a horizontal mirror.
            actuators[axis].initial_angle =
                drive.initial_angle + (axis == 0 ? std::numbers::pi / 2 : 0.0);
        }
        heliostat.actuators = std::make_shared<const ActuatorPair>(actuators);
    }
    return scenario;
}

double expected_aim_error(const HeliostatState& state,
                          const std::vector<std::pair<std::string, TargetPlane>>& targets,
                          double latitude_deg) {
    const SpotProblem problem = problem_of(state);
    const SpotFitter fitter(problem);
    HeliostatCalibration result;
    result.kinematics = fitter.kinematics(state.unknowns, 0);
    result.unknowns = state.unknowns;
    result.covariance = state.covariance;
    result.scale = state.scale;
    result.bending = state.bending;
    result.counted = state.counted;
    judge_future(fitter, targets, latitude_deg, Outlook::error, result);
    return result.aim_error;
}

namespace {

/// Returns the covariance of a state's unknowns after they have drifted since the last record.
SquareMatrix drifted_covariance(const HeliostatState& state,
                                const SpotProblem& problem,
                                const SpotRecord& record) {
    SquareMatrix covariance = state.covariance;
    if (record.julian_day && state.last_day && *record.julian_day > *state.last_day) {
        for (size_t i = 0; i < covariance.size(); ++i) {
            covariance(i, i) +=
                drift_per_day(problem.parameters[i]) * (*record.julian_day - *state.last_day);
        }
    }
    return covariance;
}

/// Predicts a record from a state. `seen` is the record with the spot of the mirror's centre, which
/// lies before the measured spot by `shift`.
Comparison predict_record(const HeliostatState& state,
                          const SpotFitter& fitter,
                          const SpotRecord& record,
                          const SpotRecord& seen,
                          const Vec3& shift,
                          const SquareMatrix& covariance) {
    const double nearest = nearest_sun(record.to_sun, state.counted);
    const double unbent = kVarianceOfScale * state.scale * state.scale;
    const double noise = std::sqrt(unbent + bending_variance(state.bending, nearest));
    Comparison predicted = compare(fitter, seen, 0, state.unknowns, &covariance, noise);
    predicted.sun_distance = sun_distance(nearest);
    predicted.measured = record.spot;
    if (predicted.predicted) predicted.predicted = add(*predicted.predicted, shift);
    return predicted;
}

/// Returns the reason why a record does not update a state; empty if it does.
std::optional<std::string> reason_to_reject(const HeliostatState& state,
                                            const SpotFitter& fitter,
                                            const SpotRecord& record,
                                            const SpotRecord& seen,
                                            const Comparison& predicted) {
    const std::string identity = identity_of(record);
    if (std::any_of(state.counted.begin(), state.counted.end(), [&](const CountedRecord& counted) {
            return counted.identity == identity;
        })) {
        return "counted before: a record counts once";
    }
    if (auto reason = not_of_last_epoch(state, record)) return reason;
    if (!fitter.linear(seen, 0, state.unknowns)) {
        return "impossible motor position: its drive does not reach it";
    }
    if (is_gross(predicted.error, std::sqrt(predicted.mahalanobis))) {
        return fmt::format(
            "outlier: its spot lies {:.2f} m ({:.1f} mrad of the normal) "
            "from where it was expected",
            predicted.error_m,
            1e3 * predicted.error);
    }
    return std::nullopt;
}

/// Unknowns with their covariance.
struct Estimate {
    std::vector<double> unknowns;
    SquareMatrix covariance;
};

/// Updates an estimate by a record that is linearised about other unknowns; `variance` is that of
/// the measurement.
Estimate updated(const Estimate& prior,
                 const SpotFitter::Linear& linear,
                 const std::vector<double>& about,
                 double variance) {
    const size_t count = prior.unknowns.size();
    Estimate result{prior.unknowns, prior.covariance};
    std::array<std::vector<double>, 2> spread{std::vector<double>(count, 0.0),
                                              std::vector<double>(count, 0.0)};
    std::array<double, 4> s{variance, 0.0, 0.0, variance};
    std::array<double, 2> innovation = linear.value;
    for (size_t k = 0; k < 2; ++k) {
        for (size_t a = 0; a < count; ++a) {
            for (size_t b = 0; b < count; ++b) {
                spread[k][a] += prior.covariance(a, b) * linear.slope[k][b];
            }
            innovation[k] += linear.slope[k][a] * (prior.unknowns[a] - about[a]);
        }
    }
    for (size_t k = 0; k < 2; ++k) {
        for (size_t l = 0; l < 2; ++l) {
            for (size_t a = 0; a < count; ++a) {
                s[2 * k + l] += linear.slope[k][a] * spread[l][a];
            }
        }
    }
    const double determinant = s[0] * s[3] - s[1] * s[2];
    const std::array<double, 4> inverse{
        s[3] / determinant, -s[1] / determinant, -s[2] / determinant, s[0] / determinant};
    for (size_t a = 0; a < count; ++a) {
        const double first = spread[0][a] * inverse[0] + spread[1][a] * inverse[2];
        const double second = spread[0][a] * inverse[1] + spread[1][a] * inverse[3];
        result.unknowns[a] -= first * innovation[0] + second * innovation[1];
        for (size_t b = 0; b < count; ++b) {
            result.covariance(a, b) -= first * spread[0][b] + second * spread[1][b];
        }
    }
    return result;
}

}  // namespace

Update update(HeliostatState& state,
              const SpotRecord& record,
              const std::vector<MirrorElement>& mirror) {
    const SpotProblem problem = problem_of(state);
    const SpotFitter fitter(problem);
    const Estimate prior{state.unknowns, drifted_covariance(state, problem, record)};
    SpotRecord seen = record;
    const Vec3 shift = centroid_shift(mirror, fitter.kinematics(state.unknowns, 0), record);
    seen.spot = subtract(seen.spot, shift);
    Update result;
    result.predicted = predict_record(state, fitter, record, seen, shift, prior.covariance);
    result.rejected = reason_to_reject(state, fitter, record, seen, result.predicted);
    if (result.rejected) return result;

    // Linearise again at the end of each step until the step no longer changes.
    const double weight =
        std::min(1.0, (kStudent + 2.0) / (kStudent + result.predicted.mahalanobis));
    const double variance =
        kVarianceOfScale * std::pow(fitted_scale(state.scale, state.bending), 2);
    Estimate estimate = prior;
    for (int pass = 0; pass < 4; ++pass) {
        const auto linear = fitter.linear(seen, 0, estimate.unknowns);
        if (!linear) return result;
        Estimate next = updated(prior, *linear, estimate.unknowns, variance / weight);
        double change = 0.0;
        for (size_t a = 0; a < next.unknowns.size(); ++a)
            change = std::max(change, std::abs(next.unknowns[a] - estimate.unknowns[a]));
        estimate = std::move(next);
        if (change < 1e-9) break;
    }
    state.unknowns = std::move(estimate.unknowns);
    state.covariance = std::move(estimate.covariance);
    ++state.records;
    state.counted.push_back(
        {identity_of(record), state.epochs - 1, record.julian_day, record.to_sun});
    if (record.julian_day) {
        state.last_day = std::max(state.last_day.value_or(*record.julian_day), *record.julian_day);
    }
    return result;
}

}  // namespace helioray::calibration
