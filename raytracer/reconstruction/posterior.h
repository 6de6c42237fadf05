// SPDX-License-Identifier: MIT
// How probable a shape is for some images: cost, normal equations, descent, noise. Internal to this
// folder.
#pragma once

#include "raytracer/reconstruction/error_scales.h"
#include "raytracer/reconstruction/fit_mirror.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace helioray::reconstruction {

/// Noise of pixels.
struct PixelNoise {
    static constexpr double kDarkest = 0.02;  ///< brightness below which it no longer falls
    double scale = 1.0;                       ///< of brightness
    double power = 0.0;  ///< 0: as a camera's; above: as of what the model does not know

    /// Standard deviation of a pixel of brightness g: scale * max(g, kDarkest)^power.
    double deviation(double brightness) const;
};

/// What a fit varies.
struct FitState {
    std::vector<double> unknowns;     ///< of the shape, radians
    ImageOptics optics;               ///< sun and slope error
    std::vector<ImageNuisances> own;  ///< of each image

    bool operator==(const FitState&) const = default;
};

/// The posterior about a state, by Laplace's approximation.
struct Curvature {
    std::vector<double> covariance;  ///< of the shape's unknowns, rad^2
    /// The part of the covariance that is due to the prior; the rest is due to the misfit.
    std::vector<double> of_prior;
    double log_determinant = 0.0;  ///< of the precision of all unknowns that images share
};

/// What neighbouring pixels differ from the model alike.
struct SmoothMisfit {
    /// Of the misfit's variance, 0 to 1: 0 for the noise of a camera, nearly 1 where the model
    /// cannot follow the image.
    double share = 0.0;
    /// Its squares over those that expected errors of single facets would add to the misfit.
    double in_errors = 0.0;
};

/// Twice the negative logarithm of the posterior density, and what is made of it. Shift, blur,
/// brightness and background of each image are eliminated from the normal equations. For one thread
/// at a time.
class Posterior {
  public:
    /// shape and images outlive it.
    /// stop: asked before every step of a descent.
    Posterior(const MirrorShape& shape,
              std::span<const FitImage> images,
              const PixelNoise& noise,
              StopCheck stop = {});

    void set_noise(const PixelNoise& noise);  ///< how much pixels count from now on
    /// How large errors are expected from now on; the usual ones before.
    void set_scales(const ErrorScales& scales);
    const ErrorScales& scales() const { return scales_; }
    /// Sets the most probable scales for the images about a state, and returns by how much the
    /// logarithm of one changes at most. misfit: as for likelihood().
    double fit_scales(const FitState& state, double misfit);
    /// Whether blurs of this state are more probable with their prior than without any, by what
    /// images say about each. misfit: as for likelihood().
    bool shows_blurs(const FitState& state, double misfit) const;
    /// From now on no image has a blur.
    void leave_out_blurs();
    bool has_blurs() const { return has_blurs_; }  ///< true before leave_out_blurs()

    /// The usual sun and slope error, and shifts that bring images to where they were measured.
    FitState start(std::vector<double> unknowns) const;
    double cost(const FitState& state) const;  ///< 0 or more
    /// Steps of Levenberg and Marquardt until the cost no longer falls; returns how many.
    int descend(FitState& state, int most_steps) const;
    Curvature curvature(const FitState& state) const;

    /// What the images say about this state and those near it, as if the variance of their misfit
    /// were `misfit` times the one that they are weighted with.
    LinearLikelihood likelihood(const FitState& state, double misfit) const;

    /// Logarithm of the probability about a maximum, scales included, by Laplace's approximation.
    double log_evidence(const FitState& maximum, double misfit) const;

    /// The noise that blocks of lit pixels show: that of single pixels where it differs from pixel
    /// to pixel, and more where neighbours differ from the model alike. Its power is the one that
    /// makes the blocks most probable. covariance: of the unknowns at this state.
    PixelNoise residual_noise(const FitState& state, const std::vector<double>& covariance) const;

    /// Misfit that neighbouring pixels have in common. The variance of single pixels follows from
    /// the differences between neighbours (von Neumann 1941).
    SmoothMisfit smooth_misfit(const FitState& state) const;

    /// An image as the fit sees it, in units of the measured brightness.
    std::vector<double> model(size_t image, const FitState& state) const;

  private:
    struct Residual;
    struct Equations;
    static constexpr size_t kNuisances = 5;  ///< of an image: shift, blur, brightness, background

    std::vector<double> image_of(size_t image, const FitState& state) const;
    double prior_cost(const FitState& state) const;
    /// made: the model's image.
    Residual residual(size_t image, const double* made) const;
    const Equations& of_images(const FitState& state) const;  // until the next call
    Equations assemble(const FitState& state) const;
    void add_image(size_t image, const FitState& state, Equations& sum) const;
    FitState stepped(const FitState& state, const Equations& equations, double damping) const;

    StopCheck stop_;
    const MirrorShape& shape_;
    std::span<const FitImage> images_;
    ErrorScales scales_{};
    bool has_blurs_ = true;
    std::array<double, kNuisances> nuisance_precisions_{};
    std::vector<double> precision_;  ///< of the prior, [unknowns, unknowns]
    double log_determinant_ = 0.0;   ///< of `precision_`
    std::vector<ImageModel> models_;
    std::vector<std::vector<double>> weights_;  ///< of pixels
    /// of_images() of the state it was last asked for.
    mutable std::shared_ptr<const Equations> of_images_;
    mutable FitState state_of_images_;
};

}  // namespace helioray::reconstruction
