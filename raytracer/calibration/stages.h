// SPDX-License-Identifier: MIT
// Stages of a heliostat's calibration. Internal to this folder.
#pragma once

#include "raytracer/calibration/state.h"
#include "scenario/vector_math.h"

#include <algorithm>
#include <limits>

namespace helioray::calibration {

/// Student's scale that records of one heliostat are expected to have, radians, and how many
/// numbers this expectation is worth.
struct ScalePrior {
    double scale = 0.5e-3;
    double weight = 4.0;
};

/// The average over levels, or the one level that is asked for.
struct Average {
    std::vector<double> unknowns;
    SquareMatrix covariance;
    std::array<double, kLevels> weights{};
    double evidence = 0.0;  ///< logarithm of the mean over the levels
};

/// Fits that begin with a wide scale, so that a start far off converges.
SpotFitter::Fit fit_from_afar(const SpotProblem& problem, double scale);

/// Unknowns and covariance, averaged over levels by their evidence.
Average average(const SpotFitter& fitter,
                const std::optional<Level>& level,
                double scale,
                const std::vector<double>& start,
                std::optional<size_t> left_out = std::nullopt);

/// Cosine of the angle to the nearest sun of some records (SpotRecord or CountedRecord), minus
/// infinity for none. left_out: index of a record that does not count.
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

/// Angle (radians) of a cosine that nearest_sun() has found; infinity for none.
double sun_distance(double nearest);

/// Variance (radians squared, about each axis) of the normal that rigid kinematics leave out at a
/// sun. Real mirrors bend under their weight and bearings are not round. Kinematics follow that
/// near the suns that they were fitted to, its changes to first order too; so the deviation grows
/// with the square of the chord c between the sun and the nearest fitted one, until it no longer
/// does: bending (1 - exp(-(c / 30 deg)^2)). bending: HeliostatCalibration's; nearest:
/// nearest_sun().
double bending_variance(double bending, double nearest);

/// Student's scale with which records count in a fit, radians: that of their measurement together
/// with the bending, which rigid kinematics must not take up.
double fitted_scale(double scale, double bending);

/// What heliostats of a field share about the errors that four tilts leave, radians; as
/// expected before any record is seen.
struct FieldErrors {
    /// Expected effect of each direction of the other parameters beyond the tilts; see
    /// effect_beyond_tilts().
    double beyond_tilts = 1e-3;
    double bending = 0.5e-3;  ///< HeliostatCalibration::bending
};

/// Logarithm of the likelihood of several values of both FieldErrors: each third of the suns, by
/// azimuth, is predicted from the others. All 0 where a heliostat has too few records. effect:
/// effect_beyond_tilts().
std::vector<double> error_likelihood(const SpotProblem& problem,
                                     const SquareMatrix& effect,
                                     const CalibrationOptions& options,
                                     double scale,
                                     const std::vector<double>& unknowns);

/// Means of both given the likelihoods of a field's heliostats: of the effect geometric, of the
/// bending the root of its mean square.
FieldErrors expected_errors(const std::vector<HeliostatCalibration>& field);

/// Mean square of the normal's change by the parameters beyond what the four tilts can follow, over
/// suns of the year, as a quadratic form of the parameters (in prior standard deviations); radians
/// squared. Divided by the square of FieldErrors::beyond_tilts it is SpotProblem::stiffness: the
/// prior expects of the larger sets as much as the field shows, at suns without records, too. Empty
/// where no target can be reached.
SquareMatrix effect_beyond_tilts(const SpotProblem& problem,
                                 const std::vector<std::pair<std::string, TargetPlane>>& targets,
                                 double latitude_deg);

/// Splits the records in time where this is much more likely than not; changes problem.epochs.
/// fit: fit_from_afar() of the problem; returns that of the new one.
SpotFitter::Fit find_epochs(SpotProblem& problem, double scale, SpotFitter::Fit fit);

/// Why a record does not belong to the last epoch, whose kinematics a state holds; nothing where it
/// does, or where nothing tells. Times decide where all records have one, else numbers of names.
std::optional<std::string> not_of_last_epoch(const HeliostatState& state, const SpotRecord& record);

/// How likely a record lies in each epoch by its place in time; adds up to 1. Between the last
/// record of an epoch and the first of the next one the change is equally likely at any time.
/// Records without a place in time belong to the last epoch. left_out: index of a record whose
/// epoch is not known.
std::vector<double> epoch_shares(const SpotRecord& record,
                                 const SpotProblem& problem,
                                 std::optional<size_t> left_out = std::nullopt);

/// A record that was not fitted, with the variance of its measurement (noise: radians). Between two
/// epochs the prediction is the mean of both, each with its share by time and by how near to the
/// target's centre it puts the light: heliostats are aimed with the zero that their drives have.
/// The covariance contains the difference between both.
Comparison predict(const SpotFitter& fitter,
                   const SpotProblem& problem,
                   const SpotRecord& record,
                   const std::vector<double>& unknowns,
                   const SquareMatrix& covariance,
                   double noise,
                   std::optional<size_t> left_out = std::nullopt);

/// Variance of a predicted residual, radians squared: J C J^T, row by row.
std::array<double, 4> predicted_variance(const SpotFitter::Linear& linear,
                                         const SquareMatrix& covariance);

/// A record's residual, had it not been fitted, and its variance; for outliers and many records.
struct LeftOutResidual {
    std::array<double, 2> value{};       ///< radians
    std::array<double, 4> covariance{};  ///< of the prediction, without a measurement's noise
};
LeftOutResidual without(const SpotFitter::Linear& linear,
                        const SquareMatrix& covariance,
                        double variance);

/// A comparison from a residual (radians) alone, to first order; origin: of the mirror, metres.
Comparison comparison_of(const SpotRecord& record,
                         const Vec3& origin,
                         const std::array<double, 2>& residual);

/// A comparison without variance.
Comparison compare(const SpotModel& model, const SpotRecord& record);

/// Adds the variance of a prediction and of its measurement with this noise (radians).
void add_variance(Comparison& result,
                  const SpotRecord& record,
                  const Vec3& origin,
                  const LeftOutResidual& predicted,
                  double noise);

/// Whether a record is a gross outlier. tilt: radians; deviations: the same in standard deviations
/// of a prediction without it.
bool is_gross(double tilt, double deviations);

/// What a record that lies far off may have been mixed up with.
struct Alternatives {
    std::vector<std::pair<std::string, Vec3>>
        suns;  ///< of all records of the field, by their names
    std::vector<std::pair<std::string, TargetPlane>> targets;  ///< of the plant, by name
    double latitude_deg = 0.0;                                 ///< of the plant
};

/// Takes gross outliers out of the problem, the worst one first: by is_gross(), among few records
/// where the evidence calls a gross error likelier than none. fit: of the problem; becomes that of
/// the records that are left.
std::vector<Rejection> reject_outliers(SpotProblem& problem,
                                       double scale,
                                       SpotFitter::Fit& fit,
                                       const Alternatives& alternatives);

/// Suns of the year: five declinations, every hour and a half, above ten degrees.
std::vector<Vec3> suns_of_the_year(double latitude_deg);

/// How closely the future is looked at.
enum class Outlook {
    glance,  ///< the expected error, from a third of the suns and one target
    error,   ///< the expected error
    search,  ///< and the most useful measurement
};

/// Expected errors over the year, and what would lower them, from the kinematics, the unknowns,
/// their covariance, the scale and the bending of `result`, and the suns of its records.
void judge_future(const SpotFitter& fitter,
                  const std::vector<std::pair<std::string, TargetPlane>>& targets,
                  double latitude_deg,
                  Outlook outlook,
                  HeliostatCalibration& result);

}  // namespace helioray::calibration
