// SPDX-License-Identifier: MIT
// Options of a run, and execution of a command on one or more processes.
#include "app/program/common/traced_run.h"

#include "app/output/summary/progress.h"
#include "app/program/common/input_files.h"
#include "app/program/common/log.h"
#include "app/program/common/signals.h"
#include "app/program/common/standard_streams.h"
#include "distributed/launch/local_ranks.h"
#include "kernels/cuda_devices.h"
#include "raytracer/run/device.h"
#include "raytracer/run/options.h"
#include "scenario/config/key_table.h"
#include "scenario/files/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace helioray::app {

void add_set_option(Command command, std::vector<std::string>& set) {
    command
        .add_option(
            "--set", set, "Replace one value, for example --set sun.elevation_deg=30 (repeatable)")
        .type_name("KEY=VALUE")
        .take_all()
        .allow_extra_args(false);
}

void add_config_options(Command command, RaytraceOptions& options) {
    command
        .add_option("config",
                    options.config,
                    "Configuration (YAML); every key is explained in configs/README.md")
        .required()
        .type_name("CONFIG");
    command
        .add_option(
            "--scenario", options.scenario, "Scenario file; replaces the configuration's scenario")
        .type_name("FILE");
    add_set_option(command, options.set);
}

void add_run_options(Command command, RaytraceOptions& options) {
    command
        .add_option("--device",
                    options.device,
                    "Where to compute; cuda: every GPU, cuda:0,2: these; replaces device")
        .type_name("auto|cpu|cuda[:N[,M]]");
    command
        .add_option("--ranks",
                    options.ranks,
                    "Start this many processes here; auto: one per GPU that this process sees, and "
                    "1 on the CPU, where one process keeps all cores busy with one copy of the "
                    "field")
        .type_name("N|auto");
    command
        .add_option(
            "--threads",
            options.threads,
            "Threads of each process on the CPU (default: all cores, shared between processes)")
        .type_name("N")
        .range(1, 4096);
    command.add_option("--seed", options.seed, "Seed of the random numbers; replaces tracing.seed")
        .type_name("N");
    command.add_flag("--json", options.json, "Print one JSON object on stdout and nothing else");
    const Option quiet = command.add_flag(
        "-q,--quiet", options.quiet, "Print warnings and errors only, neither table nor progress");
    command.add_flag("-v,--verbose", options.verbose, "Report every stage and how long it takes")
        .excludes(quiet);
    command
        .add_option("--log-dir", options.log_dir, "Write one log file per process into this folder")
        .type_name("DIR");
}

void add_parts_options(Command command, RaytraceOptions& options) {
    const Option restart = command.add_flag("--restart",
                                            options.restart,
                                            "Trace all again instead of continuing the results "
                                            "stored in OUTPUT.parts");
    const Option shard =
        command
            .add_option("--shard",
                        options.shard,
                        "Trace every N-th position of the sun, from the I-th on, into "
                        "OUTPUT.parts, and write no result: for job arrays. Afterwards the same "
                        "command without --shard joins them all")
            .type_name("I/N")
            .excludes(restart);
    command
        .add_flag(
            "--join", options.join, "Only join the results of all shards, which must be complete")
        .excludes(restart)
        .excludes(shard);
}

DraftRunConfig read_config(const RaytraceOptions& options, SunPositions positions) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(options.config, ignored) &&
        detect_file_kind(options.config) == FileKind::hdf5)
        throw InputError(
            Problem{options.config,
                    "is no run configuration",
                    "it is an HDF5 file, such as a scenario or a result",
                    "name a configuration (YAML), and the scenario with its key 'scenario' or "
                    "--scenario; 'helioray example quickstart' makes one"});
    Overrides overrides;
    overrides.set = options.set;
    overrides.output = options.output;
    overrides.image = options.image;
    overrides.scenario = options.scenario;
    overrides.seed = options.seed;
    overrides.device = options.device;
    overrides.strategy = options.strategy;
    overrides.flux_limit = options.flux_limit;
    return draft_run_config(options.config, overrides, positions);
}

std::vector<std::string> sun_position_paths() {
    std::vector<std::string> paths;
    for (const std::string& key : position_keys()) paths.push_back("sun." + key);
    return paths;
}

void report_unused_keys(const RunConfig& config,
                        const std::vector<std::string>& keys,
                        const std::string& why) {
    std::vector<std::string> given;
    std::ranges::copy_if(keys, std::back_inserter(given), [&](const std::string& key) {
        return config.locations.contains(key);
    });
    if (!given.empty())
        write_log(run::LogLevel::info,
                  fmt::format("not used, {}: {}", why, fmt::join(given, ", ")));
}

void report_unused_year_state(const RunConfig& config) {
    report_unused_keys(config,
                       {"state.soiling", "state.outages"},
                       "only 'helioray annual' has the days of a year");
}

void report_unused_aiming(const RunConfig& config) {
    if (!config.locations.contains("aiming")) return;
    write_log(run::LogLevel::info,
              "not used: section aiming; heliostats have the aim points of section aim, and "
              "'helioray aim' chooses others");
}

namespace {

/// Parses a shard such as "2/8".
Shard parse_shard(const std::string& text) {
    Shard shard;
    const char* const end = text.data() + text.size();
    const auto [slash, error] = std::from_chars(text.data(), end, shard.index);
    if (error == std::errc{} && slash != end && *slash == '/') {
        const auto [last, bad] = std::from_chars(slash + 1, end, shard.count);
        if (bad == std::errc{} && last == end && shard.index >= 1 && shard.index <= shard.count)
            return shard;
    }
    throw InputError(Problem{"--shard",
                             fmt::format("'{}' is not a shard", text),
                             "a shard is one of several, counted from 1",
                             "write 1/8 to 8/8 for eight shards"});
}

}  // namespace

run::PrepareOptions prepare_options(const RaytraceOptions& options) {
    run::PrepareOptions prepare;
    prepare.restart = options.restart;
    if (!options.shard.empty()) prepare.shard = parse_shard(options.shard);
    prepare.join = options.join;
    prepare.num_threads =
        options.threads > 0
            ? options.threads
            : run::threads_of_rank(detect_launcher(EnvironmentView::from_process()));
    prepare.log = write_log;
    return prepare;
}

namespace {

constexpr int kMaxLocalRanks = 1024;

[[noreturn]] void refuse(const std::string& what, const std::string& advice) {
    throw InputError(Problem{"--ranks", what, "", advice});
}

/// Returns the command line of this process. Ranks started by --ranks ignore that option.
std::vector<std::string> process_arguments() {
    std::ifstream stream("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> arguments;
    for (std::string argument; std::getline(stream, argument, '\0');) arguments.push_back(argument);
    return arguments;
}

/// Returns the number of GPUs that the run may use, at least 1.
int automatic_ranks(const RaytraceOptions& options) {
    try {
        const RunConfig config = read_config(options).config;
        const run::DeviceChoice device = run::choose_device(config.device, config.tracing.model);
        return std::max(1, static_cast<int>(device.cuda_devices.size()));
    } catch (const InputError&) {
        return 1;  // the run itself reports the problem
    }
}

/// Throws InputError for a configuration from a pipe, since only one process would receive its
/// contents.
void refuse_pipe(const std::string& config) {
    std::error_code ignored;
    const auto kind = std::filesystem::status(config, ignored).type();
    using enum std::filesystem::file_type;
    if (kind != fifo && kind != socket && kind != character) return;
    throw InputError(Problem{config,
                             "is a pipe or device, not a file",
                             "with --ranks, several processes read it",
                             "name a file, or leave --ranks out"});
}

/// Returns the number of processes that --ranks requests: 0 or 1 if none has to be started. Throws
/// InputError for anything but a number or auto, and for --ranks below another launcher.
int local_ranks_wanted(const RaytraceOptions& options, const LaunchInfo& launch) {
    if (options.ranks.empty() || launch.launcher == Launcher::local) return 0;
    if (launch.launcher != Launcher::single) {
        refuse(fmt::format("this process was already started by {}", to_string(launch.launcher)),
               "leave --ranks out; the launcher decides how many processes there are");
    }
    if (options.ranks != "1") refuse_pipe(options.config);
    if (options.ranks == "auto") return automatic_ranks(options);
    int ranks = 0;
    const char* end = options.ranks.data() + options.ranks.size();
    const auto [position, error] = std::from_chars(options.ranks.data(), end, ranks);
    if (error != std::errc{} || position != end || ranks < 1 || ranks > kMaxLocalRanks) {
        refuse(fmt::format("'{}' is not a number of processes", options.ranks),
               fmt::format("use a whole number from 1 to {}, or auto", kMaxLocalRanks));
    }
    return ranks;
}

// Minimum time that the other ranks get to report their reasons after one rank has failed.
constexpr auto kLeastGrace = std::chrono::milliseconds(2500);

/// Sets limits for ranks that hang, so that the whole command ends within twice
/// distributed.timeout_s, unless that is only a few seconds.
void limit_waits(LocalRanksOptions& local, const RaytraceOptions& options) {
    try {
        const RunConfig config = read_config(options, SunPositions::optional).config;
        const auto timeout = run::timeout_of(config);
        local.straggler_timeout = std::max(timeout / 2, kLeastGrace);
        local.grace = std::clamp(timeout / 4, kLeastGrace, local.grace);
        local.may_lose_ranks = config.distributed.schedule == Schedule::master_worker;
    } catch (const InputError&) {
        // The ranks report the problem.
    }
}

/// Runs this command again on local processes and returns their common exit code.
int start_local_ranks(const RaytraceOptions& options, int ranks) {
    LocalRanksOptions local;
    limit_waits(local, options);
    local.ranks = ranks;
    local.arguments = process_arguments();
    local.report = print_failure;
    // The ranks handle signals from here on.
    check_interrupt();
    return run_local_ranks(local);
}

/// Progress bar on the terminal, from the first to the last report of the run engine.
class ProgressLine {
  public:
    void show(const run::Progress& progress) {
        rays_ = progress.rays;
        if (progress.finished) {
            bar_.reset();
        } else if (!bar_) {
            bar_.emplace(rays_, progress.expected);
        }
    }

  private:
    std::atomic<std::int64_t> rays_{0};
    std::optional<ProgressBar> bar_;
};

Verbosity choose_verbosity(const RaytraceOptions& options) {
    if (options.verbose) return Verbosity::verbose;
    return options.quiet || options.json ? Verbosity::quiet : Verbosity::normal;
}

/// Ends a process whose main thread hangs because another machine no longer answers.
void end_process(const std::string& reason) {
    if (pending_signal() != 0) _exit(128 + pending_signal());
    print_failure(reason);
    _exit(1);
}

run::Options engine_options(const RaytraceOptions& options,
                            const LaunchInfo& launch,
                            ProgressLine& progress) {
    run::Options engine;
    engine.launch = launch;
    engine.num_threads = options.threads;
    engine.log = write_log;
    if (launch.rank == 0 && choose_verbosity(options) != Verbosity::quiet)
        engine.progress = [&](const run::Progress& now) { progress.show(now); };
    engine.stop = signal_name;
    engine.stuck = end_process;
    return engine;
}

/// Returns true if another rank prints the message, since the ranks of --ranks share one terminal.
/// A failing rank reports its own failure. Rank 0 prints all messages that every rank gets, except
/// those about rank 0 or about this rank alone.
bool is_reported_by_another_rank(const std::string& message, int rank) {
    const auto says = [&](const char* text) { return message.find(text) != std::string::npos; };
    if (message.starts_with("rank ") && says(") failed: ")) return true;
    const bool own = message.starts_with(fmt::format("rank {} ", rank));
    const bool about_0 =
        message.starts_with("rank 0 ") || says(": rank 0 on host") || says("rank 0 serves it");
    return rank != 0 && !own && !about_0;
}

}  // namespace

void print_shard(const run::Session& session, const RaytraceOptions& options) {
    const run::PreparedRun& prepared = session.prepared();
    if (!session.is_root() || !prepared.shard) return;
    const size_t steps = prepared.steps.size();
    const size_t done = steps - prepared.parts->missing().size();
    if (options.json) {
        print_json(nlohmann::json{{"shard", prepared.shard->index},
                                  {"shards", prepared.shard->count},
                                  {"num_steps", steps},
                                  {"steps_done", done},
                                  {"parts", prepared.parts->folder().string()}},
                   JsonLayout::one_line);
    } else if (!options.quiet) {
        fmt::print("shard {}/{} is done; of all {} steps, {} are done and wait in {}\n",
                   prepared.shard->index,
                   prepared.shard->count,
                   steps,
                   done,
                   prepared.parts->folder().string());
    }
}

int run_on_ranks(const RaytraceOptions& options,
                 const std::function<run::PreparedRun()>& prepare,
                 const std::function<void(run::Session&)>& work,
                 HandsOutWork hands_out) {
    const LaunchInfo launch = detect_launcher(EnvironmentView::from_process());
    if (const int ranks = local_ranks_wanted(options, launch); ranks > 1)
        return start_local_ranks(options, ranks);
    set_up_log(choose_verbosity(options), launch.rank, launch.world_size, options.log_dir);
    ProgressLine progress;
    try {
        run::Options engine = engine_options(options, launch, progress);
        engine.can_hand_out_work = hands_out == HandsOutWork::if_configured;
        run::Session session(prepare, std::move(engine));
        session.guard([&] { session.is_worker() ? session.work() : work(session); });
        session.close();
    } catch (const run::PreparationError&) {
        // Every rank has the problems, but only rank 0 prints them.
        if (launch.rank != 0)
            throw AlreadyReported(pending_signal() != 0 ? 128 + pending_signal() : 2);
        throw;
    } catch (const DistributedError& error) {
        if (launch.launcher == Launcher::local &&
            is_reported_by_another_rank(error.what(), launch.rank))
            throw AlreadyReported(1);
        throw;
    }
    return 0;
}

}  // namespace helioray::app
