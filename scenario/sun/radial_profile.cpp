// SPDX-License-Identifier: MIT
// Profiles by shape: a piecewise linear table, closed forms, Buie; and tables computed from them.
#include "scenario/sun/radial_profile.h"

#include "scenario/files/error.h"
#include "scenario/sun/buie.h"
#include "scenario/types/quadrature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace helioray {

namespace {

std::vector<Problem> find_problems(const TableShape& shape) {
    std::vector<Problem> problems;
    const auto add = [&](std::string what, std::string why) {
        problems.push_back({"sun shape table", std::move(what), std::move(why), ""});
    };
    const std::vector<double>& angle = shape.angle;
    if (angle.size() != shape.radiance.size()) {
        add(fmt::format("{} angles but {} radiances", angle.size(), shape.radiance.size()),
            "every angle needs its radiance");
        return problems;
    }
    if (angle.size() < 2) {
        add(fmt::format("{} rows", angle.size()), "a profile needs at least two");
        return problems;
    }
    if (angle.front() != 0.0)
        add(fmt::format("first angle is {} rad", angle.front()),
            "the profile starts at the sun's centre");
    if (!kSunWidths.contains(angle.back()))
        add(fmt::format("last angle is {} rad", angle.back()), kSunWidths.why);
    for (size_t i = 0; i < angle.size(); ++i) {
        if (i > 0 && !(angle[i] > angle[i - 1]))
            add(fmt::format("row {}: angle {} rad follows {} rad", i + 1, angle[i], angle[i - 1]),
                "angles ascend");
        if (!(shape.radiance[i] >= 0.0 && std::isfinite(shape.radiance[i])))
            add(fmt::format("row {}: radiance {}", i + 1, shape.radiance[i]),
                "a radiance is a number of at least 0");
    }
    const auto positive = [](double r) { return r > 0.0; };
    if (std::none_of(shape.radiance.begin(), shape.radiance.end(), positive))
        add("all radiances are 0", "such a sun does not shine");
    return problems;
}

class TableProfile final : public RadialProfile {
  public:
    explicit TableProfile(const TableShape& shape)
        : shape_(shape), power_(shape.angle.size(), 0.0) {
        for (size_t i = 1; i < power_.size(); ++i) {
            power_[i] = power_[i - 1] + power_between(i, shape_.angle[i]);
            fourth_ += fourth_moment(i);
        }
    }
    double radiance(double theta) const override {
        if (theta >= edge()) return theta == edge() ? shape_.radiance.back() : 0.0;
        return radiance_in(find_segment(shape_.angle, theta), theta);
    }
    double power_within(double theta) const override {
        if (theta >= edge()) return 1.0;
        const size_t i = find_segment(shape_.angle, theta);
        return (power_[i - 1] + power_between(i, theta)) / power_.back();
    }
    double square_angle(double share) const override {
        const double power = share * power_.back();
        if (power >= power_.back()) return edge() * edge();
        const size_t i = find_segment(power_, power);
        const auto within = [&](double theta) { return power_[i - 1] + power_between(i, theta); };
        const double theta = solve_increasing(within, power, shape_.angle[i - 1], shape_.angle[i]);
        return theta * theta;
    }
    double mean_square_angle() const override { return fourth_ / power_.back(); }
    double integral() const override { return power_.back(); }
    double edge() const override { return shape_.angle.back(); }

  private:
    /// Returns the index of the row that ends the segment with a value in [column[i - 1],
    /// column[i]).
    static size_t find_segment(const std::vector<double>& column, double value) {
        const auto above = std::upper_bound(column.begin() + 1, column.end(), value);
        return std::min<size_t>(static_cast<size_t>(above - column.begin()), column.size() - 1);
    }
    double slope(size_t i) const {
        return (shape_.radiance[i] - shape_.radiance[i - 1]) /
               (shape_.angle[i] - shape_.angle[i - 1]);
    }
    double radiance_in(size_t i, double theta) const {
        return shape_.radiance[i - 1] + slope(i) * (theta - shape_.angle[i - 1]);
    }
    /// Returns the integral of radiance * theta from the start of segment i to theta.
    double power_between(size_t i, double theta) const {
        const double a = shape_.angle[i - 1];
        return integrate([&](double t) { return radiance_in(i, t) * t; }, a, theta, 1);
    }
    /// Returns the integral of radiance * theta^3 over segment i.
    double fourth_moment(size_t i) const {
        const auto f = [&](double t) { return radiance_in(i, t) * t * t * t; };
        return integrate(f, shape_.angle[i - 1], shape_.angle[i], 1);
    }

    TableShape shape_;
    std::vector<double> power_;  ///< integral of radiance * theta up to each row
    double fourth_ = 0.0;        ///< integral of radiance * theta^3
};

std::unique_ptr<const RadialProfile> table_profile(const TableShape& shape) {
    std::vector<Problem> problems = find_problems(shape);
    if (!problems.empty()) throw InputError(std::move(problems));
    return std::make_unique<TableProfile>(shape);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void require_width(double width, const char* name) {
    if (kSunWidths.contains(width)) return;
    throw InputError(Problem{"sun shape",
                             fmt::format("{} {} rad is not {} rad", name, width, kSunWidths.text()),
                             kSunWidths.why,
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

/// Radiance 1 - darkening (theta / edge)^4; darkening 0 is the pillbox.
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
    /// Returns the fraction of the power within s = (theta / edge)^2.
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
    /// Shapes that are defined in separate headers.
    Result operator()(const auto& s) const { return make_profile(s); }
};

}  // namespace

std::unique_ptr<const RadialProfile> radial_profile(const SunShape& shape) {
    return std::visit(MakeProfile{}, shape);
}

namespace {

using Knots = std::array<float, kRadialTableSize + 1>;

/// Fractions of the power at which a table may change from core to tail.
constexpr std::array<double, 8> kSplits{0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995};

/// Random float numbers have few different values beyond this.
constexpr double kLargestSplit = 1.0 - 0x1p-20;

double mean(const Knots& knots) {
    double sum = 0.5 * (double{knots.front()} + double{knots.back()});
    for (int i = 1; i < kRadialTableSize; ++i) sum += knots[i];
    return sum / kRadialTableSize;
}

/// Returns knots over [from, to]; the last one is `end` instead of the value at `to`.
Knots knots_between(const RadialProfile& profile, double from, double to, double end) {
    Knots knots;
    for (int i = 0; i < kRadialTableSize; ++i) {
        const double share = from + (to - from) * i / kRadialTableSize;
        knots[i] = static_cast<float>(profile.square_angle(share));
    }
    knots[kRadialTableSize] = static_cast<float>(end);
    return knots;
}

RadialTable table_with_split(const RadialProfile& profile, double wanted_split) {
    RadialTable table;
    table.split = static_cast<float>(wanted_split);
    // Use the rounded value, so that core and tail are contiguous.
    const double split = table.split;
    const double middle = profile.square_angle(split);
    table.core = knots_between(profile, 0.0, split, middle);
    const bool bounded = std::isfinite(profile.edge());
    if (bounded) {
        table.tail = knots_between(profile, split, 1.0, profile.edge() * profile.edge());
        return table;
    }
    // Without an edge, the last knot corrects the mean square angle.
    table.tail = knots_between(profile, split, 1.0, 0.0);
    const double missing = profile.mean_square_angle() - mean_square_angle(table);
    const double last = missing * 2.0 * kRadialTableSize / (1.0 - split);
    table.tail.back() = std::max(static_cast<float>(last), table.tail[kRadialTableSize - 1]);
    return table;
}

/// Returns the table with the split that preserves the mean square angle of bounded profiles best.
RadialTable best_table(const RadialProfile& profile) {
    if (!std::isfinite(profile.edge())) return table_with_split(profile, 0.98);
    const auto error = [&](const RadialTable& table) {
        return std::abs(mean_square_angle(table) - profile.mean_square_angle());
    };
    RadialTable best = table_with_split(profile, kSplits.front());
    for (double split : kSplits) {
        const RadialTable table = table_with_split(profile, split);
        if (error(table) < error(best)) best = table;
    }
    return best;
}

}  // namespace

RadialTable radial_table(const SunShape& shape) {
    const auto profile = radial_profile(shape);
    const double kink = profile->kink();
    if (kink <= 0.0 || kink >= 1.0) return best_table(*profile);
    return table_with_split(*profile, std::min(kink, kLargestSplit));
}

double mean_square_angle(const RadialTable& table) {
    const double split = table.split;
    return split * mean(table.core) + (1.0 - split) * mean(table.tail);
}

}  // namespace helioray
