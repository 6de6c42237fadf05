// SPDX-License-Identifier: MIT
// Fits one heliostat's parameters to its records: finds the maximum of the posterior density and
// the normal distribution about it.
#pragma once

#include "raytracer/linear/cholesky.h"
#include "raytracer/solvers/calibration/model/parameters.h"

#include <optional>
#include <span>
#include <vector>

namespace helioray::calibration {

/// Degrees of freedom of Student's distribution of residuals.
inline constexpr double kStudent = 4.0;

/// Square of the ratio between the standard deviation of normally distributed residuals and the
/// scale of the Student's distribution that fits them. Median and coverage of simulated fields
/// agree with it.
inline constexpr double kVarianceOfScale = 1.45;

/// Returns the weight of a residual (radians) in Student's distribution of this scale; 1.5 for a
/// residual of zero. `share_left` is the fraction of the squared residual that is left after a fit.
double student_weight(const std::array<double, 2>& residual, double scale, double share_left = 1.0);

/// Nominal kinematics of a heliostat, its records, and the epochs of the records.
struct SpotProblem {
    KinematicsRecord nominal;  ///< Nominal kinematics; a rigid body.
    /// Parameters from parameters_of(), possibly with narrower priors.
    std::vector<Parameter> parameters;
    std::vector<SpotRecord> records;  ///< Records; the nominal kinematics must reach all of them.
    std::vector<size_t> epochs;       ///< Epoch of each record; the last epoch needs no parameters.
    size_t num_epochs = 1;            ///< Number of epochs, at least 1.
    /// Matrix added to the precision of the parameters' prior, which is 1 for each parameter in
    /// units of its standard deviation. If empty, nothing is added.
    SquareMatrix stiffness;
};

/// Fits a problem in terms of its unknowns: parameters divided by their prior standard deviations.
/// The unknowns are those of parameters_of(), followed by two spindle shifts for each epoch but the
/// last.
class SpotFitter {
  public:
    /// Creates a fitter that keeps a reference to the problem.
    explicit SpotFitter(const SpotProblem& problem);

    /// Number of unknowns of all levels and epochs.
    size_t num_unknowns() const { return terms_.size(); }

    /// Returns the range of unknowns that a level adds to the level before: the first index and the
    /// index after the last.
    std::pair<size_t, size_t> unknowns_of(Level level) const;

    /// Result of a fit; unknowns outside of its level are 0.
    struct Fit {
        std::vector<double> unknowns;  ///< Unknowns at the maximum of the posterior density.
        /// Covariance of the unknowns; 0 outside of the level. The Student weights of the residuals
        /// are corrected for the reduction of the residuals by the fit.
        SquareMatrix covariance;
        double cost = 0.0;            ///< Negative logarithm of the posterior density.
        double evidence = 0.0;        ///< Logarithm of the evidence (Laplace's approximation).
        std::vector<double> weights;  ///< Weight of each record; below 1 for large residuals.
        /// Residual of each record, radians; 0 for the record that is left out.
        std::vector<std::array<double, 2>> residuals;
        /// Number of parameters that the records have determined, at most the number of the level's
        /// parameters.
        double determined = 0.0;
        /// Fraction of the squared residuals that is left after the fit, at least a tenth.
        double share_left = 1.0;
    };

    /// Maximises the posterior density (Levenberg-Marquardt). `scale` is that of Student's
    /// distribution in radians, `left_out` the index of a record that does not count. The iteration
    /// ends when a step raises the logarithm of the density by less than `smallest_gain`.
    Fit fit(Level level,
            double scale,
            std::vector<double> start,
            std::optional<size_t> left_out = std::nullopt,
            double smallest_gain = 1e-3) const;

    /// Returns the kinematics in an epoch for given unknowns.
    KinematicsRecord kinematics(std::span<const double> unknowns, size_t epoch) const;

    /// Residual of a record and its derivatives with respect to all unknowns.
    struct Linear {
        std::array<double, 2> value{};             ///< Residual, radians.
        std::array<std::vector<double>, 2> slope;  ///< Derivatives, radians per unknown.
    };
    /// Linearises the residual of a record. Returns nothing if a drive cannot reach the motor
    /// position.
    std::optional<Linear> linear(const SpotRecord& record,
                                 size_t epoch,
                                 std::span<const double> unknowns) const;
    /// Linearises the residual of a record with a model of the epoch's kinematics() that is
    /// prepared once for many records.
    std::optional<Linear> linear(const SpotRecord& record,
                                 size_t epoch,
                                 const SpotModel& model) const;

    /// Returns the covariance of the numbers of the kinematics in the last epoch.
    SquareMatrix column_covariance(const SquareMatrix& covariance) const;

  private:
    struct Term {
        size_t column;
        double factor;
    };
    struct Normal;
    std::vector<size_t> active(Level level) const;
    // Returns the precision of the prior of these unknowns.
    SquareMatrix prior_precision(const std::vector<size_t>& active) const;
    bool assemble(std::span<const double> unknowns,
                  const std::vector<size_t>& active,
                  bool by_translations,
                  double scale,
                  std::optional<size_t> left_out,
                  Normal& normal) const;
    // Changes the active unknowns until the cost is least. Returns its quadratic form there.
    Normal minimise(const std::vector<size_t>& active,
                    bool by_translations,
                    double scale,
                    std::optional<size_t> left_out,
                    double smallest_gain,
                    std::vector<double>& unknowns) const;

    const SpotProblem& problem_;
    std::vector<std::vector<Term>> terms_;
    std::vector<Level> levels_;
    std::vector<std::optional<size_t>> epochs_;  // epoch of each unknown that belongs to one
    std::vector<bool> available_;
    std::vector<ResidualAxes> axes_;
};

}  // namespace helioray::calibration
