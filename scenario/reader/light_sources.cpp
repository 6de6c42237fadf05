// SPDX-License-Identifier: MIT
// Reads light sources and their angular distributions.
#include "scenario/reader/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

namespace helioray {

namespace {

constexpr double kRightAngle = std::numbers::pi / 2;

void read(const Fields& fields, GaussianShape& shape) {
    const double covariance = fields.number("covariance").value_or(0.0);
    if (covariance < 0.0) {
        fields.log().problem(fields.where("covariance"),
                             fmt::format("is {}", covariance),
                             "it must not be negative");
        return;
    }
    shape.sigma = std::sqrt(covariance);
}

void read(const Fields& fields, PillboxShape& shape) {
    const double angle = shape.half_angle = fields.positive("half_angle").value_or(0.0);
    if (angle >= kRightAngle) {
        fields.log().problem(fields.where("half_angle"),
                             fmt::format("is {}", angle),
                             "it is in radians and must be less than pi / 2");
    }
}

void read(const Fields& fields, BuieShape& shape) {
    const double csr = shape.csr = fields.number("csr").value_or(0.0);
    if (!kCircumsolarRatios.contains(csr)) {
        fields.log().problem(fields.where("csr"),
                             fmt::format("is {}, outside of {}", csr, kCircumsolarRatios.text()),
                             kCircumsolarRatios.why);
    }
    if (!fields.contains("calibration")) return;
    shape.calibration = fields.choice<BuieCalibration>("calibration").value_or(BuieCalibration{});
}

void read(const Fields&, LimbDarkenedShape&) {}

void read(const Fields&, CollimatedShape&) {}

void read(const Fields& fields, TableShape& shape) {
    const auto angle = fields.array("angle", 1);
    const auto radiance = fields.array("radiance", 1);
    if (!angle || !radiance) return;
    const std::vector<double>& a = angle->values;
    const std::vector<double>& r = radiance->values;
    ReadLog& log = fields.log();
    if (a.size() != r.size() || a.size() < 2) {
        log.problem(fields.where("radiance"),
                    fmt::format("has {} values for {} angles", r.size(), a.size()),
                    "both need the same number, at least 2");
    }
    if (a.front() != 0.0 || !kSunWidths.contains(a.back()) ||
        std::adjacent_find(a.begin(), a.end(), std::greater_equal<>()) != a.end()) {
        log.problem(fields.where("angle"),
                    fmt::format("does not ascend from 0 to at most {} rad", kSunWidths.high),
                    kSunWidths.why);
    }
    if (*std::min_element(r.begin(), r.end()) < 0.0 ||
        *std::max_element(r.begin(), r.end()) <= 0.0) {
        log.problem(fields.where("radiance"), "is negative somewhere or zero everywhere");
    }
    shape = {a, r};
}

/// Reads shapes that name their members, numbers and lists of numbers.
void read(const Fields& fields, auto& shape) {
    shape.members(shape, [&](const char* name, auto& member) {
        if constexpr (std::is_same_v<decltype(member), double&>) {
            member = fields.number(name).value_or(member);
        } else if (const auto array = fields.array(name, 1)) {
            member = array->values;
        }
    });
    const std::string problem = problem_of(shape);
    if (!problem.empty()) fields.log().problem(fields.group().where(), problem);
}

/// Returns the alternative of SunShape with this name, or no value if there is none. Adds every
/// name to `known`.
template <size_t kIndex = 0>
std::optional<SunShape> read_alternative(const Fields& fields,
                                         const std::string& kind,
                                         std::vector<std::string>& known) {
    if constexpr (kIndex < std::variant_size_v<SunShape>) {
        std::variant_alternative_t<kIndex, SunShape> shape{};
        known.push_back(fmt::format("'{}'", shape.kName));
        if (kind != shape.kName) return read_alternative<kIndex + 1>(fields, kind, known);
        read(fields, shape);
        return shape;
    }
    return std::nullopt;
}

SunShape read_shape(const Fields& fields) {
    const std::string kind = fields.text("distribution_type").value_or(GaussianShape::kName);
    std::vector<std::string> known;
    if (const auto shape = read_alternative(fields, kind, known)) return *shape;
    const std::string last = known.back();
    known.pop_back();
    fields.unknown(
        "distribution_type", kind, fmt::format("{} or {}", fmt::join(known, ", "), last));
    return CollimatedShape{};
}

LightSource read_light_source(const std::string& name, const hdf5::Group& group, ReadLog& log) {
    const Fields fields(group, log);
    LightSource source;
    source.name = name;
    const std::string type = fields.text("type").value_or("sun");
    if (type != "sun") fields.unknown("type", type, "'sun'");
    source.number_of_rays = fields.integer("number_of_rays").value_or(1);
    if (source.number_of_rays < 1) {
        log.problem(fields.where("number_of_rays"),
                    fmt::format("is {}", source.number_of_rays),
                    "at least one ray is needed");
    }
    const hdf5::Group parameters = group.group("distribution_parameters");
    const Fields distribution(parameters, log);
    source.shape = read_shape(distribution);
    // ARTIST's distribution needs its mean; ours are centred.
    if (std::holds_alternative<GaussianShape>(source.shape) || distribution.contains("mean")) {
        source.mean = distribution.number("mean").value_or(0.0);
    }
    fields.warn_of_unread({"distribution_parameters"});
    distribution.warn_of_unread();
    return source;
}

}  // namespace

std::vector<LightSource> read_light_sources(const hdf5::Group& root, ReadLog& log) {
    std::vector<LightSource> sources;
    log.attempt([&] {
        const hdf5::Group group = root.group("lightsources");
        const std::vector<std::string> names = group.names();
        if (names.empty()) log.problem(group.where(), "there is no light source", "one is needed");
        for (const std::string& name : names) {
            log.attempt(
                [&] { sources.push_back(read_light_source(name, group.group(name), log)); });
        }
        if (names.size() > 1) {
            log.warn(group.where(),
                     fmt::format("of {} light sources only '{}' is used", names.size(), names[0]));
        }
    });
    return sources;
}

}  // namespace helioray
