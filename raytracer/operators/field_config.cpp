// SPDX-License-Identifier: MIT
// Reads the sections of the configuration that apply to a field.
#include "raytracer/operators/field_object.h"
#include "scenario/config/key_table.h"
#include "scenario/config/section.h"
#include "scenario/config/yaml_tree.h"
#include "scenario/files/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace helioray::operators {

namespace {

constexpr const char* kName = "configuration of a Field";
constexpr std::array kSections{
    "sun", "optics", "targets", "receivers", "obstacles", "tracing", "bitmap"};
constexpr double kUsualSun = 2.09e-3;

void refuse_other_sections(const Section& root) {
    for (const std::string& key : root.keys()) {
        if (std::find(kSections.begin(), kSections.end(), key) != kSections.end()) continue;
        root.fail(key,
                  "has no meaning for a field of tensors",
                  "plant and aims are tensors, and nothing is written",
                  fmt::format("remove it; a Field reads {}", fmt::join(kSections, ", ")));
    }
}

void refuse_other_keys(const Section& root, const RunConfig& config) {
    const Section sun = root.section("sun");
    for (const std::string& key : sun.keys()) {
        if (key == "shape" || key == "dni_w_m2") continue;
        sun.fail(key,
                 "has no meaning for a field of tensors",
                 "the direction to the sun is a tensor",
                 "give it to set_sun() or trace_field");
    }
    if (config.optics.tracking_error > 0.0) {
        root.section("optics").fail("tracking_error_mrad",
                                    "is above 0",
                                    "orientations are tensors and taken as they are",
                                    "turn the orientations instead");
    }
    const Section tracing = root.section("tracing");
    if (config.tracing.model != Model::physical)
        tracing.fail("model", "is artist", "a Field has model physical", "remove it");
    if (config.tracing.relative_error) {
        tracing.fail("relative_error",
                     "is set",
                     "a Field traces the same rays in every call",
                     "set rays_per_heliostat");
    }
}

}  // namespace

RunConfig read_field_config(const std::string& text) {
    YamlNode root = parse_yaml(text, kName);
    if (root.kind != YamlNode::Kind::map && root.kind != YamlNode::Kind::null) {
        throw InputError(Problem{where(root.at, ""),
                                 "is not a map of keys",
                                 "",
                                 "write for example \"tracing: {rays_per_heliostat: 1e5}\""});
    }
    if (root.kind == YamlNode::Kind::null) root.kind = YamlNode::Kind::map;
    std::vector<Problem> problems;
    check_keys(root, problems);
    const Section top(root, problems);
    RunConfig config;
    refuse_other_sections(top);
    if (top.has("sun")) read_sun(top, config.sun);
    read_optics(top, config.optics);
    read_targets(top, config.targets);
    read_receivers(top, config.receivers);
    read_obstacles(top, config.obstacles);
    read_tracing(top, config);
    refuse_other_keys(top, config);
    if (!problems.empty()) throw InputError(std::move(problems));
    if (!config.sun.shape) config.sun.shape = GaussianShape{kUsualSun};
    return config;
}

}  // namespace helioray::operators
