// SPDX-License-Identifier: MIT
// Converts text to a RunConfig: parses, applies overrides, checks keys, reads sections, and checks
// rules that concern several of them.
#include "scenario/config/reader.h"

#include "scenario/config/section.h"
#include "scenario/config/yaml_tree.h"
#include "scenario/files/text_file.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace helioray {

namespace {

void read_scenario_path(const Section& root, bool has_plant, RunConfig& config) {
    if (!root.has("scenario")) {
        if (has_plant) return;
        root.fail(
            "scenario", "is missing", "there is no plant to trace", "add scenario: <file.h5>");
        return;
    }
    const auto text = root.text("scenario");
    if (!text) return;
    config.scenario = root.resolve_input(*text);
    std::error_code error;
    if (!std::filesystem::exists(config.scenario, error)) {
        root.fail("scenario",
                  fmt::format("there is no file '{}'", config.scenario.string()),
                  "it holds the plant",
                  "paths in a configuration are relative to its folder, on the command line to the "
                  "working directory");
    } else if (std::filesystem::is_directory(config.scenario, error)) {
        root.fail("scenario",
                  fmt::format("'{}' is a folder", config.scenario.string()),
                  "",
                  "name the scenario file in it");
    }
}

/// Adds a problem if the result would replace one of its own inputs.
void check_overwriting(const Section& root, const RunConfig& config) {
    if (!config.output.file) return;
    std::error_code error;
    if (!std::filesystem::equivalent(*config.output.file, config.scenario, error)) return;
    root.section("output").fail(
        "file",
        fmt::format("'{}' is the scenario itself", config.output.file->string()),
        "the result would replace it",
        "choose another name");
}

void collect_locations(const YamlNode& node,
                       const std::string& path,
                       std::map<std::string, ConfigLocation>& locations) {
    locations.emplace(path, node.at);
    for (const YamlEntry& entry : node.entries) {
        collect_locations(
            entry.value, path.empty() ? entry.key : path + "." + entry.key, locations);
    }
    for (size_t i = 0; i < node.items.size(); ++i) {
        collect_locations(node.items[i], fmt::format("{}[{}]", path, i), locations);
    }
}

DraftRunConfig draft(const std::string& text,
                     const std::string& name,
                     const std::filesystem::path& base_dir,
                     const Overrides& overrides,
                     SunPositions positions) {
    // A text from the calling program has no lines that a user could look up.
    YamlNode root = parse_yaml(text, name, name == overrides.origin);
    if (root.kind == YamlNode::Kind::null) {
        throw InputError(Problem{name,
                                 "is empty",
                                 "a configuration names at least a scenario, the sun and a target",
                                 "see configs/README.md"});
    }
    if (root.kind != YamlNode::Kind::map) {
        throw InputError(Problem{where(root.at, ""),
                                 "is not a map of keys",
                                 "",
                                 "begin with 'scenario: <file.h5>' at the left margin"});
    }
    DraftRunConfig draft;
    std::vector<Problem>& problems = draft.problems;
    RunConfig& config = draft.config;
    apply_overrides(root, overrides, base_dir, problems);
    check_keys(root, problems);

    const Section top(root, problems, known_keys(), &config.warnings, &base_dir);
    read_scenario_path(top, overrides.has_plant, config);
    read_sun(top, config.sun);
    if (overrides.suns) {
        config.sun.has_position = true;
        config.sun.series = overrides.suns;
        for (SunStep& step : config.sun.series->steps)
            if (std::isnan(step.dni)) step.dni = config.sun.dni;
    }
    if (positions == SunPositions::required) check_sun_position(top, config.sun);
    read_aim(top, config);
    read_aiming(top, config.aiming);
    read_optics(top, config.optics);
    read_state(top, config);
    read_targets(top, config.targets);
    read_obstacles(top, config.obstacles);
    read_terrain(top, config.terrain);
    read_receivers(top, config.receivers);
    read_tracing(top, config);
    read_output(top, overrides.keeps_result, config);
    check_overwriting(top, config);

    config.text = emit_yaml(root);
    config.folder = base_dir.empty() ? "." : base_dir.string();
    collect_locations(root, "", config.locations);
    return draft;
}

RunConfig checked(DraftRunConfig draft) {
    if (!draft.problems.empty()) throw InputError(std::move(draft.problems));
    return std::move(draft.config);
}

}  // namespace

RunConfig parse_run_config(const std::string& text,
                           const std::string& name,
                           const std::filesystem::path& base_dir,
                           const Overrides& overrides,
                           SunPositions positions) {
    return checked(draft(text, name, base_dir, overrides, positions));
}

DraftRunConfig draft_run_config(const std::filesystem::path& file,
                                const Overrides& overrides,
                                SunPositions positions) {
    const std::string text = read_text_file(file, "it holds the configuration of the run");
    DraftRunConfig found = draft(text, file.string(), file.parent_path(), overrides, positions);
    found.config.file = file;
    return found;
}

RunConfig read_run_config(const std::filesystem::path& file,
                          const Overrides& overrides,
                          SunPositions positions) {
    return checked(draft_run_config(file, overrides, positions));
}

}  // namespace helioray
