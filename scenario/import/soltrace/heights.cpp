// SPDX-License-Identifier: MIT
// Formulas and files of SolTrace's surfaces.
#include "scenario/import/soltrace/heights.h"

#include "scenario/files/error.h"
#include "scenario/files/number_text.h"
#include "scenario/files/text_file.h"
#include "scenario/files/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace helioray::soltrace {

namespace {

constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();

/// Largest order of polynomials in files.
constexpr size_t kMaxOrder = 100;

/// Numbers of a surface file, one after the other.
class NumberFile {
  public:
    explicit NumberFile(const std::filesystem::path& file) : name_(file.string()) {
        std::istringstream words(read_text_file(file, "it holds the surface of an element"));
        for (std::string word; words >> word;) words_.push_back(std::move(word));
    }

    double number(const std::string& what) {
        if (at_ == words_.size())
            fail(fmt::format("ends before {}", what), "give all numbers of the surface");
        const std::string& word = words_[at_++];
        const auto value = parse_number(word);
        if (!value || !std::isfinite(*value))
            fail(fmt::format("has '{}' as {}", word, what), "give a finite number");
        return *value;
    }

    size_t count(const std::string& what, size_t low, size_t high) {
        const double value = number(what);
        if (!(value >= static_cast<double>(low) && value <= static_cast<double>(high)) ||
            value != std::floor(value))
            fail(fmt::format("has {} as {}", value, what),
                 fmt::format("give a whole number from {} to {}", low, high));
        return static_cast<size_t>(value);
    }

    [[noreturn]] void fail(const std::string& what, const std::string& advice) const {
        throw InputError(Problem{name_, what, "it holds the surface of an element", advice});
    }

  private:
    std::string name_;
    std::vector<std::string> words_;
    size_t at_ = 0;
};

/// Returns z = sum over i, j <= i of B_ij x^j y^(i - j), SolTrace's form of Zernike's series.
Heights read_monomials(const std::filesystem::path& file) {
    NumberFile numbers(file);
    const size_t order = numbers.count("the order", 0, kMaxOrder);
    std::vector<std::vector<double>> b(order + 1);
    for (size_t i = 0; i <= order; ++i)
        for (size_t j = 0; j <= i; ++j)
            b[i].push_back(numbers.number(fmt::format("the coefficient B({}, {})", i, j)));
    return [b](double x, double y) {
        double sum = 0.0;
        for (size_t i = 0; i < b.size(); ++i)
            for (size_t j = 0; j <= i; ++j)
                sum += b[i][j] * std::pow(x, static_cast<double>(j)) *
                       std::pow(y, static_cast<double>(i - j));
        return sum;
    };
}

/// Returns z = sum over i of c_i r^i.
std::function<double(double)> read_polynomial(const std::filesystem::path& file) {
    NumberFile numbers(file);
    const size_t order = numbers.count("the order", 0, kMaxOrder);
    std::vector<double> c;
    for (size_t i = 0; i <= order; ++i)
        c.push_back(numbers.number(fmt::format("the coefficient of r^{}", i)));
    return [c](double radius) {
        double sum = 0.0;
        for (auto value = c.rbegin(); value != c.rend(); ++value) sum = sum * radius + *value;
        return sum;
    };
}

/// Returns the surface of a profile: of revolution, or along y for a section.
Heights sweep(const Element& element, const std::function<double(double)>& profile) {
    if (element.aperture == 'l')
        return [profile](double x, double) { return profile(std::abs(x)); };
    return [profile](double x, double y) { return profile(std::hypot(x, y)); };
}

Heights cone_heights(double half_angle_deg) {
    const double slope = 1.0 / std::tan(half_angle_deg * kRadiansPerDegree);
    return [slope](double x, double y) { return slope * std::hypot(x, y); };
}

}  // namespace

Heights conic_heights(double curvature_x, double curvature_y, double k) {
    return [=](double x, double y) {
        const double along = curvature_x * x, across = curvature_y * y;
        const double rest = 1.0 - k * (along * along + across * across);
        if (!(rest > 0.0)) return kNowhere;
        return (along * x + across * y) / (1.0 + std::sqrt(rest));
    };
}

RadialSpline read_spline(const std::filesystem::path& file) {
    NumberFile numbers(file);
    RadialSpline spline;
    const size_t count = numbers.count("the number of points", 3, 100'000);
    for (size_t i = 0; i < count; ++i) {
        const double radius = numbers.number("a radius");
        spline.points.push_back({radius, numbers.number("a height")});
        if (i > 0 && !(radius > spline.points[i - 1][0]))
            numbers.fail(
                fmt::format("has a radius of {} after {}", radius, spline.points[i - 1][0]),
                "give the points by ascending radius");
    }
    for (double& slope : spline.end_slopes) slope = numbers.number("a slope at an end");
    return spline;
}

std::function<double(double)> interpolate(const RadialSpline& spline) {
    // Second derivatives of the clamped spline by the tridiagonal equations of its continuity.
    const auto& p = spline.points;
    const size_t n = p.size();
    std::vector<double> curvature(n), ratio(n);
    const auto slope = [&](size_t i) { return (p[i + 1][1] - p[i][1]) / (p[i + 1][0] - p[i][0]); };
    for (size_t i = 0; i < n; ++i) {
        const double before = i > 0 ? p[i][0] - p[i - 1][0] : 0.0;
        const double after = i + 1 < n ? p[i + 1][0] - p[i][0] : 0.0;
        const double in = i > 0 ? slope(i - 1) : spline.end_slopes[0];
        const double out = i + 1 < n ? slope(i) : spline.end_slopes[1];
        const double pivot = 2.0 * (before + after) - (i > 0 ? before * ratio[i - 1] : 0.0);
        ratio[i] = after / pivot;
        curvature[i] = (6.0 * (out - in) - (i > 0 ? before * curvature[i - 1] : 0.0)) / pivot;
    }
    for (size_t i = n - 1; i-- > 0;) curvature[i] -= ratio[i] * curvature[i + 1];
    return [p, curvature](double radius) {
        if (!(radius >= p.front()[0] && radius <= p.back()[0])) return kNowhere;
        const auto above = std::upper_bound(
            p.begin() + 1, p.end() - 1, radius, [](double value, const auto& point) {
                return value < point[0];
            });
        const auto i = static_cast<size_t>(above - p.begin());
        const double width = p[i][0] - p[i - 1][0];
        const double a = (p[i][0] - radius) / width, b = 1.0 - a;
        return a * p[i - 1][1] + b * p[i][1] +
               ((a * a * a - a) * curvature[i - 1] + (b * b * b - b) * curvature[i]) * width *
                   width / 6.0;
    };
}

std::filesystem::path surface_file(const Project& project, const Element& element) {
    return std::filesystem::path(project.file).parent_path() / element.surface_file;
}

std::optional<Heights> find_heights(const Project& project,
                                    const Element& element,
                                    const Findings& findings) {
    const auto& values = element.surface_values;
    const auto refuse = [&](const std::string& why) {
        findings.unsupported(
            element, fmt::format("its surface is {}, {}", surface_name(element.surface), why));
        return std::nullopt;
    };
    switch (element.surface) {
        case 'p':
            return conic_heights(values[0], values[1], 0.0);
        case 's':
            return conic_heights(values[0], element.aperture == 'l' ? 0.0 : values[0], 1.0);
        case 'o':
            return conic_heights(values[0], values[0], values[1]);
        case 'g':
            // SolTrace does not use the coefficients of the polynomial either.
            if (std::any_of(values.begin() + 3, values.end(), [](double v) { return v != 0.0; }))
                findings.remark(element.line,
                                "the polynomial of a general conic is not used, as in SolTrace");
            return conic_heights(values[0], values[1], values[2]);
        case 'c':
            if (!(values[0] > 0.0 && values[0] < 180.0) || values[0] == 90.0)
                return refuse(fmt::format("with a half angle of {} degrees", values[0]));
            return cone_heights(values[0]);
        case 'm':
        case 'r':
        case 'i':
            break;
        default:
            return refuse("mirrors are conics, cones, polynomials or splines");
    }
    const std::filesystem::path file = surface_file(project, element);
    try {
        if (element.surface == 'm') return read_monomials(file);
        if (element.surface == 'r') return sweep(element, read_polynomial(file));
        return sweep(element, interpolate(read_spline(file)));
    } catch (const InputError& error) {
        for (const Problem& problem : error.problems()) findings.unreadable(element, problem);
        return std::nullopt;
    }
}

}  // namespace helioray::soltrace
