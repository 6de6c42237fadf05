// SPDX-License-Identifier: MIT
// Section optics: reflectivity, angular errors, attenuation; and widths of distributions in
// general.
#include "scenario/config/key_table.h"
#include "scenario/config/read_sections.h"
#include "scenario/sun/attenuation.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace helioray {

namespace {

Range width_range() {
    return {0.0, kWidestAngleMrad, false, false, "it is an angular width in mrad"};
}

/// "slope_error_mrad: x", or "slope_error: {type: ...}".
ErrorShape read_error_shape(const Section& optics, const std::string& name) {
    const std::string short_key = name + "_mrad";
    if (optics.has(name) && optics.has(short_key)) {
        optics.fail(name,
                    fmt::format("stands beside {}", short_key),
                    "both set the same distribution",
                    "keep one of the two");
    }
    const auto sigma = optics.number(short_key, width_range());
    if (sigma && *sigma > 0.0) return GaussianShape{*sigma * 1e-3};
    if (!optics.has(name)) return NoError{};

    const size_t before = optics.problems().size();
    const Section shape = optics.section(name);
    if (optics.problems().size() != before) return NoError{};
    if (!shape.has("type")) {
        shape.fail("type", "is missing", "", "choose gaussian or pillbox");
        return NoError{};
    }
    const auto is_gaussian = shape.choice<bool>("type", {{"gaussian", true}, {"pillbox", false}});
    if (!is_gaussian) return NoError{};
    const std::string type = *is_gaussian ? "gaussian" : "pillbox";
    const std::string width_key = *is_gaussian ? "sigma_mrad" : "half_angle_mrad";
    refuse_other_keys(shape, "type", type, {width_key});
    const double width = read_width(shape, width_key, type);
    if (width == 0.0) return NoError{};
    if (*is_gaussian) return GaussianShape{width};
    return PillboxShape{width};
}

using Attenuation = AttenuationConfig::Model;

const std::vector<std::pair<std::string, Attenuation>>& attenuation_models() {
    static const std::vector<std::pair<std::string, Attenuation>> models{
        {"none", Attenuation::none},
        {"mirval", Attenuation::mirval},
        {"vittitoe_biggs_clear", Attenuation::vittitoe_biggs_clear},
        {"vittitoe_biggs_hazy", Attenuation::vittitoe_biggs_hazy},
        {"exponential", Attenuation::exponential},
        {"polynomial", Attenuation::polynomial}};
    return models;
}

void read_coefficients(const Section& section, AttenuationConfig& config) {
    constexpr const char* kKey = "coefficients";
    if (!section.has(kKey)) {
        section.fail(kKey,
                     "is missing",
                     "polynomial needs it",
                     "add for example coefficients: [0.99321, -0.1176, 0.0197]");
        return;
    }
    const auto values = section.numbers_up_to(kKey, config.coefficients.size());
    if (!values) return;
    std::copy(values->begin(), values->end(), config.coefficients.begin());
    // Whoever evaluates the law knows which coefficients make sense.
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

    // The short form names the model alone.
    if (node->kind == YamlNode::Kind::scalar) {
        assign(config.model, optics.choice("attenuation", attenuation_models()));
        if (config.model == Attenuation::exponential) {
            optics.fail("attenuation",
                        "'exponential' needs a coefficient",
                        "",
                        "write {model: exponential, per_km: 0.11}");
        } else if (config.model == Attenuation::polynomial) {
            optics.fail("attenuation",
                        "'polynomial' needs coefficients",
                        "",
                        "write {model: polynomial, coefficients: [0.99321, -0.1176, 0.0197]}");
        }
        return config;
    }
    const size_t before = optics.problems().size();
    const Section section = optics.section("attenuation");
    if (optics.problems().size() != before) return config;
    if (!section.has("model")) {
        section.fail("model", "is missing", "", "write for example attenuation: mirval");
        return config;
    }
    const auto model = section.choice("model", attenuation_models());
    if (!model) return config;
    config.model = *model;
    const std::string name = section.find("model")->text;
    if (config.model == Attenuation::polynomial) {
        refuse_other_keys(section, "model", name, {"coefficients"});
        read_coefficients(section, config);
        return config;
    }
    if (config.model != Attenuation::exponential) {
        refuse_other_keys(section, "model", name, {});
        return config;
    }
    refuse_other_keys(section, "model", name, {"per_km"});
    if (!section.has("per_km")) {
        section.fail(
            "per_km", "is missing", "exponential needs it", "add for example per_km: 0.11");
    }
    assign(config.per_km,
           section.number("per_km", {0.0, 100.0, false, false, "extinction coefficient in 1/km"}));
    return config;
}

}  // namespace

double read_width(const Section& section, const std::string& key, const std::string& owner) {
    if (!section.has(key)) {
        section.fail(key,
                     "is missing",
                     fmt::format("{} needs it", owner),
                     fmt::format("add for example {}: 2.0", key));
        return 0.0;
    }
    return section.number(key, width_range()).value_or(0.0) * 1e-3;
}

void refuse_other_keys(const Section& section,
                       const std::string& kind_key,
                       const std::string& kind,
                       const std::vector<std::string>& taken,
                       const std::vector<KeyInfo>& table) {
    // Entries of lists share the keys of "list[]".
    const std::string path =
        std::regex_replace(section.path_of(""), std::regex("\\[\\d+\\]"), "[]");
    const std::vector<std::string> valid = valid_keys(path, table);
    for (const std::string& key : section.keys()) {
        const bool is_known = std::find(valid.begin(), valid.end(), key) != valid.end();
        const bool is_taken = std::find(taken.begin(), taken.end(), key) != taken.end();
        if (key == kind_key || is_taken || !is_known) continue;
        section.fail(key,
                     fmt::format("does not belong to {} {}", kind_key, kind),
                     "it would be ignored",
                     taken.empty() ? fmt::format("remove it; {} takes no parameter", kind)
                                   : fmt::format("{} takes {}", kind, fmt::join(taken, ", ")));
    }
}

void read_optics(const Section& root, OpticsConfig& config) {
    const Section optics = root.section("optics");
    assign(config.reflectivity,
           optics.number("reflectivity", {0.0, 1.0, false, false, "it is a share of the power"}));
    config.slope_error = read_error_shape(optics, "slope_error");
    config.specularity_error = read_error_shape(optics, "specularity_error");
    if (const auto sigma = optics.number("tracking_error_mrad", width_range())) {
        config.tracking_error = *sigma * 1e-3;
    }
    config.attenuation = read_attenuation(optics);
}

}  // namespace helioray
