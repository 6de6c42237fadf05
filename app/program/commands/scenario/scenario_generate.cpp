// SPDX-License-Identifier: MIT
// helioray scenario generate: generates a field from a template.
#include "app/program/commands/commands.h"
#include "app/program/common/log.h"
#include "app/program/common/made_scenario.h"
#include "scenario/import/field/build_field.h"

#include <fmt/format.h>

#include <memory>

namespace helioray::app {

namespace {

struct GenerateOptions {
    std::optional<std::string> file;
    std::vector<std::string> set;
    MadeFiles made;
};

int run(const GenerateOptions& options) {
    set_up_log(Verbosity::normal, 0, 1, "");
    check_made_files(options.made, {options.file.value_or("")});
    std::vector<std::string> report;
    const FieldTemplate field =
        read_field_template(options.file, options.set, FieldUse::generate, report);
    MadeField made = generate_field(field, std::move(report));
    assume_sun(options.made, made.run, made.report);
    write_made_files(options.made,
                     made.scenario,
                     made.run,
                     fmt::format("Written by helioray scenario generate{}.",
                                 options.file ? " from " + *options.file : ""),
                     made.report,
                     made.states);
    return 0;
}

/// Adds an option that sets one key of the template.
void add_key(Command command, GenerateOptions& options, const char* option, const char* key) {
    for (const KeyInfo& info : field_keys()) {
        if (info.path != key) continue;
        const std::string unit = info.unit == "-" ? "" : ", " + info.unit;
        command
            .add_option_function(
                option,
                [&options, key](const std::string& value) {
                    options.set.push_back(fmt::format("{}={}", key, value));
                },
                fmt::format("{}: {}{}", key, info.meaning, unit))
            .type_name("VALUE");
    }
}

}  // namespace

void add_scenario_generate(Command parent, Action& action) {
    const auto options = std::make_shared<GenerateOptions>();
    const Command command =
        parent.add_subcommand("generate",
                              "A field of heliostats around a tower: rings, grid or a table of "
                              "positions");
    command
        .add_option("template", options->file, "Template (YAML); keys in scenario/import/README.md")
        .type_name("FILE");
    add_made_files(command, options->made);
    command
        .add_option("--set",
                    options->set,
                    "Replace or add a value of the template: --set layout.heliostats=500")
        .type_name("KEY=VALUE")
        .take_all();
    add_key(command, *options, "--heliostats", "layout.heliostats");
    add_key(command, *options, "--layout", "layout.type");
    add_key(command, *options, "--min-radius", "layout.min_radius_m");
    add_key(command, *options, "--max-radius", "layout.max_radius_m");
    add_key(command, *options, "--optical-height", "tower.optical_height_m");
    command.footer(
        "Examples:\n"
        "  helioray scenario generate configs/field.yaml -o field.h5\n"
        "  helioray scenario generate configs/field.yaml --heliostats 1000 -o field.h5 --config "
        "run.yaml\n"
        "  helioray scenario generate configs/field.yaml --layout cornfield \\\n"
        "      --set layout.radial_spacing=null -o grid.h5");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app
