// SPDX-License-Identifier: MIT
// Reads section optics: reflectivity, angular errors, attenuation. Also reads widths of
// distributions in general.
#include "scenario/config/bound_key.h"
#include "scenario/files/units.h"
#include "scenario/sun/attenuation.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

namespace {

/// Reads "slope_error_mrad: x", or "slope_error: {type: ...}".
ErrorShape read_error_shape(const Section& optics, const std::string& name) {
    const std::string short_key = name + "_mrad";
    if (optics.has(name) && optics.has(short_key)) {
        optics.fail(name,
                    fmt::format("stands beside {}", short_key),
                    "both set the same distribution",
                    "keep one of the two");
    }
    const auto sigma = optics.si_number(short_key);
    if (sigma && *sigma > 0.0) return GaussianShape{*sigma};
    if (!optics.has(name)) return NoError{};

    const size_t before = optics.problems().size();
    const Section shape = optics.section(name);
    if (optics.problems().size() != before) return NoError{};
    const auto kind = shape.required_choice("type", kErrorKinds);
    if (!kind) return NoError{};
    const bool is_gaussian = *kind == ErrorKind::gaussian;
    const std::string width_key = is_gaussian ? "sigma_mrad" : "half_angle_mrad";
    shape.refuse_other_keys("type", {width_key});
    const double width = read_width(shape, width_key);
    if (width == 0.0) return NoError{};
    if (is_gaussian) return GaussianShape{width};
    return PillboxShape{width};
}

std::vector<AngleValue> read_reflectivity_by_angle(const Section& optics) {
    const std::string key = "reflectivity_by_angle";
    const auto pairs = optics.pairs(key);
    if (!pairs) return {};
    constexpr double kRightAngle = 90.0;  // degrees
    const std::string advice =
        "write for example " + find_declaration("optics.reflectivity_by_angle").example;
    std::vector<AngleValue> table;
    if (pairs->empty()) optics.fail(key, "is empty", "", advice);
    for (size_t i = 0; i < pairs->size(); ++i) {
        const auto [angle, factor] = (*pairs)[i];
        if (!(angle >= 0.0 && angle <= kRightAngle)) {
            optics.fail_item(key,
                             i,
                             fmt::format("{} degrees is not an angle of incidence", angle),
                             "light meets a mirror at 0 to 90 degrees from its normal",
                             advice);
        } else if (i > 0 && !(angle > (*pairs)[i - 1][0])) {
            optics.fail_item(key,
                             i,
                             fmt::format("{} degrees is not above the angle before", angle),
                             "angles ascend",
                             "sort the pairs");
        }
        if (!kReflectivities.contains(factor)) {
            optics.fail_item(
                key,
                i,
                fmt::format("the factor {} is not {}", factor, kReflectivities.sentence()),
                "it multiplies optics.reflectivity and those of a table of states",
                advice);
        }
        table.push_back({angle * kRadiansPerDegree, factor});
    }
    return table;
}

using Attenuation = AttenuationConfig::Model;

void read_coefficients(const Section& section, AttenuationConfig& config) {
    constexpr const char* kKey = "coefficients";
    if (!section.require(kKey, "polynomial needs it")) return;
    const auto values = section.numbers_up_to(kKey, config.coefficients.size());
    if (!values) return;
    std::copy(values->begin(), values->end(), config.coefficients.begin());
    // The formula itself checks which coefficients are valid.
    try {
        attenuation_record(config);
    } catch (const InputError& error) {
        for (const Problem& problem : error.problems()) {
            section.fail(kKey, problem.what, problem.why, problem.advice);
        }
    }
}

AttenuationConfig read_attenuation(const Section& optics) {
    AttenuationConfig config;
    const YamlNode* node = optics.find("attenuation");
    if (!node) return config;

    // The short form consists of the name of the model.
    if (node->kind == YamlNode::Kind::scalar) {
        assign(config.model, optics.choice("attenuation", kAttenuationModels));
        if (config.model == Attenuation::exponential) {
            optics.fail("attenuation",
                        "'exponential' needs a coefficient",
                        "",
                        fmt::format("give attenuation.model and attenuation.per_km, such as {}",
                                    find_declaration("optics.attenuation.per_km").example));
        } else if (config.model == Attenuation::polynomial) {
            optics.fail(
                "attenuation",
                "'polynomial' needs coefficients",
                "",
                fmt::format("give attenuation.model and attenuation.coefficients, such as {}",
                            find_declaration("optics.attenuation.coefficients").example));
        }
        return config;
    }
    const size_t before = optics.problems().size();
    const Section section = optics.section("attenuation");
    if (optics.problems().size() != before) return config;
    if (!section.has("model")) {
        section.fail("model", "is missing", "", "give a model, for example mirval");
        return config;
    }
    const auto model = section.choice("model", kAttenuationModels);
    if (!model) return config;
    config.model = *model;
    if (config.model == Attenuation::polynomial) {
        section.refuse_other_keys("model", {"coefficients"});
        read_coefficients(section, config);
        return config;
    }
    if (config.model != Attenuation::exponential) {
        section.refuse_other_keys("model", {});
        return config;
    }
    section.refuse_other_keys("model", {"per_km"});
    section.require("per_km", "exponential needs it");
    assign(config.per_km, section.number("per_km"));
    return config;
}

}  // namespace

double read_width(const Section& section, const std::string& key) {
    if (!section.require(key, section.find("type")->text + " needs it")) return 0.0;
    return section.si_number(key).value_or(0.0);
}

void read_optics(const Section& root, OpticsConfig& config) {
    const Section optics = root.section("optics");
    read_members(optics, config);
    config.slope_error = read_error_shape(optics, "slope_error");
    config.specularity_error = read_error_shape(optics, "specularity_error");
    config.attenuation = read_attenuation(optics);
    config.reflectivity_by_angle = read_reflectivity_by_angle(optics);
}

}  // namespace helioray
