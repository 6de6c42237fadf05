// SPDX-License-Identifier: MIT
// Calibrates one heliostat: finds its frame, epochs and outliers, fits its kinematics and predicts
// its records.
#include "raytracer/solvers/calibration/stages.h"
#include "raytracer/tracing/kinematics/drives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace helioray::calibration {

namespace {

// Number of records up to which every record is predicted by a fit of all others. For more, one
// step of such a fit is as good, and the effort would grow with the square of their number.
constexpr size_t kRefits = 40;

// Mean error of fitted records above which either the records or the properties must be wrong.
constexpr double kUnexplained = 5e-3;  // radians

// Prior odds that a position in the older frame needs the shift. The keys of a file identify the
// older frame; most of these files need the shift.
constexpr double kOddsOfOlderFrame = 9.0;

std::vector<Parameter> scaled_parameters(const KinematicsRecord& nominal, const FieldPrior& prior) {
    std::vector<Parameter> list = parameters_of(nominal);
    for (size_t i = 0; i < prior.widths.size(); ++i) list[i].sigma *= prior.widths[i];
    return list;
}

// Number of records above which the records determine the suns between them better than the field's
// prior.
constexpr size_t kFewRecords = 40;

/// Adds the field's expectation to the prior of the larger sets. Returns their effect beyond the
/// tilts.
SquareMatrix stiffen(SpotProblem& problem,
                     const Alternatives& alternatives,
                     double beyond_tilts,
                     Pass pass) {
    if (problem.records.size() > kFewRecords && pass == Pass::results) return {};
    SquareMatrix effect =
        effect_beyond_tilts(problem, alternatives.targets, alternatives.latitude_deg);
    problem.stiffness = effect;
    for (double& value : problem.stiffness.values()) value /= beyond_tilts * beyond_tilts;
    return effect;
}

constexpr double kTwoTurns = 4.0 * std::numbers::pi;  // radians

/// Returns the reason why a record cannot be used at all; empty if it can.
std::optional<std::string> impossible(const KinematicsRecord& kinematics,
                                      const SpotRecord& record) {
    for (size_t axis = 0; axis < 2; ++axis) {
        const DriveRecord& drive = kinematics.drives[axis];
        const double position = record.motor_positions[axis];
        // Limits of ideal drives may be in steps; do not apply them.
        if (!drive.is_linear && std::abs(position) > kTwoTurns) {
            return fmt::format(
                "impossible motor position: {:.10g} of axis {}, an ideal drive that counts radians",
                position,
                axis + 1);
        }
        if (within_motor_limits(drive, position) &&
            joint_angle_from_motor_position(drive, position).reachable) {
            continue;
        }
        return fmt::format(
            "impossible motor position: {:.10g} of axis {} lies outside {:.10g} to {:.10g}",
            position,
            axis + 1,
            drive.min_position,
            drive.max_position);
    }
    return std::nullopt;
}

/// Repeats the fit until the scale of the residuals no longer changes, given its prior. `fit` is
/// the fit with the expected scale and becomes the last one.
void settle_scale(const SpotFitter& fitter,
                  const ScalePrior& prior,
                  SpotFitter::Fit& fit,
                  HeliostatCalibration& result) {
    result.scale = prior.scale;
    for (int i = 0; i < 4; ++i) {
        if (i > 0) {
            fit = fitter.fit(Level::drives, result.scale, fit.unknowns, std::nullopt, 0.01);
        }
        result.residual_square = 0.0;
        for (const auto& residual : fit.residuals) {
            const auto& [u, v] = residual;
            result.residual_square +=
                student_weight(residual, result.scale, fit.share_left) * (u * u + v * v);
        }
        result.residual_numbers =
            std::max(0.0, 2.0 * static_cast<double>(fit.residuals.size()) - fit.determined);
        const double next =
            std::sqrt((prior.weight * prior.scale * prior.scale + result.residual_square) /
                      (prior.weight + result.residual_numbers));
        const bool settled = std::abs(next - result.scale) < 0.02 * result.scale;
        result.scale = next;
        if (settled) break;
    }
}

/// Returns the models of all epochs.
std::vector<SpotModel> make_models(const SpotFitter& fitter,
                                   const SpotProblem& problem,
                                   const std::vector<double>& unknowns) {
    std::vector<SpotModel> models;
    for (size_t epoch = 0; epoch < problem.num_epochs; ++epoch) {
        models.emplace_back(fitter.kinematics(unknowns, epoch));
    }
    return models;
}

/// Predicts every record from the others.
std::vector<Comparison> leave_each_out(const SpotFitter& fitter,
                                       const SpotProblem& problem,
                                       const CalibrationOptions& options,
                                       double scale,
                                       double bending,
                                       const Average& all) {
    std::vector<Comparison> list;
    const double variance = kVarianceOfScale * scale * scale;
    const double fitted = fitted_scale(scale, bending);
    const bool refit = problem.records.size() <= kRefits;
    const std::vector<SpotModel> models = make_models(fitter, problem, all.unknowns);
    list.reserve(problem.records.size());
    for (size_t i = 0; i < problem.records.size(); ++i) {
        const SpotRecord& record = problem.records[i];
        const size_t epoch = problem.epochs[i];
        const double nearest = nearest_sun(record.to_sun, problem.records, i);
        const double noise = std::sqrt(variance + bending_variance(bending, nearest));
        Comparison comparison;
        if (refit) {
            const Average others = average(fitter, options.level, fitted, all.unknowns, i);
            comparison =
                predict(fitter, problem, record, others.unknowns, others.covariance, noise, i);
        } else if (const auto linear = fitter.linear(record, epoch, models[epoch])) {
            // Take one step of Gauss and Newton away from this record.
            const LeftOutResidual out =
                without(*linear, all.covariance, kVarianceOfScale * fitted * fitted);
            comparison = make_comparison(record, problem.nominal.position, out.value);
            add_variance(comparison, record, problem.nominal.position, out, noise);
        }
        comparison.sun_distance = sun_distance(nearest);
        list.push_back(std::move(comparison));
    }
    return list;
}

/// Subtracts from the spots the shift that is due to the mirror's shape.
void correct_spots(SpotProblem& problem,
                   const SpotFitter& fitter,
                   const std::vector<double>& unknowns,
                   const std::vector<MirrorElement>& mirror,
                   std::vector<Vec3>& shifts) {
    shifts.assign(problem.records.size(), Vec3{});
    for (size_t i = 0; i < problem.records.size(); ++i) {
        shifts[i] = centroid_shift(
            mirror, fitter.kinematics(unknowns, problem.epochs[i]), problem.records[i]);
        problem.records[i].spot = subtract(problem.records[i].spot, shifts[i]);
    }
}

/// Returns the problem in the coordinate frame that its records make more likely.
SpotProblem in_likelier_frame(SpotProblem problem,
                              const HeliostatRecords& heliostat,
                              double scale,
                              HeliostatCalibration& result) {
    if (!heliostat.frame_shift_east || problem.records.empty()) return problem;
    SpotProblem moved_problem = problem;
    moved_problem.nominal.position[0] += *heliostat.frame_shift_east;
    const double here = fit_from_afar(problem, scale).evidence;
    const double there = fit_from_afar(moved_problem, scale).evidence;
    if (there + std::log(kOddsOfOlderFrame) <= here) return problem;
    result.remarks.push_back(
        fmt::format("its properties are of an older frame of coordinates: position moved {:.3f} m "
                    "east, logarithm "
                    "of evidence {:.1f} instead of {:.1f}",
                    *heliostat.frame_shift_east,
                    there,
                    here));
    return moved_problem;
}

void describe_epochs(const SpotFitter& fitter,
                     const SpotProblem& problem,
                     const std::vector<double>& unknowns,
                     HeliostatCalibration& result) {
    for (size_t epoch = 1; epoch < problem.num_epochs; ++epoch) {
        EpochStart start;
        double before = -std::numeric_limits<double>::infinity();
        double first = std::numeric_limits<double>::infinity();
        size_t at = 0;
        for (size_t i = 0; i < problem.records.size(); ++i) {
            const SpotRecord& record = problem.records[i];
            if (!record.order) continue;
            if (problem.epochs[i] + 1 == epoch && *record.order > before) {
                before = *record.order;
                start.last_before = record.id;
            }
            if (problem.epochs[i] == epoch && *record.order < first) {
                first = *record.order;
                start.record = record.id;
                at = i;
            }
        }
        const KinematicsRecord now = fitter.kinematics(unknowns, epoch);
        const KinematicsRecord then = fitter.kinematics(unknowns, epoch - 1);
        for (size_t axis = 0; axis < 2; ++axis) {
            start.stroke_m[axis] =
                now.drives[axis].initial_stroke - then.drives[axis].initial_stroke;
        }
        const SpotRecord& record = problem.records[at];
        const auto a = SpotModel(now).ray(record.motor_positions, record.to_sun);
        const auto b = SpotModel(then).ray(record.motor_positions, record.to_sun);
        if (a && b) start.tilt = std::acos(std::clamp(dot(a->normal, b->normal), -1.0, 1.0));
        result.epochs.push_back(start);
    }
}

/// Returns the problem of the records that can be used at all, all of one epoch. Lists the others
/// as rejected.
SpotProblem make_problem(const HeliostatRecords& heliostat,
                         const FieldPrior& prior,
                         std::vector<Rejection>& rejected) {
    SpotProblem problem;
    problem.nominal = heliostat.nominal;
    problem.parameters = scaled_parameters(heliostat.nominal, prior);
    for (const SpotRecord& record : heliostat.records) {
        if (const auto reason = impossible(heliostat.nominal, record)) {
            rejected.push_back({record.id, *reason});
        } else {
            problem.records.push_back(record);
        }
    }
    problem.epochs.assign(problem.records.size(), 0);
    return problem;
}

std::vector<CountedRecord> counted_records(const SpotProblem& problem) {
    std::vector<CountedRecord> counted;
    for (size_t i = 0; i < problem.records.size(); ++i) {
        const SpotRecord& record = problem.records[i];
        counted.push_back(
            {identity_of(record), problem.epochs[i], record.julian_day, record.to_sun});
    }
    return counted;
}

/// Stores the kinematics and their uncertainty in the result.
void store_estimate(const SpotFitter& fitter,
                    const SpotProblem& problem,
                    const Average& all,
                    HeliostatCalibration& result) {
    result.nominal = problem.nominal;
    result.kinematics = fitter.kinematics(all.unknowns, problem.num_epochs - 1);
    result.level_weights = all.weights;
    result.column_covariance = fitter.column_covariance(all.covariance);
    const size_t count = problem.parameters.size();
    result.unknowns.assign(all.unknowns.begin(), all.unknowns.begin() + static_cast<long>(count));
    result.covariance = SquareMatrix(count);
    for (size_t i = 0; i < count; ++i) {
        result.prior_sigmas.push_back(problem.parameters[i].sigma);
        for (size_t j = 0; j < count; ++j) result.covariance(i, j) = all.covariance(i, j);
    }
    for (const SpotRecord& record : problem.records) {
        if (record.julian_day) {
            result.last_day =
                std::max(result.last_day.value_or(*record.julian_day), *record.julian_day);
        }
    }
}

/// Compares the fitted records with the nominal and with the fitted kinematics.
void compare_fitted(const SpotFitter& fitter,
                    const SpotProblem& problem,
                    const std::vector<double>& unknowns,
                    HeliostatCalibration& result) {
    const SpotModel nominal(problem.nominal);
    const std::vector<SpotModel> models = make_models(fitter, problem, unknowns);
    result.before.reserve(problem.records.size());
    result.fitted.reserve(problem.records.size());
    for (size_t i = 0; i < problem.records.size(); ++i) {
        const SpotRecord& record = problem.records[i];
        result.before.push_back(compare(nominal, record));
        result.fitted.push_back(compare(models[problem.epochs[i]], record));
    }
    double misfit = 0.0;
    for (const Comparison& comparison : result.fitted)
        misfit += comparison.error / static_cast<double>(result.fitted.size());
    if (misfit > kUnexplained) {
        result.remarks.push_back(fmt::format(
            "no kinematics explain its records, which stay {:.1f} mrad off in the mean: "
            "check that they are this heliostat's, the signs of the sun's azimuths and "
            "the order of the axes",
            1e3 * misfit));
    }
}

/// Moves a comparison from the spot of the mirror's centre to the centroid of its light.
void move_to_centroid(Comparison& comparison, const Vec3& shift) {
    comparison.measured = add(comparison.measured, shift);
    if (comparison.predicted) comparison.predicted = add(*comparison.predicted, shift);
}

/// Predicts a record that was not fitted.
Comparison predict_test(const SpotFitter& fitter,
                        const SpotProblem& problem,
                        const std::vector<MirrorElement>& mirror,
                        const Average& all,
                        const HeliostatCalibration& result,
                        SpotRecord record) {
    const std::vector<double> shares = epoch_shares(record, problem);
    const auto epoch = std::max_element(shares.begin(), shares.end()) - shares.begin();
    const Vec3 shift =
        centroid_shift(mirror, fitter.kinematics(all.unknowns, static_cast<size_t>(epoch)), record);
    record.spot = subtract(record.spot, shift);
    const double nearest = nearest_sun(record.to_sun, problem.records);
    const double noise = std::sqrt(kVarianceOfScale * result.scale * result.scale +
                                   bending_variance(result.bending, nearest));
    Comparison comparison = predict(fitter, problem, record, all.unknowns, all.covariance, noise);
    comparison.sun_distance = sun_distance(nearest);
    move_to_centroid(comparison, shift);
    return comparison;
}

}  // namespace

HeliostatCalibration calibrate_one(const HeliostatRecords& heliostat,
                                   const Alternatives& alternatives,
                                   const FieldPrior& prior,
                                   Pass pass,
                                   const CalibrationOptions& options) {
    HeliostatCalibration result;
    result.name = heliostat.name;
    result.records = heliostat.records.size() + heliostat.rejected.size();
    result.rejected = heliostat.rejected;

    // Find the frame, the epochs and the outliers with the expected scale.
    const double expected = prior.scale.scale;
    SpotProblem problem = in_likelier_frame(
        make_problem(heliostat, prior, result.rejected), heliostat, expected, result);
    SpotFitter::Fit fit = find_epochs(problem, expected, fit_from_afar(problem, expected));
    for (Rejection& rejection : reject_outliers(problem, expected, fit, alternatives)) {
        result.rejected.push_back(std::move(rejection));
    }
    // Compute identities before the spots are corrected: spots distinguish records without names.
    result.counted = counted_records(problem);

    // Fit the spots of the mirror's centre.
    std::vector<Vec3> shifts;
    correct_spots(problem, SpotFitter(problem), fit.unknowns, heliostat.mirror, shifts);
    const SquareMatrix effect = stiffen(problem, alternatives, prior.errors.beyond_tilts, pass);
    const SpotFitter fitter(problem);
    if (!heliostat.mirror.empty()) {
        fit = fitter.fit(Level::drives, expected, fit.unknowns, std::nullopt, 0.01);
    }
    settle_scale(fitter, prior.scale, fit, result);
    result.used = problem.records.size();
    if (pass == Pass::scale) return result;
    result.bending = prior.errors.bending;
    const double scale = fitted_scale(result.scale, result.bending);
    const Average all = average(fitter, options.level, scale, fit.unknowns);
    store_estimate(fitter, problem, all, result);
    if (pass == Pass::priors) {
        result.error_likelihood =
            error_likelihood(problem, effect, options, result.scale, all.unknowns);
        return result;
    }

    describe_epochs(fitter, problem, all.unknowns, result);
    compare_fitted(fitter, problem, all.unknowns, result);
    if (options.left_out) {
        result.left_out =
            leave_each_out(fitter, problem, options, result.scale, result.bending, all);
    }
    for (const SpotRecord& record : heliostat.test)
        result.test.push_back(predict_test(fitter, problem, heliostat.mirror, all, result, record));
    // Report spots at their measured positions.
    for (auto* list : {&result.before, &result.fitted, &result.left_out}) {
        for (size_t i = 0; i < list->size(); ++i) move_to_centroid((*list)[i], shifts[i]);
    }
    judge_future(fitter,
                 alternatives.targets,
                 alternatives.latitude_deg,
                 options.next_measurement ? Outlook::search : Outlook::glance,
                 result);
    return result;
}

}  // namespace helioray::calibration
