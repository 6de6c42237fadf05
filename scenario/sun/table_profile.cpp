// SPDX-License-Identifier: MIT
// Integrals and inverse of a piecewise linear radiance.
#include "scenario/sun/table_profile.h"

#include "scenario/error.h"
#include "scenario/sun/quadrature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace helioray {

namespace {

std::vector<Problem> problems_of(const TableShape& shape) {
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
    if (!(angle.back() <= 0.1))
        add(fmt::format("last angle is {} rad", angle.back()), "a sun is not wider than 0.1 rad");
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
        return radiance_in(segment_of(shape_.angle, theta), theta);
    }
    double power_within(double theta) const override {
        if (theta >= edge()) return 1.0;
        const size_t i = segment_of(shape_.angle, theta);
        return (power_[i - 1] + power_between(i, theta)) / power_.back();
    }
    double square_angle(double share) const override {
        const double power = share * power_.back();
        if (power >= power_.back()) return edge() * edge();
        const size_t i = segment_of(power_, power);
        const auto within = [&](double theta) { return power_[i - 1] + power_between(i, theta); };
        const double theta = solve_increasing(within, power, shape_.angle[i - 1], shape_.angle[i]);
        return theta * theta;
    }
    double mean_square_angle() const override { return fourth_ / power_.back(); }
    double integral() const override { return power_.back(); }
    double edge() const override { return shape_.angle.back(); }

  private:
    /// Index of the row that ends the segment with a value in [column[i - 1], column[i]).
    static size_t segment_of(const std::vector<double>& column, double value) {
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
    /// Integral of radiance * theta from the start of segment i to theta.
    double power_between(size_t i, double theta) const {
        const double a = shape_.angle[i - 1];
        return integrate([&](double t) { return radiance_in(i, t) * t; }, a, theta, 1);
    }
    /// Integral of radiance * theta^3 over segment i.
    double fourth_moment(size_t i) const {
        const auto f = [&](double t) { return radiance_in(i, t) * t * t * t; };
        return integrate(f, shape_.angle[i - 1], shape_.angle[i], 1);
    }

    TableShape shape_;
    std::vector<double> power_;  ///< integral of radiance * theta up to each row
    double fourth_ = 0.0;        ///< integral of radiance * theta^3
};

}  // namespace

std::unique_ptr<const RadialProfile> table_profile(const TableShape& shape) {
    std::vector<Problem> problems = problems_of(shape);
    if (!problems.empty()) throw InputError(std::move(problems));
    return std::make_unique<TableProfile>(shape);
}

}  // namespace helioray
