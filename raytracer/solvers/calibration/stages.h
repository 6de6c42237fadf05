// SPDX-License-Identifier: MIT
// Declares the stages of a heliostat's calibration. Internal to this folder.
#pragma once

#include "raytracer/solvers/calibration/state.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <limits>

namespace helioray::calibration {

/// Expected scale of Student's distribution for the records of one heliostat, radians, and the
/// number of values that this expectation is worth.
struct ScalePrior {
    double scale = 0.5e-3;
    double weight = 4.0;
};

/// The average over levels, or the fit of one selected level.
struct Average {
    std::vector<double> unknowns;
    SquareMatrix covariance;
    std::array<double, kLevels> weights{};
    double evidence = 0.0;  ///< Logarithm of the mean evidence of the levels.
};

/// Fits in several steps that begin with a wide scale, so that a distant start converges.
SpotFitter::Fit fit_from_afar(const SpotProblem& problem, double scale);

/// Computes unknowns and covariance, averaged over levels by their evidence.
Average average(const SpotFitter& fitter,
                const std::optional<Level>& level,
                double scale,
                const std::vector<double>& start,
                std::optional<size_t> left_out = std::nullopt);

/// Returns the cosine of the angle to the nearest sun of some records (SpotRecord or
/// CountedRecord); minus infinity without records. `left_out` is the index of a record that does
/// not count.
template <typename Record>
double nearest_sun(const Vec3& to_sun,
                   const std::vector<Record>& records,
                   std::optional<size_t> left_out = std::nullopt) {
    double nearest = -std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < records.size(); ++i) {
        if (left_out != i) nearest = std::max(nearest, dot(to_sun, records[i].to_sun));
    }
    return nearest;
}

/// Returns the angle (radians) of a cosine from nearest_sun(); infinity if there was no record.
double sun_distance(double nearest);

/// Returns the variance (radians squared, about each axis) of the normal that rigid kinematics do
/// not describe at a sun. Real mirrors bend under their weight and bearings are not round. Near the
/// fitted suns the kinematics absorb this bending to first order, so that the deviation grows with
/// the square of the chord c between the sun and the nearest fitted one. The deviation approaches a
/// limit: bending (1 - exp(-(c / 30 deg)^2)). `bending` is HeliostatCalibration::bending, `nearest`
/// comes from nearest_sun().
double bending_variance(double bending, double nearest);

/// Returns the scale of Student's distribution for records in a fit, radians. It combines the scale
/// of the measurement with the bending, which rigid kinematics must not absorb.
double fitted_scale(double scale, double bending);

/// Common properties of a field's heliostats: the errors that four tilts leave, radians. The
/// defaults are expected before any record is seen.
struct FieldErrors {
    /// Expected effect of each direction of the other parameters beyond the tilts; see
    /// effect_beyond_tilts().
    double beyond_tilts = 1e-3;
    double bending = 0.5e-3;  ///< See HeliostatCalibration::bending.
};

/// Computes the logarithm of the likelihood of several values of both FieldErrors: each third of
/// the suns, by azimuth, is predicted from the others. Returns zeros if a heliostat has too few
/// records. `effect` comes from effect_beyond_tilts().
std::vector<double> error_likelihood(const SpotProblem& problem,
                                     const SquareMatrix& effect,
                                     const CalibrationOptions& options,
                                     double scale,
                                     const std::vector<double>& unknowns);

/// Computes the expected errors from the likelihoods of a field's heliostats: the geometric mean of
/// the effect and the root mean square of the bending.
FieldErrors expected_errors(const std::vector<HeliostatCalibration>& field);

/// Computes the mean square of the normal's change by the parameters beyond the change that the
/// four tilts can follow, over suns of the year, as a quadratic form of the parameters (in prior
/// standard deviations); radians squared. Divided by the square of FieldErrors::beyond_tilts it is
/// SpotProblem::stiffness: the prior then expects from the larger sets as much as the field shows,
/// also at suns without records. Returns an empty matrix if no target can be reached.
SquareMatrix effect_beyond_tilts(const SpotProblem& problem,
                                 const std::vector<std::pair<std::string, TargetPlane>>& targets,
                                 double latitude_deg);

/// Splits the records in time if this is much more likely than a single epoch; changes
/// problem.epochs. `fit` is fit_from_afar() of the problem. Returns the fit of the new problem.
SpotFitter::Fit find_epochs(SpotProblem& problem, double scale, SpotFitter::Fit fit);

/// Returns the reason why a record does not belong to the last epoch, whose kinematics a state
/// holds; empty if it does, or if this is unknown. Times decide if all records have one, otherwise
/// the numbers in their names.
std::optional<std::string> not_of_last_epoch(const HeliostatState& state, const SpotRecord& record);

/// Returns the probability of each epoch for a record by its position in time; the sum is 1.
/// Between the last record of an epoch and the first of the next one the change is equally likely
/// at any time. Records without a position in time belong to the last epoch. `left_out` is the
/// index of a record whose epoch is not known.
std::vector<double> epoch_shares(const SpotRecord& record,
                                 const SpotProblem& problem,
                                 std::optional<size_t> left_out = std::nullopt);

/// Predicts a record that was not fitted, including the variance of its measurement (`noise` in
/// radians). Between two epochs the prediction is the mean of both, weighted by time and by the
/// distance of the predicted light from the target's centre, because heliostats are aimed with the
/// zero that their drives have. The covariance contains the difference between both.
Comparison predict(const SpotFitter& fitter,
                   const SpotProblem& problem,
                   const SpotRecord& record,
                   const std::vector<double>& unknowns,
                   const SquareMatrix& covariance,
                   double noise,
                   std::optional<size_t> left_out = std::nullopt);

/// Returns the variance of a predicted residual, J C J^T, row by row, radians squared.
std::array<double, 4> predicted_variance(const SpotFitter::Linear& linear,
                                         const SquareMatrix& covariance);

/// Residual that a record would have if it had not been fitted, and its variance. Used for outliers
/// and for many records.
struct LeftOutResidual {
    std::array<double, 2> value{};  ///< Residual, radians.
    /// Covariance of the prediction, without the noise of the measurement.
    std::array<double, 4> covariance{};
};
LeftOutResidual without(const SpotFitter::Linear& linear,
                        const SquareMatrix& covariance,
                        double variance);

/// Returns a comparison from a residual (radians) alone, to first order. `origin` is that of the
/// mirror in metres.
Comparison make_comparison(const SpotRecord& record,
                           const Vec3& origin,
                           const std::array<double, 2>& residual);

/// Returns a comparison without variance.
Comparison compare(const SpotModel& model, const SpotRecord& record);

/// Adds the variance of a prediction and of its measurement with this noise (radians).
void add_variance(Comparison& result,
                  const SpotRecord& record,
                  const Vec3& origin,
                  const LeftOutResidual& predicted,
                  double noise);

/// Returns true if a record is a gross outlier. `tilt` is in radians, `deviations` is the tilt in
/// standard deviations of a prediction without the record.
bool is_gross(double tilt, double deviations);

/// Suns and targets that may have been recorded for an outlier by mistake.
struct Alternatives {
    std::vector<std::pair<std::string, Vec3>>
        suns;  ///< suns of all records of the field, by record name
    std::vector<std::pair<std::string, TargetPlane>> targets;  ///< Targets of the plant, by name.
    double latitude_deg = 0.0;                                 ///< Latitude of the plant, degrees.
};

/// Removes gross outliers from the problem, the worst one first: by is_gross(), and among few
/// records if the evidence makes a gross error more likely than none. `fit` is the fit of the
/// problem and becomes that of the remaining records.
std::vector<Rejection> reject_outliers(SpotProblem& problem,
                                       double scale,
                                       SpotFitter::Fit& fit,
                                       const Alternatives& alternatives);

/// Returns suns of the year: five declinations, every 1.5 hours, above ten degrees.
std::vector<Vec3> suns_of_the_year(double latitude_deg);

/// Level of detail for the prediction of errors over the year.
enum class Outlook {
    glance,  ///< The expected error, from a third of the suns and one target.
    error,   ///< The expected error.
    search,  ///< The expected error and the most useful measurement.
};

/// Computes the expected errors over the year and the most useful next measurement from the
/// kinematics, the unknowns, their covariance, the scale, the bending and the suns in `result`.
void judge_future(const SpotFitter& fitter,
                  const std::vector<std::pair<std::string, TargetPlane>>& targets,
                  double latitude_deg,
                  Outlook outlook,
                  HeliostatCalibration& result);

/// Mean and width of a prior that the heliostats of a field share.
struct FieldPrior {
    std::vector<double> widths;  ///< Factors for the parameters' standard deviations.
    ScalePrior scale;            ///< Expected scale of the residuals.
    FieldErrors errors;          ///< Errors that four tilts leave.
};

/// Passes of the calibration of a field.
enum class Pass {
    scale,    ///< Estimates the scale of the residuals, which may be far below the usual one.
    priors,   ///< Learns all priors that the heliostats share.
    results,  ///< Calibrates with the learnt priors.
};

/// Calibrates one heliostat. A pass sets the members of the result that the next one needs.
HeliostatCalibration calibrate_one(const HeliostatRecords& heliostat,
                                   const Alternatives& alternatives,
                                   const FieldPrior& prior,
                                   Pass pass,
                                   const CalibrationOptions& options);

}  // namespace helioray::calibration
