// SPDX-License-Identifier: MIT
// Sums of Gaussians: their ranges, descriptions and radial profile.
#include "scenario/files/error.h"
#include "scenario/sun/radial_profile.h"
#include "scenario/types/gauss_sum_shape.h"
#include "scenario/types/quadrature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace helioray {

namespace {

// Small-angle approximations are not valid beyond a tenth of a radian.
constexpr double kWidest = 0.1;

/// Every term is a Gaussian profile; power and moments are summed.
class GaussSumProfile final : public RadialProfile {
  public:
    explicit GaussSumProfile(const GaussSumShape& shape)
        : sigma_(shape.sigma), share_(shape.share) {
        const double total = std::accumulate(share_.begin(), share_.end(), 0.0);
        for (double& share : share_) share /= total;
        widest_ = *std::max_element(sigma_.begin(), sigma_.end());
        center_ = sum([](double variance) { return 1.0 / variance; });
    }
    double radiance(double theta) const override {
        return sum([&](double variance) {
                   return std::exp(-theta * theta / (2.0 * variance)) / variance;
               }) /
               center_;
    }
    double power_within(double theta) const override {
        return sum([&](double variance) { return -std::expm1(-theta * theta / (2.0 * variance)); });
    }
    double square_angle(double share) const override {
        // No term extends farther than the widest one.
        const double reach = -2.0 * widest_ * widest_ * std::log1p(-share);
        const auto within = [&](double square) { return power_within(std::sqrt(square)); };
        return solve_increasing(within, share, 0.0, reach);
    }
    double mean_square_angle() const override {
        return sum([](double variance) { return 2.0 * variance; });
    }
    double integral() const override { return 1.0 / center_; }
    double edge() const override { return std::numeric_limits<double>::infinity(); }

  private:
    /// Returns the sum over the terms of share * term(variance).
    template <typename Term>
    double sum(const Term& term) const {
        double total = 0.0;
        for (size_t i = 0; i < sigma_.size(); ++i) total += share_[i] * term(sigma_[i] * sigma_[i]);
        return total;
    }

    std::vector<double> sigma_;
    std::vector<double> share_;
    double widest_;
    double center_;  ///< sum of share / variance, by which the radiance at the centre is scaled
};

}  // namespace

std::string problem_of(const GaussSumShape& shape) {
    if (shape.sigma.empty() || shape.sigma.size() != shape.share.size())
        return "a sum of Gaussians has a sigma and a share for each of its terms";
    for (const double sigma : shape.sigma) {
        if (!(sigma > 0.0) || sigma > kWidest)
            return fmt::format("sigma {} rad lies outside of 0 to {} rad", sigma, kWidest);
    }
    for (const double share : shape.share) {
        if (!(share > 0.0) || !std::isfinite(share))
            return fmt::format("share {} is not above 0", share);
    }
    return "";
}

std::string describe_shape(const GaussSumShape& shape) {
    const auto [low, high] = std::minmax_element(shape.sigma.begin(), shape.sigma.end());
    return fmt::format("{} Gaussians, sigma {:.4g} to {:.4g} mrad per axis",
                       shape.sigma.size(),
                       *low * 1e3,
                       *high * 1e3);
}

std::unique_ptr<const RadialProfile> make_profile(const GaussSumShape& shape) {
    const std::string problem = problem_of(shape);
    if (!problem.empty()) throw InputError(Problem{"sun shape", problem, "", ""});
    return std::make_unique<GaussSumProfile>(shape);
}

}  // namespace helioray
