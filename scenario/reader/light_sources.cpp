// SPDX-License-Identifier: MIT
// Light sources and their angular distributions.
#include "scenario/reader/fields.h"
#include "scenario/reader/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

namespace {

constexpr double kRightAngle = std::numbers::pi / 2;

GaussianShape read_gaussian(const Fields& fields) {
    const double covariance = fields.number("covariance").value_or(0.0);
    if (covariance < 0.0) {
        fields.log().problem(fields.where("covariance"),
                             fmt::format("is {}", covariance),
                             "it must not be negative");
        return {};
    }
    return {std::sqrt(covariance)};
}

PillboxShape read_pillbox(const Fields& fields) {
    const double angle = fields.positive("half_angle").value_or(0.0);
    if (angle >= kRightAngle) {
        fields.log().problem(fields.where("half_angle"),
                             fmt::format("is {}", angle),
                             "it is in radians and must be less than pi / 2");
    }
    return {angle};
}

BuieShape read_buie(const Fields& fields) {
    const double csr = fields.positive("csr").value_or(0.0);
    if (csr >= 1.0) {
        fields.log().problem(fields.where("csr"),
                             fmt::format("is {}", csr),
                             "the circumsolar ratio is a share of the radiation, less than 1");
    }
    return {csr};
}

TableShape read_table(const Fields& fields) {
    const auto angle = fields.array("angle", 1);
    const auto radiance = fields.array("radiance", 1);
    if (!angle || !radiance) return {};
    const std::vector<double>& a = angle->values;
    const std::vector<double>& r = radiance->values;
    ReadLog& log = fields.log();
    if (a.size() != r.size() || a.size() < 2) {
        log.problem(fields.where("radiance"),
                    fmt::format("has {} values for {} angles", r.size(), a.size()),
                    "both need the same number, at least 2");
    }
    if (a.front() != 0.0 || a.back() >= kRightAngle ||
        std::adjacent_find(a.begin(), a.end(), std::greater_equal<>()) != a.end()) {
        log.problem(fields.where("angle"), "does not ascend from 0 to less than pi / 2");
    }
    if (*std::min_element(r.begin(), r.end()) < 0.0 ||
        *std::max_element(r.begin(), r.end()) <= 0.0) {
        log.problem(fields.where("radiance"), "is negative somewhere or zero everywhere");
    }
    return {a, r};
}

SunShape read_shape(const Fields& fields) {
    const std::string kind = fields.text("distribution_type").value_or("normal");
    if (kind == "normal") return read_gaussian(fields);
    if (kind == "pillbox") return read_pillbox(fields);
    if (kind == "buie") return read_buie(fields);
    if (kind == "limb_darkened") return LimbDarkenedShape{};
    if (kind == "collimated") return CollimatedShape{};
    if (kind == "table") return read_table(fields);
    fields.unknown("distribution_type",
                   kind,
                   "'normal', 'pillbox', 'buie', 'limb_darkened', 'collimated' or 'table'");
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
