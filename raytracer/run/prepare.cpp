// SPDX-License-Identifier: MIT
// Prepares a run and reports all errors that can be found before work begins.
#include "raytracer/run/prepare.h"

#include "raytracer/results/provenance.h"
#include "raytracer/run/make_job.h"
#include "raytracer/run/step_states.h"
#include "raytracer/run/stored/room.h"
#include "raytracer/tracing/geometry/aiming.h"
#include "raytracer/tracing/physical/align_field.h"
#include "scenario/config/checks/checks.h"
#include "scenario/config/key_table.h"
#include "scenario/config/write_run_config.h"
#include "scenario/config/yaml_tree.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"
#include "scenario/inputs/aim_steps.h"
#include "scenario/inputs/cloud_map.h"
#include "scenario/inputs/limit_table.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/receivers/add_receivers.h"
#include "scenario/types/bent_surface.h"
#include "scenario/types/choices.h"
#include "scenario/types/receivers.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "helioray/version.h"
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <utility>

namespace helioray::run {

namespace {

/// Formats numbers with all their digits, so that equal texts mean equal positions. Times are
/// instants: they may be written in another time zone.
std::string positions_text(const std::vector<LitStep>& steps) {
    std::string text;
    for (const LitStep& step : steps) {
        const std::string instant =
            step.time.empty() ? "" : std::to_string(milliseconds_of(step.time));
        text += fmt::format("{} {} {} {}", instant, step.azimuth, step.elevation, step.dni);
        if (step.temperature) text += fmt::format(" {}", *step.temperature);
        text += "\n";
    }
    return text;
}

/// Throws InputError for a series without a temperature that its mirrors need in some step.
void check_temperatures(const std::vector<LitStep>& steps, const Scenario& scenario) {
    const Heliostat* heliostat = find_bent_by_temperature(scenario.heliostats);
    const auto found = std::ranges::find_if(
        steps, [](const LitStep& step) { return !step.temperature.has_value(); });
    if (heliostat == nullptr || found == steps.end()) return;
    Problem problem = missing_temperature(heliostat->name);
    problem.what = "is missing, at first for the sun at " + label_of(*found);
    throw InputError(std::move(problem));
}

/// Collects problems from several steps of the preparation.
class ProblemList {
  public:
    ProblemList(std::vector<Problem> problems, const RunConfig& config)
        : problems_(std::move(problems)), config_(config) {}

    bool empty() const { return problems_.empty(); }

    /// Returns true if a problem is about this section of the configuration.
    bool concern(const std::string& section) const {
        return std::any_of(problems_.begin(), problems_.end(), [&](const Problem& problem) {
            const size_t at = problem.where.rfind(' ');
            const std::string key = problem.where.substr(at == std::string::npos ? 0 : at + 1);
            return key == section || key.starts_with(section + ".");
        });
    }

    template <typename Step>
    void attempt(Step&& step) {
        try {
            step();
        } catch (const InputError& error) {
            for (Problem problem : error.problems()) {
                // Add the line in the file to problems that only name the key.
                const std::string section = problem.where.substr(0, problem.where.find('.'));
                if (section == "device" || section == "sun" || section == "aim" ||
                    section == "state")
                    problem.where = place_of(config_, problem.where);
                problems_.push_back(std::move(problem));
            }
        }
    }

    void throw_if_any() {
        if (!problems_.empty()) throw InputError(std::move(problems_));
    }

  private:
    std::vector<Problem> problems_;
    const RunConfig& config_;
};

/// Throws InputError if a series cannot be recognised by its settings when it is continued.
void check_identity(const RunConfig& config, const PrepareOptions& options) {
    if (config.text.empty()) {
        throw InputError(Problem{"configuration",
                                 "a series needs the text of its configuration",
                                 "finished steps belong to it",
                                 "read it from a file, or from a text by parse_run_config()"});
    }
    if (options.scenario) {
        throw InputError(Problem{"scenario",
                                 "a series needs a scenario file",
                                 "finished steps belong to it",
                                 "write it by write_scenario() and name the file"});
    }
}

/// Finds the lit steps of a series, or checks that a single position gives light.
void resolve_sun(PreparedRun& run,
                 const RunConfig& config,
                 const Scenario& scenario,
                 const PrepareOptions& options) {
    if (!config.sun.series) {
        direction_to_sun(config.sun, scenario.position);
        return;
    }
    check_identity(config, options);
    if (run.output.empty()) {
        throw InputError(Problem{place_of(config, "output.file"),
                                 "a series needs a result file",
                                 "finished steps are kept beside it",
                                 "add output: {file: series.h5}, or use --output"});
    }
    // An empty series was reported when it was read.
    if (config.sun.series->steps.empty()) return;
    LitSteps lit = lit_steps(config.sun, scenario.position);
    if (!lit.left_out.empty()) {
        write(options.log,
              LogLevel::info,
              fmt::format("{} of {} steps have no light and are left out (the first: {})",
                          lit.left_out.size(),
                          lit.left_out.size() + lit.steps.size(),
                          lit.left_out.front()));
    }
    run.steps = std::move(lit.steps);
}

/// Sets the aims of each step if aim.file contains them.
void set_aims_of_steps(PreparedRun& run, const RunConfig& config) {
    std::vector<std::string> times;
    for (const LitStep& step : run.steps) times.push_back(step.time);
    std::vector<AimConfig> aims = read_step_aims(config, times);
    for (size_t i = 0; i < aims.size(); ++i)
        run.steps[i].aim = std::make_shared<const AimConfig>(std::move(aims[i]));
}

/// Returns the heliostats that cannot follow the sun, step by step.
std::vector<std::vector<size_t>> unreachable_by_step(const PreparedRun& run,
                                                     const RunConfig& config,
                                                     const Scenario& scenario,
                                                     const PrepareOptions& options) {
    std::vector<std::vector<size_t>> unreachable;
    std::vector<size_t> steps_on(scenario.heliostats.size(), 0), steps_off = steps_on;
    std::vector<Problem> problems;
    const size_t num_asked = run.steps.size() - std::min(options.num_checks, run.steps.size());
    for (const LitStep& step : run.steps) {
        const bool is_check = unreachable.size() >= num_asked;
        const std::vector<Aim> aims = resolve_aims(step.aim ? *step.aim : config.aim, scenario);
        unreachable.push_back(
            physical::unreachable_heliostats(aims, scenario, step.direction, options.num_threads));
        for (const Aim& aim : aims) ++steps_on[aim.heliostat];
        for (const size_t heliostat : unreachable.back()) ++steps_off[heliostat];
        if (unreachable.back().size() == aims.size())
            problems.push_back({place_of(config, "aim"),
                                "no heliostat can follow the sun at " + label_of(step),
                                is_check ? "it is the middle of a cell of the table, which would "
                                           "be interpolated over it"
                                         : "nothing is left to trace there",
                                is_check ? "choose other positions about it, or trace without "
                                           "checks (--no-checks)"
                                         : "leave this position of the sun out"});
    }
    for (size_t i = 0; i < steps_off.size(); ++i) {
        if (steps_off[i] == 0 || steps_off[i] < steps_on[i]) continue;
        problems.push_back(
            {place_of(config, "aim"),
             scenario.heliostats[i].name + " can follow the sun at none of the positions",
             "it would be a part of the plant that never works",
             "change its aim or leave it out of aim.active"});
    }
    if (!problems.empty()) throw InputError(std::move(problems));
    return unreachable;
}

/// Turns off the heliostats that cannot follow the sun, in the steps in which they cannot.
void park_unreachable(PreparedRun& run,
                      const RunConfig& config,
                      const Scenario& scenario,
                      const PrepareOptions& options) {
    const auto unreachable = unreachable_by_step(run, config, scenario, options);
    const size_t num_asked = run.steps.size() - std::min(options.num_checks, run.steps.size());
    std::set<size_t> parked;
    std::optional<size_t> first;
    int64_t steps = 0, checks = 0;
    for (size_t step = 0; step < unreachable.size(); ++step) {
        if (unreachable[step].empty()) continue;
        if (!first) first = step;
        parked.insert(unreachable[step].begin(), unreachable[step].end());
        ++(step < num_asked ? steps : checks);
    }
    if (!first) return;
    // A step with its own aims has a separate job, so all steps need aims.
    for (size_t step = 0; step < unreachable.size(); ++step) {
        LitStep& lit = run.steps[step];
        AimConfig aim = lit.aim ? *lit.aim : config.aim;
        for (const size_t heliostat : unreachable[step])
            aim.heliostats[scenario.heliostats[heliostat].name].active = false;
        lit.aim = std::make_shared<const AimConfig>(std::move(aim));
    }
    write(options.log,
          LogLevel::warning,
          fmt::format("{} of {} heliostats cannot follow the sun at {} of {} positions{} and are "
                      "parked there, the first: {} at {}",
                      parked.size(),
                      resolve_aims(config.aim, scenario).size(),
                      steps,
                      num_asked,
                      checks == 0 ? ""
                                  : fmt::format(" and {} of {} positions between them, which are "
                                                "traced as checks,",
                                                checks,
                                                run.steps.size() - num_asked),
                      scenario.heliostats[unreachable[*first].front()].name,
                      label_of(run.steps[*first])));
}

/// Prepares the job of a single run, or that of the first step of a series, which detects most
/// errors that could occur in any step.
std::unique_ptr<TraceJob> prepare_job(const PreparedRun& run,
                                      const RunConfig& config,
                                      const Scenario& scenario,
                                      const PrepareOptions& options) {
    if (config.sun.series)
        return make_job(config_of_step(config, run.steps.front()), scenario, options.num_threads);
    auto job = make_job(config, scenario, options.num_threads);
    for (const std::string& warning : job->warnings())
        write(options.log, LogLevel::warning, warning);
    return job;
}

/// Reads the scenario of the configuration's file. Returns null if the configuration's reader has
/// already reported that the file is missing.
std::shared_ptr<const Scenario> load_scenario(const RunConfig& config, bool readable) {
    std::error_code missing;
    if (!readable && (!std::filesystem::exists(config.scenario, missing) ||
                      std::filesystem::is_directory(config.scenario, missing)))
        return nullptr;
    return std::make_shared<const Scenario>(read_scenario(config));
}

/// Returns the files of a run with the disk space that they need at least, as far as it is known.
std::vector<OutputFile> list_outputs(const PreparedRun& run,
                                     const RunConfig& config,
                                     const std::optional<std::vector<Aim>>& aims) {
    std::vector<OutputFile> files;
    if (!run.output.empty()) {
        const uint64_t least =
            aims ? disk_room(config, *aims, run.steps.size(), run.output).least : 0;
        files.push_back({run.output, least});
    }
    if (!run.image.empty()) files.push_back({run.image});
    return files;
}

/// Warns if a series fits on the disk only if it can be compressed.
void warn_of_little_room(const PreparedRun& run,
                         const RunConfig& config,
                         std::span<const Aim> aims,
                         const Log& log) {
    if (run.output.empty() || run.steps.empty()) return;
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::absolute(run.output).parent_path();
    const uint64_t room = std::filesystem::space(folder, error).available;
    const uint64_t most = disk_room(config, aims, run.steps.size(), run.output).most;
    if (error || room >= most) return;
    write(
        log,
        LogLevel::warning,
        fmt::format("{}: the disk has room for {:.1f} MB, and the {} steps take up to {:.1f} MB "
                    "where they cannot be compressed; finished steps stay if it fills up, and the "
                    "same command goes on from there",
                    run.output.string(),
                    static_cast<double>(room) / 1e6,
                    run.steps.size(),
                    static_cast<double>(most) / 1e6));
}

/// Returns the settings that all ranks must have in common. Input files are compared by their
/// contents, because their names may differ between machines.
std::map<std::string, std::string> comparable_settings(const RunConfig& config,
                                                       const YamlNode& written,
                                                       const std::string& scenario_sha256) {
    const auto contents = [](const std::string& sha256) {
        return fmt::format("a file with SHA-256 {}...", sha256.substr(0, 16));
    };
    std::map<std::string, std::string> settings = written_values(written);
    for (auto& [key, value] : settings) {
        const auto& known = known_keys();
        const bool is_input = std::any_of(known.begin(), known.end(), [&](const KeyInfo& info) {
            return info.is_input_file && info.path == key;
        });
        if (!is_input || key == "scenario") continue;
        const std::filesystem::path file = config.file.parent_path() / value;
        if (std::filesystem::is_regular_file(file)) value = contents(sha256_of_file(file));
    }
    if (!scenario_sha256.empty()) settings["scenario"] = contents(scenario_sha256);
    return settings;
}

/// Checks that the parts of an earlier start, if any, belong to this run.
void check_parts(PreparedRun& run,
                 const RunConfig& config,
                 YamlNode written,
                 const PrepareOptions& options) {
    std::string text = determining_text(config, std::move(written)) + options.recognised_by;
    if (options.chooses_aims) {
        for (const auto& [key, value] : run.settings)
            if (key.starts_with("aiming.")) text += fmt::format("{}: {}\n", key, value);
    }
    if (config.sun.clouds) text += sha256_of_file(config.sun.clouds->file);
    if (config.state.file) text += sha256_of_file(*config.state.file);
    if (config.terrain.file) text += sha256_of_file(*config.terrain.file);
    for (const auto& [name, receiver] : config.receivers)
        for (const Target& surface : receiver.surfaces)
            if (const auto* mesh = std::get_if<MeshTarget>(&surface.geometry))
                text += sha256_of_file(config.file.parent_path() / mesh->source.file);
    std::string positions = positions_text(run.steps);
    const bool has_file = !run.steps.empty() && run.steps.front().aim && config.aim.file;
    if (has_file) positions += sha256_of_file(*config.aim.file);
    run.parts =
        std::make_unique<RunParts>(run.output,
                                   RunIdentity{sha256_of_text(text),
                                               run.scenario_sha256,
                                               sha256_of_text(positions),
                                               fmt::format("{} {}", kVersion, kGitCommit),
                                               run.device.use_cuda() ? "cuda" : "cpu",
                                               std::max(options.num_variants, run.steps.size())});
    run.parts->check(run.restart);
}

/// Throws InputError for runs whose aim points cannot be optimised, and warns of limits with gaps.
void check_aiming(const RunConfig& config, const Scenario& scenario, const Log& log) {
    if (config.tracing.model == Model::artist)
        throw InputError(Problem{place_of(config, "tracing.model"),
                                 "model artist has no flux in W/m2",
                                 "limits and powers are in these units",
                                 "choose tracing.model: physical"});
    if (find_mesh(scenario.targets) != nullptr)
        throw InputError(Problem{place_of(config, "receivers"),
                                 "a surface of a receiver is a mesh",
                                 "aim points are chosen on unrolled surfaces",
                                 "give aim points in section aim, or describe the receiver by "
                                 "planes, cylinders, cones and spheres"});
    const auto mirror = std::ranges::find(scenario.targets, SurfaceUse::mirror, &Target::use);
    if (mirror != scenario.targets.end() &&
        config.aiming.strategy != AimingConfig::Strategy::center)
        throw InputError(Problem{
            place_of(config, "aiming.strategy"),
            fmt::format("'{}' is a mirror of the receiver '{}'", mirror->name, mirror->receiver),
            "where light goes by way of mirrors is not part of the model that "
            "chooses aim points",
            "choose aiming.strategy: center, or give aim points in section "
            "aim"});
    for (const Aim& aim : resolve_aims(config.aim, scenario)) {
        const Target& target = scenario.targets[aim.target];
        if (target.receiver.empty() || !config.aiming.is_robust()) continue;
        throw InputError(
            Problem{place_of(config,
                             config.aiming.robust_confidence ? "aiming.robust_confidence"
                                                             : "aiming.robust_sigma"),
                    fmt::format("'{}' is a receiver of several surfaces", target.receiver),
                    "room for aim errors is computed on targets that stand alone",
                    "remove the key, and give lower limits"});
    }
    for (const std::string& warning : limit_warnings(read_limit_tables(config, scenario), scenario))
        write(log,
              LogLevel::warning,
              fmt::format("{}: {}", place_of(config, "aiming.flux_limit.file"), warning));
}

/// Throws InputError if a shard is requested for a single run.
void check_shard(const RunConfig& config, const PrepareOptions& options) {
    if (config.sun.series || (!options.shard && !options.join)) return;
    throw InputError(Problem{options.shard ? "--shard" : "--join",
                             "this is a single run, not a series",
                             "a shard is some of the sun's positions",
                             "use --ranks, which divide the rays of a single run"});
}

/// Logs the keys that have no effect on the configuration's model.
void report_unused(const RunConfig& config, const Log& log) {
    const Model model = config.tracing.model;
    std::vector<std::string> keys;
    for (const KeyInfo& info : known_keys()) {
        if (!info.model || *info.model == model) continue;
        // A section that belongs to one model is named as a whole.
        const std::string section = info.path.substr(0, info.path.find('.'));
        const bool is_whole = std::ranges::all_of(known_keys(), [&](const KeyInfo& other) {
            return !other.path.starts_with(section + ".") || other.model == info.model;
        });
        const std::string& key = is_whole ? section : info.path;
        if (config.locations.contains(key) && (keys.empty() || keys.back() != key))
            keys.push_back(key);
    }
    if (keys.empty()) return;
    write(log,
          LogLevel::info,
          fmt::format("not used with tracing.model: {}: {}",
                      find_word(kModels, model),
                      fmt::join(keys, ", ")));
}

}  // namespace

PreparedRun prepare(RunConfig config, const PrepareOptions& options) {
    return prepare(DraftRunConfig{std::move(config), {}}, options);
}

PreparedRun prepare(DraftRunConfig draft, const PrepareOptions& options) {
    RunConfig& config = draft.config;
    ProblemList problems(std::move(draft.problems), config);
    const bool readable = problems.empty();
    PreparedRun run;
    run.restart = options.restart;
    run.shard = options.shard;
    run.join = options.join;
    run.chooses_aims = options.chooses_aims;
    run.time_zone = options.time_zone;
    run.output = config.output.file.value_or("");
    run.image = config.output.image.value_or("");
    problems.attempt([&] { check_supported(config); });
    if (readable) problems.attempt([&] { read_cloud_map(config); });
    problems.attempt([&] { check_shard(config, options); });

    std::shared_ptr<const Scenario> scenario;
    problems.attempt([&] {
        scenario = options.scenario ? with_receivers(config, options.scenario)
                                    : load_scenario(config, readable);
    });
    problems.attempt([&] { run.device = choose_device(config.device, config.tracing.model); });
    if (scenario) {
        for (const std::string& warning : scenario->warnings)
            write(options.log, LogLevel::warning, warning);
        // Keys missing from an invalid section aim are not reported again.
        if (!problems.concern("aim")) {
            problems.attempt([&] { check_against_scenario(config, *scenario); });
        }
        if (!problems.concern("sun")) {
            problems.attempt([&] {
                resolve_sun(run, config, *scenario, options);
                check_temperatures(run.steps, *scenario);
            });
        }
        if (readable && options.chooses_aims)
            problems.attempt([&] { check_aiming(config, *scenario, options.log); });
        if (readable && !run.steps.empty())
            problems.attempt([&] {
                set_aims_of_steps(run, config);
                set_states_of_steps(run.steps, config, *scenario);
            });
        if (problems.empty() && options.parks_unreachable)
            problems.attempt([&] { park_unreachable(run, config, *scenario, options); });
    }
    // The aims are known only if there are no problems.
    std::optional<std::vector<Aim>> aims;
    if (scenario && problems.empty()) {
        problems.attempt([&] {
            const bool of_step = !run.steps.empty() && run.steps.front().aim;
            aims = resolve_aims(of_step ? *run.steps.front().aim : config.aim, *scenario);
            check_memory(config, *aims, usable_memory());
        });
    }
    // Valid aims may still be out of reach for the motors.
    if (problems.empty()) {
        problems.attempt([&] { run.job = prepare_job(run, config, *scenario, options); });
    }
    problems.attempt([&] {
        std::vector<std::filesystem::path> inputs;
        if (!config.file.empty()) inputs.push_back(config.file);
        if (readable && !options.scenario) inputs.push_back(config.scenario);
        check_outputs(list_outputs(run, config, aims), inputs);
    });
    // The job reports the warnings of the configuration; without one they may explain the problems.
    if (!run.job) {
        for (const std::string& warning : config.warnings)
            write(options.log, LogLevel::warning, warning);
    }
    problems.throw_if_any();
    report_unused(config, options.log);

    if (!options.scenario) run.scenario_sha256 = sha256_of_file(config.scenario);
    // Parsing takes seconds if 100,000 heliostats have separate aims.
    YamlNode written = config.text.empty() ? YamlNode() : parse_yaml(config.text, "configuration");
    run.settings = comparable_settings(config, written, run.scenario_sha256);
    // Other single runs have no parts or could not be recognised when continued.
    if (!run.output.empty() && !config.text.empty() && !options.scenario)
        check_parts(run, config, std::move(written), options);
    run.scenario = std::move(scenario);
    warn_of_little_room(run, config, *aims, options.log);
    run.config = std::move(config);
    return run;
}

}  // namespace helioray::run
