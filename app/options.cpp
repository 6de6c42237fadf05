// SPDX-License-Identifier: MIT
// Definition of the command line.
#include "app/options.h"

#include "scenario/suggest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "helioray/version.h"

namespace helioray::app {

namespace {

void add_raytrace(CLI::App& parent, RaytraceOptions& options) {
    CLI::App& command = *parent.add_subcommand(
        "raytrace",
        "Trace a field: configuration -> flux maps and energy balance per target and heliostat");
    command
        .add_option("config",
                    options.config,
                    "Configuration (YAML); every key is explained in configs/README.md")
        ->required()
        ->type_name("CONFIG");
    command.add_option("-o,--output", options.output, "Result file (HDF5); replaces output.file")
        ->type_name("FILE");
    command
        .add_option("--image", options.image, "Picture (.png, .svg or .pdf); replaces output.image")
        ->type_name("FILE");
    command.add_option("--scenario", options.scenario, "Scenario file; replaces scenario")
        ->type_name("FILE");
    command
        .add_option("--set",
                    options.set,
                    "Replace one value, for example --set sun.elevation_deg=30 (repeatable)")
        ->type_name("KEY=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    command
        .add_option("--device", options.device, "auto, cpu, cuda or cuda:<index>; replaces device")
        ->type_name("DEVICE");
    command
        .add_option(
            "--ranks", options.ranks, "Start this many processes here; auto: one per GPU, or 1")
        ->type_name("N|auto");
    command
        .add_option(
            "--threads",
            options.threads,
            "Threads of each process on the CPU (default: all cores, shared between processes)")
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
    command.add_option("--seed", options.seed, "Seed of the random numbers; replaces tracing.seed")
        ->type_name("N");
    command.add_flag("--json", options.json, "Print one JSON object on stdout and nothing else");
    CLI::Option* quiet = command.add_flag(
        "-q,--quiet", options.quiet, "No table, no progress; warnings and errors only");
    command.add_flag("-v,--verbose", options.verbose, "Say what is done and how long it takes")
        ->excludes(quiet);
    command
        .add_option("--log-dir", options.log_dir, "Write one log file per process into this folder")
        ->type_name("DIR");
    command.footer(
        "Examples:\n"
        "  helioray raytrace configs/quickstart.yaml\n"
        "  helioray raytrace field.yaml --set sun.azimuth_deg=120 -o morning.h5 --image "
        "morning.png\n"
        "  helioray raytrace field.yaml --ranks 4\n"
        "  torchrun --no-python --nproc-per-node 4 helioray raytrace field.yaml\n"
        "Exit codes: 0 done; 2 bad input, found before any work; 1 anything else; 130/143 "
        "interrupted/terminated.");
}

void add_scenario(CLI::App& parent, ScenarioPaintOptions& paint) {
    CLI::App& command = *parent.add_subcommand("scenario", "Make a scenario file from other data");
    command.require_subcommand(1);
    CLI::App& from_paint =
        *command.add_subcommand("paint",
                                "From the PAINT database's JSON: tower measurements and heliostat "
                                "properties, ideal surfaces");
    from_paint.add_option("--tower", paint.tower, "tower-measurements.json")
        ->required()
        ->type_name("FILE");
    from_paint
        .add_option("heliostats",
                    paint.heliostats,
                    "<name>-heliostat-properties.json of each heliostat, or NAME=FILE to name it")
        ->required()
        ->type_name("FILE...");
    from_paint.add_option("-o,--output", paint.output, "Scenario file to write (HDF5)")
        ->required()
        ->type_name("FILE");
    from_paint
        .add_option("--control-points",
                    paint.control_points,
                    "Control points of each facet per direction (default 10)")
        ->type_name("N")
        ->check(CLI::Range(4, 1000));
    from_paint.footer(
        "Example:\n"
        "  helioray scenario paint --tower configs/paint/tower-measurements.json \\\n"
        "      configs/paint/AA39-heliostat-properties.json -o juelich.h5");
}

CLI::App* add_bench(CLI::App& parent, BenchOptions& options) {
    CLI::App& command = *parent.add_subcommand(
        "bench", "Rays per second here; comparison with published cases; errors of sampling");
    CLI::Option* validate = command.add_flag(
        "--validate",
        options.validate,
        "Run closed-form and published cases and compare; exit code 1 when one does not pass");
    command
        .add_flag("--sampling",
                  options.sampling,
                  "Error against rays for Sobol's sequence and random sampling")
        ->excludes(validate);
    command.add_option("--only", options.only, "Cases whose id or title contains this text")
        ->type_name("TEXT")
        ->needs(validate);
    command
        .add_flag("--full",
                  options.full,
                  "20 million rays per scene, narrow tolerances, and the field of 522 heliostats")
        ->needs(validate);
    command
        .add_option("--rays",
                    options.rays,
                    "Rays per scene (default: 20 million; --validate without --full: 1 million)")
        ->type_name("N")
        ->check(CLI::Range(1e3, 1e12));
    command.add_option("--threads", options.threads, "Threads on the CPU (default: all cores)")
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
    command.add_flag("--json", options.json, "Print one JSON object on stdout and nothing else");
    command.footer(
        "Examples:\n"
        "  helioray bench\n"
        "  helioray bench --validate\n"
        "  helioray bench --validate --full --only C1\n"
        "  helioray bench --sampling\n"
        "Exit codes: 0 done, all rows pass; 1 a row does not pass; 2 bad input.");
    return &command;
}

/// A message about the first word when it is no command; CLI11 only says that one is required.
std::string unknown_command(CLI::App& app, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return "";
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
        if (command->get_name() == argv[1]) return "";
        names.push_back(command->get_name());
    }
    return fmt::format("there is no command '{}'; {}", argv[1], suggest(argv[1], names));
}

}  // namespace

std::variant<Command, int> parse_command_line(int argc, char** argv) {
    CLI::App app("HelioRay: flux on the receivers of solar tower plants, by ray tracing",
                 "helioray");
    app.set_version_flag("--version", fmt::format("helioray {} ({})", kVersion, kGitCommit));
    app.require_subcommand(1);
    app.footer("Run 'helioray COMMAND --help' for the options of a command.");

    RaytraceOptions raytrace;
    ValidateOptions validate;
    InfoOptions info;
    PlotOptions plot;
    ScenarioPaintOptions paint;
    add_raytrace(app, raytrace);
    CLI::App* validate_command =
        app.add_subcommand("validate",
                           "Check a configuration or scenario and all it refers to; report every "
                           "problem; compute nothing");
    validate_command->add_option("file", validate.file, "Configuration (YAML) or scenario (HDF5)")
        ->required()
        ->type_name("FILE");
    CLI::App* info_command = app.add_subcommand("info", "Print what a scenario or result contains");
    info_command->add_option("file", info.file, "Scenario or result (HDF5)")
        ->required()
        ->type_name("FILE");
    CLI::App* plot_command = app.add_subcommand("plot", "Draw the flux maps of a result");
    plot_command->add_option("result", plot.result, "Result file (HDF5)")
        ->required()
        ->type_name("RESULT");
    plot_command->add_option("-o,--output", plot.picture, "Picture: .png, .svg or .pdf")
        ->required()
        ->type_name("PICTURE");
    add_scenario(app, paint);
    CLI::App* doctor_command = app.add_subcommand(
        "doctor",
        "Versions, devices, backends, launcher environment; what a run would use and why");
    BenchOptions bench;
    CLI::App* bench_command = add_bench(app, bench);
    // The version belongs to every command, as users expect.
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
        command->set_version_flag("--version",
                                  fmt::format("helioray {} ({})", kVersion, kGitCommit));
    }

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);
        if (const std::string wrong = unknown_command(app, argc, argv); !wrong.empty()) {
            fmt::print(stderr, "helioray: {}\n", wrong);
            return 2;
        }
        fmt::print(
            stderr,
            "helioray: {}\nRun 'helioray --help', or '--help' after a command, for its options.\n",
            error.what());
        return 2;
    }
    if (app.got_subcommand("raytrace")) return Command{raytrace};
    if (validate_command->parsed()) return Command{validate};
    if (info_command->parsed()) return Command{info};
    if (plot_command->parsed()) return Command{plot};
    if (doctor_command->parsed()) return Command{DoctorOptions{}};
    if (bench_command->parsed()) return Command{bench};
    return Command{paint};
}

}  // namespace helioray::app
