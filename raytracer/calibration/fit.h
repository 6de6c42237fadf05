// SPDX-License-Identifier: MIT
// One heliostat's parameters from its records: the maximum of the posterior density, and the normal
// distribution about it.
#pragma once

#include "raytracer/calibration/dense.h"
#include "raytracer/calibration/parameters.h"

#include <optional>
#include <span>
#include <vector>

namespace helioray::calibration {

/// Degrees of freedom of Student's distribution of residuals.
inline constexpr double kStudent = 4.0;

/// For normally distributed residuals the scale that fits Student's distribution is smaller than
/// their standard deviation; this is the square of the ratio. Median and coverage of simulated
/// fields agree with it.
inline constexpr double kVarianceOfScale = 1.45;

/// Weight of a residual (radians) in Student's distribution of this scale, 1.5 for none.
/// share_left: of the square that the residual would have had, if a fit has taken some of it away.
double student_weight(const std::array<double, 2>& residual, double scale, double share_left = 1.0);

/// A heliostat as it should be, its records, and the epochs they lie in.
struct SpotProblem {
    KinematicsRecord nominal;           ///< rigid body
    std::vector<Parameter> parameters;  ///< parameters_of(), priors perhaps narrowed
    std::vector<SpotRecord> records;    ///< all of them reachable with the nominal kinematics
    std::vector<size_t> epochs;         ///< of each record; the last epoch needs no parameters
    size_t num_epochs = 1;              ///< at least 1
    /// Added to the precision of the parameters' prior, which is 1 for each in units of its
    /// standard deviation. Empty: nothing is added.
    SquareMatrix stiffness;
};

/// Index lists and derivatives of a problem in its unknowns: parameters over their prior standard
/// deviations, first those of parameters_of(), then two spindle shifts for each epoch but the last.
class SpotFitter {
  public:
    /// Keeps a reference to the problem.
    explicit SpotFitter(const SpotProblem& problem);

    size_t num_unknowns() const { return terms_.size(); }  ///< of all levels and epochs

    /// The first of the unknowns that a level adds to the one before, and the one behind the last.
    std::pair<size_t, size_t> unknowns_of(Level level) const;

    /// Result of a fit; unknowns outside of its level are 0.
    struct Fit {
        std::vector<double> unknowns;  ///< where the density is largest
        /// Of the unknowns; 0 outside of the level. Residuals count with the Student weights that
        /// they would have, had the fit not made them smaller.
        SquareMatrix covariance;
        double cost = 0.0;            ///< minus the logarithm of the posterior density
        double evidence = 0.0;        ///< logarithm, by Laplace's approximation
        std::vector<double> weights;  ///< of each record; below 1 for large residuals
        /// Of each record, radians; 0 for the one that is left out.
        std::vector<std::array<double, 2>> residuals;
        /// Numbers that the records have determined, at most those of the level.
        double determined = 0.0;
        /// Share of their squares that the fit has left of the residuals, at least a tenth.
        double share_left = 1.0;
    };

    /// Levenberg-Marquardt. scale: of Student's distribution, radians. left_out: the index of a
    /// record that does not count. smallest_gain: ends when a step gains less of the logarithm of
    /// the density.
    Fit fit(Level level,
            double scale,
            std::vector<double> start,
            std::optional<size_t> left_out = std::nullopt,
            double smallest_gain = 1e-3) const;

    /// The numbers of the kinematics in an epoch, for given unknowns.
    KinematicsRecord kinematics(std::span<const double> unknowns, size_t epoch) const;

    /// Value of a record's residual (radians) and derivatives by all unknowns.
    struct Linear {
        std::array<double, 2> value{};             ///< radians
        std::array<std::vector<double>, 2> slope;  ///< radians per unknown
    };
    /// Nothing where a drive cannot take the motor position.
    std::optional<Linear> linear(const SpotRecord& record,
                                 size_t epoch,
                                 std::span<const double> unknowns) const;
    /// The same with the kinematics() of the epoch, prepared once for many records.
    std::optional<Linear> linear(const SpotRecord& record,
                                 size_t epoch,
                                 const SpotModel& model) const;

    /// Derivatives of the numbers of the kinematics by the unknowns, those of the last epoch.
    SquareMatrix column_covariance(const SquareMatrix& covariance) const;

  private:
    struct Term {
        size_t column;
        double factor;
    };
    struct Normal;
    std::vector<size_t> active(Level level) const;
    // Precision of the prior of these unknowns.
    SquareMatrix prior_precision(const std::vector<size_t>& active) const;
    bool assemble(std::span<const double> unknowns,
                  const std::vector<size_t>& active,
                  bool by_translations,
                  double scale,
                  std::optional<size_t> left_out,
                  Normal& normal) const;

    const SpotProblem& problem_;
    std::vector<std::vector<Term>> terms_;
    std::vector<Level> levels_;
    std::vector<std::optional<size_t>> epochs_;  // of the unknowns that belong to one
    std::vector<bool> available_;
    std::vector<ResidualAxes> axes_;
};

}  // namespace helioray::calibration
