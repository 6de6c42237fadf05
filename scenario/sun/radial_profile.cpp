// SPDX-License-Identifier: MIT
// Profiles with closed forms, and the choice by shape.
#include "scenario/sun/radial_profile.h"

#include "scenario/error.h"
#include "scenario/sun/buie.h"
#include "scenario/sun/quadrature.h"
#include "scenario/sun/table_profile.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace helioray {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void require_width(double width, const char* name) {
    // Beyond a tenth of a radian the small angles of all this are no longer small.
    if (width > 0.0 && width <= 0.1) return;
    throw InputError(Problem{"sun shape",
                             fmt::format("{} {} rad lies outside of 0 to 0.1 rad", name, width),
                             "a sun has a small positive width",
                             "use shape collimated for a sun without width"});
}

class GaussianProfile final : public RadialProfile {
  public:
    explicit GaussianProfile(const GaussianShape& shape)
        : two_variance_(2.0 * shape.sigma * shape.sigma) {
        require_width(shape.sigma, "sigma");
    }
    double radiance(double theta) const override {
        return std::exp(-theta * theta / two_variance_);
    }
    double power_within(double theta) const override {
        return -std::expm1(-theta * theta / two_variance_);
    }
    double square_angle(double share) const override { return -two_variance_ * std::log1p(-share); }
    double mean_square_angle() const override { return two_variance_; }
    double integral() const override { return 0.5 * two_variance_; }
    double edge() const override { return kInfinity; }

  private:
    double two_variance_;
};

/// 1 - darkening (theta / edge)^4; darkening 0 is the pillbox.
class DiscProfile final : public RadialProfile {
  public:
    DiscProfile(double edge, double darkening) : edge_(edge), darkening_(darkening) {
        require_width(edge, "half angle");
    }
    double radiance(double theta) const override {
        const double s = square(theta / edge_);
        return s <= 1.0 ? 1.0 - darkening_ * s * s : 0.0;
    }
    double power_within(double theta) const override {
        return theta < edge_ ? share_within(square(theta / edge_)) : 1.0;
    }
    double square_angle(double share) const override {
        const auto within = [this](double s) { return share_within(s); };
        const double s = darkening_ == 0.0 ? share : solve_increasing(within, share, 0.0, 1.0);
        return s * edge_ * edge_;
    }
    double mean_square_angle() const override {
        return edge_ * edge_ * (0.5 - darkening_ / 4.0) / (1.0 - darkening_ / 3.0);
    }
    double integral() const override { return 0.5 * edge_ * edge_ * (1.0 - darkening_ / 3.0); }
    double edge() const override { return edge_; }

  private:
    static double square(double a) { return a * a; }
    /// Share of the power within s = (theta / edge)^2.
    double share_within(double s) const {
        return s * (1.0 - darkening_ * s * s / 3.0) / (1.0 - darkening_ / 3.0);
    }

    double edge_;
    double darkening_;
};

class BuieProfile final : public RadialProfile {
  public:
    explicit BuieProfile(const BuieShape& shape)
        : parameters_(buie_parameters(shape)), ring_(buie_ring_integral(parameters_)) {}
    double radiance(double theta) const override { return buie_radiance(parameters_, theta); }
    double power_within(double theta) const override {
        if (theta >= edge()) return 1.0;
        const double power = theta <= kBuieDisc ? buie_disc_integral(theta)
                                                : disc_ + buie_ring_integral(parameters_, theta);
        return power / integral();
    }
    double square_angle(double share) const override {
        const double disc = kink();
        const auto within = [this](double theta) { return power_within(theta); };
        const double theta = ring_ == 0.0 || share <= disc
                                 ? solve_increasing(within, share, 0.0, kBuieDisc)
                                 : buie_ring_angle(parameters_, (share - disc) / (1.0 - disc));
        return theta * theta;
    }
    double mean_square_angle() const override {
        const auto f = [this](double theta) { return radiance(theta) * theta * theta * theta; };
        return (integrate(f, 0.0, kBuieDisc, 32) + integrate(f, kBuieDisc, kBuieAureole, 64)) /
               integral();
    }
    double integral() const override { return disc_ + ring_; }
    double edge() const override { return ring_ == 0.0 ? kBuieDisc : kBuieAureole; }
    double kink() const override { return disc_ / integral(); }

  private:
    BuieParameters parameters_;
    double disc_ = buie_disc_integral();  ///< integrals of radiance * theta
    double ring_;
};

struct MakeProfile {
    using Result = std::unique_ptr<const RadialProfile>;
    Result operator()(const GaussianShape& s) const { return std::make_unique<GaussianProfile>(s); }
    Result operator()(const PillboxShape& s) const {
        return std::make_unique<DiscProfile>(s.half_angle, 0.0);
    }
    Result operator()(const BuieShape& s) const { return std::make_unique<BuieProfile>(s); }
    Result operator()(const LimbDarkenedShape&) const {
        return std::make_unique<DiscProfile>(kSolarDisc, 0.5138);
    }
    Result operator()(const CollimatedShape&) const {
        throw InputError(Problem{"sun shape",
                                 "a collimated sun has no radial profile",
                                 "all of its light comes from one direction",
                                 "handle it apart"});
    }
    Result operator()(const TableShape& s) const { return table_profile(s); }
};

}  // namespace

std::unique_ptr<const RadialProfile> radial_profile(const SunShape& shape) {
    return std::visit(MakeProfile{}, shape);
}

double rms_width(const SunShape& shape) {
    if (std::holds_alternative<CollimatedShape>(shape)) return 0.0;
    return std::sqrt(0.5 * radial_profile(shape)->mean_square_angle());
}

}  // namespace helioray
