// SPDX-License-Identifier: MIT
// Computes the posterior of a shape for some images: cost, normal equations, descent, noise.
// Internal to this folder.
#pragma once

#include "raytracer/solvers/reconstruction/fit/error_scales.h"
#include "raytracer/solvers/reconstruction/fit/fit_mirror.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace helioray::reconstruction {

/// Prior standard deviation of an image's background, as a fraction of its maximum.
inline constexpr double kBackgroundDeviation = 0.01;

/// Model of the noise of pixels.
struct PixelNoise {
    static constexpr double kDarkest = 0.02;  ///< Brightness below which the noise is constant.
    double scale = 1.0;                       ///< Standard deviation at brightness 1.
    /// Power of the brightness: 0 for camera noise, positive for unmodelled effects.
    double power = 0.0;

    /// Returns the standard deviation of a pixel of brightness g: scale * max(g, kDarkest)^power.
    double deviation(double brightness) const;
};

/// The parameters that a fit varies.
struct FitState {
    std::vector<double> unknowns;     ///< Unknowns of the shape, radians.
    ImageOptics optics;               ///< Sun and slope error.
    std::vector<ImageNuisances> own;  ///< Nuisance parameters of each image.

    bool operator==(const FitState&) const = default;
};

/// The posterior about a state by Laplace's approximation.
struct Curvature {
    std::vector<double> covariance;  ///< Covariance of the shape's unknowns, rad^2.
    /// The part of the covariance that is due to the prior; the rest is due to the misfit.
    std::vector<double> of_prior;
    /// Logarithm of the determinant of the precision of all unknowns that images share.
    double log_determinant = 0.0;
};

/// Misfit that neighbouring pixels share.
struct SmoothMisfit {
    /// Fraction of the misfit's variance, 0 to 1: 0 for the noise of a camera, nearly 1 if the
    /// model cannot follow the image.
    double share = 0.0;
    /// Sum of its squares relative to the sum that expected errors of single facets would add to
    /// the misfit.
    double in_errors = 0.0;
};

/// Twice the negative logarithm of the posterior density, and results derived from it. Shift, blur,
/// brightness and background of each image are eliminated from the normal equations. Not
/// thread-safe.
class Posterior {
  public:
    /// Creates a posterior. Shape and images must outlive it. `stop` is polled before every step of
    /// a descent.
    Posterior(const MirrorShape& shape,
              std::span<const FitImage> images,
              const PixelNoise& noise,
              StopCheck stop = {});

    void set_noise(const PixelNoise& noise);  ///< Sets the noise of the pixels.
    /// Sets the expected scales of errors, initially the usual ones.
    void set_scales(const ErrorScales& scales);
    const ErrorScales& scales() const { return scales_; }
    /// Sets the most probable scales for the images about a state, and returns the largest change
    /// of the logarithm of a scale. `misfit` is described in likelihood().
    double fit_scales(const FitState& state, double misfit);
    /// Returns true if the blurs of this state are more probable with their prior than no blurs,
    /// judged by the information of each image about its blur. `misfit` is described in
    /// likelihood().
    bool shows_blurs(const FitState& state, double misfit) const;
    /// Fixes the blurs of all images at 0.
    void leave_out_blurs();
    bool has_blurs() const { return has_blurs_; }  ///< Returns true before leave_out_blurs().

    /// Returns a start with the usual sun and slope error, and with shifts that move the images to
    /// their measured positions.
    FitState start(std::vector<double> unknowns) const;
    double cost(const FitState& state) const;  ///< Returns the cost, 0 or more.
    /// Descends by Levenberg-Marquardt steps until the cost no longer falls; returns the number of
    /// steps.
    int descend(FitState& state, int most_steps) const;
    Curvature curvature(const FitState& state) const;

    /// Returns the linearised likelihood about this state, as if the variance of the images' misfit
    /// were `misfit` times the weighted variance.
    LinearLikelihood likelihood(const FitState& state, double misfit) const;

    /// Returns the logarithm of the evidence of a maximum, scales included, by Laplace's
    /// approximation.
    double log_evidence(const FitState& maximum, double misfit) const;

    /// Estimates the noise from blocks of lit pixels: that of single pixels if it differs from
    /// pixel to pixel, and more if neighbours share their difference from the model. The power is
    /// the one that makes the blocks most probable. `covariance` is that of the unknowns at this
    /// state.
    PixelNoise residual_noise(const FitState& state, const std::vector<double>& covariance) const;

    /// Estimates the misfit that neighbouring pixels share. The variance of single pixels follows
    /// from the differences between neighbours (von Neumann 1941).
    SmoothMisfit smooth_misfit(const FitState& state) const;

    /// Returns the model of an image, in units of the measured brightness.
    std::vector<double> model(size_t image, const FitState& state) const;

  private:
    struct Residual;
    struct Equations;
    /// Nuisances of an image: shift, blur, brightness, background.
    static constexpr size_t kNuisances = 5;

    std::vector<double> image_of(size_t image, const FitState& state) const;
    double prior_cost(const FitState& state) const;
    /// Fits brightness and background of an image to the measured one. `made` is the model's image.
    Residual residual(size_t image, const double* made) const;
    const Equations& of_images(const FitState& state) const;  // valid until the next call
    Equations assemble(const FitState& state) const;
    void add_image(size_t image, const FitState& state, Equations& sum) const;
    FitState stepped(const FitState& state, const Equations& equations, double damping) const;

    StopCheck stop_;
    const MirrorShape& shape_;
    std::span<const FitImage> images_;
    ErrorScales scales_{};
    bool has_blurs_ = true;
    std::array<double, kNuisances> nuisance_precisions_{};
    std::vector<double> precision_;  ///< Precision of the prior, [unknowns, unknowns].
    double log_determinant_ = 0.0;   ///< Logarithm of the determinant of `precision_`.
    std::vector<ImageModel> models_;
    std::vector<std::vector<double>> weights_;  ///< Weights of the pixels.
    /// Result of of_images() for the last state.
    mutable std::shared_ptr<const Equations> of_images_;
    mutable FitState state_of_images_;
};

}  // namespace helioray::reconstruction
