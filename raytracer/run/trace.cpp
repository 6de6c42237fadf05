// SPDX-License-Identifier: MIT
// Traces single runs and series; each finished step of a series is stored.
#include "raytracer/run/trace.h"

#include "kernels/core/instruction_set.h"
#include "raytracer/results/light_warnings.h"
#include "raytracer/results/provenance.h"
#include "raytracer/results/result_file.h"
#include "raytracer/run/ranks/checkpoint.h"
#include "raytracer/run/ranks/trace_together.h"
#include "raytracer/run/ranks/watch.h"
#include "raytracer/run/step_job.h"
#include "scenario/files/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "helioray/version.h"
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>

namespace helioray::run {

namespace {

/// Returns the instruction set of the CPU kernels, or an empty text if they do not trace (CUDA,
/// model artist).
std::string name_instruction_set(const PreparedRun& run) {
    if (run.device.use_cuda() || run.config.tracing.model != Model::physical) return "";
    return kernels::to_string(kernels::resolve_instruction_set());
}

/// Sets everything except rays, fingerprint and direction to the sun.
void complete_provenance(Provenance& provenance, Session& session) {
    const PreparedRun& run = session.prepared();
    const DistributedEnvironment& environment = session.environment();
    provenance.helioray_version = kVersion;
    provenance.git_commit = kGitCommit;
    provenance.created = utc_now();
    provenance.config = run.config.text;
    provenance.config_folder = run.config.folder;
    provenance.scenario_file = run.config.scenario.string();
    provenance.scenario_sha256 = run.scenario_sha256;
    provenance.seed = run.config.tracing.seed;
    provenance.world_size = session.options().launch->world_size;
    provenance.backend = session.hands_out_work() ? "store" : environment.backend_name();
    provenance.device = environment.device_name();
    provenance.launcher = to_string(environment.launch().launcher);
    provenance.instruction_set = name_instruction_set(run);
}

/// Returns the job's result on rank 0. rays_before: rays traced by earlier starts.
std::optional<RunResult> make_result(Session& session,
                                     TraceJob& job,
                                     double seconds,
                                     int64_t rays_before) {
    if (!session.is_root()) return std::nullopt;
    const std::string hash = fingerprint(job.fingerprinted_sums());
    RunResult result = job.take_result();
    complete_provenance(result.provenance, session);
    result.provenance.fingerprint = hash;
    result.trace_seconds = seconds;
    result.rays_done_before = rays_before;
    result.rays_per_second = static_cast<double>(result.provenance.rays - rays_before) / seconds;
    return result;
}

}  // namespace

std::optional<RunResult> trace(Session& session) {
    PreparedRun& run = session.prepared();
    if (run.is_series()) throw std::logic_error("a series is traced by trace_series()");
    if (!run.job) throw std::logic_error("this run has been traced");
    const std::unique_ptr<TraceJob> job = std::move(run.job);
    const Log& log = session.options().log;
    Checkpoint checkpoint(run, 0, session.environment(), log);
    session.guard([&] { checkpoint.restore(*job); });
    ProgressReport progress(session.options(),
                            own_rays(*job, session.environment(), checkpoint.restored_rays()));
    const double seconds = session.trace(*job, progress, &checkpoint, 0);
    progress.finish();
    auto result = make_result(session, *job, seconds, checkpoint.restored_rays());
    if (result) result->trace_seconds += checkpoint.seconds_before();
    return result;
}

std::optional<RunResult> trace(Session& session, TraceJob& job) {
    return make_result(session, job, session.trace(job), 0);
}

namespace {

[[noreturn]] void refuse_to_join(const PreparedRun& run, const std::vector<size_t>& missing) {
    constexpr size_t kMaxListed = 10;
    const size_t shown = std::min(kMaxListed, missing.size());
    throw InputError(Problem{run.parts->folder().string(),
                             fmt::format("{} of {} steps are missing: {}{}",
                                         missing.size(),
                                         run.steps.size(),
                                         fmt::join(std::span(missing).first(shown), ", "),
                                         shown < missing.size() ? ", ..." : ""),
                             "a result has all of them",
                             "run their shards again, or leave --join out to trace them here"});
}

}  // namespace

MissingSteps find_missing(Session& session) {
    PreparedRun& run = session.prepared();
    std::string mine;
    if (session.is_root()) {
        run.parts->open(run.restart, run.shard);
        const std::vector<size_t> missing = run.parts->missing();
        if (run.join && !missing.empty()) refuse_to_join(run, missing);
        mine = fmt::format("{}", fmt::join(missing, " "));
    }
    // Only rank 0's folder is used.
    std::istringstream stream(session.environment().wait_for_root("missing steps", mine));
    MissingSteps missing;
    for (size_t step = 0; stream >> step;) missing.steps.push_back(step);
    missing.done_before = run.parts->num_steps() - missing.steps.size();
    const Log& log = session.options().log;
    if (run.shard) {
        std::erase_if(missing.steps, [&](size_t step) { return !run.shard->has(step); });
        write(log,
              LogLevel::info,
              fmt::format("shard {}/{} traces {} steps",
                          run.shard->index,
                          run.shard->count,
                          missing.steps.size()));
    }
    if (missing.done_before > 0)
        write(
            log,
            LogLevel::info,
            fmt::format(
                "continues: {} of {} steps are done", missing.done_before, run.parts->num_steps()));
    return missing;
}

namespace {

/// Logs warnings of all steps: the first ones in full, and the number of the others.
class StepWarnings {
  public:
    /// `configuration`: warnings that belong to no step.
    StepWarnings(const Log& log, const std::vector<std::string>& configuration)
        : log_(log), configuration_(configuration.begin(), configuration.end()) {}

    void add(const std::vector<std::string>& warnings, const LitStep& step) {
        for (const std::string& warning : warnings) {
            if (!reported_.insert(warning).second) continue;
            if (configuration_.contains(warning)) {
                warn(warning);
                continue;
            }
            write(log_,
                  ++of_steps_ <= kMaxListed ? LogLevel::warning : LogLevel::debug,
                  fmt::format("{}: {}", label_of(step), warning));
        }
    }
    void add(const RunResult& result) {
        const auto warning = accuracy_warning(result);
        if (!warning) return;
        if (inaccurate_++ == 0) first_inaccurate_ = *warning;
    }
    void finish() const {
        if (of_steps_ > kMaxListed)
            warn(fmt::format("{} more warnings of other steps; --verbose and --log-dir show them",
                             of_steps_ - kMaxListed));
        if (inaccurate_ > 0)
            warn(fmt::format("{} step(s) did not reach the wanted accuracy; the first: {}",
                             inaccurate_,
                             first_inaccurate_));
    }

  private:
    static constexpr size_t kMaxListed = 4;

    void warn(const std::string& message) const { write(log_, LogLevel::warning, message); }

    const Log& log_;
    const std::set<std::string> configuration_;  ///< warnings that belong to no step
    std::set<std::string> reported_;             ///< all warnings so far
    size_t of_steps_ = 0;                        ///< reported warnings that belong to a step
    size_t inaccurate_ = 0;
    std::string first_inaccurate_;
};

void store(Session& session, size_t step, RunResult& result, double seconds) {
    const PreparedRun& run = session.prepared();
    complete_provenance(result.provenance, session);
    const LitStep& lit = run.steps[step];
    if (lit.aim) add_idle_heliostats(result, config_of_step(run.config, lit), *run.scenario);
    write_series_part(result, step_facts(lit, seconds), run.parts->part(step));
}

/// Returns the rays per second of all ranks; 0 if no step was missing.
double trace_missing(Session& session, const std::vector<size_t>& missing) {
    PreparedRun& run = session.prepared();
    std::optional<ProgressReport> progress;
    StepWarnings warnings(session.options().log, run.config.warnings);
    int64_t rays = 0;
    double seconds = 0.0;
    for (const size_t step : missing) {
        session.check_stop();
        TraceJob& job = get_job(run, step, session.options().num_threads);
        Checkpoint checkpoint(run, step, session.environment(), session.options().log);
        warnings.add(job.warnings(), run.steps[step]);
        if (!progress) {
            progress.emplace(session.options(),
                             own_rays(job, session.environment()) * std::ssize(missing),
                             std::ssize(missing));
        }
        checkpoint.restore(job);
        const double step_seconds = session.trace(job, *progress, &checkpoint, step);
        seconds += step_seconds;
        if (!session.is_root()) continue;
        const std::string hash = fingerprint(job.fingerprinted_sums());
        RunResult result = job.take_result();
        result.provenance.fingerprint = hash;
        rays += result.provenance.rays - checkpoint.restored_rays();
        warnings.add(result);
        store(session, step, result, checkpoint.seconds_before() + step_seconds);
        checkpoint.remove();
    }
    if (progress) progress->finish();
    warnings.finish();
    return seconds > 0.0 ? static_cast<double>(rays) / seconds : 0.0;
}

/// Returns the provenance of the run; that of a single step comes from its part.
Provenance make_provenance(Session& session) {
    Provenance provenance;
    complete_provenance(provenance, session);
    return provenance;
}

/// Implements trace_steps() without Session::guard().
std::optional<TracedSteps> trace_all(Session& session) {
    const PreparedRun& run = session.prepared();
    if (!run.is_series()) throw std::logic_error("this run is no series");
    const MissingSteps missing = find_missing(session);
    TracedSteps traced{missing.done_before, 0.0};
    traced.rays_per_second = trace_missing(session, missing.steps);
    if (!session.is_root() || run.shard) return std::nullopt;
    session.check_stop();
    return traced;
}

}  // namespace

std::optional<TracedSteps> trace_steps(Session& session) {
    std::optional<TracedSteps> traced;
    session.guard([&] { traced = trace_all(session); });
    return traced;
}

namespace {

/// Returns the series of the parts, on rank 0.
template <typename Collect>
std::optional<SeriesResult> collected(Session& session, Collect&& collect) {
    std::optional<SeriesResult> series;
    session.guard([&] {
        const std::optional<TracedSteps> traced = trace_all(session);
        if (!traced) return;
        series = collect(session.prepared().parts->all());
        series->steps_done_before = traced->done_before;
        series->rays_per_second = traced->rays_per_second;
    });
    return series;
}

}  // namespace

std::optional<SeriesResult> trace_series(Session& session, const std::filesystem::path& file) {
    return collected(session, [&](const std::vector<std::filesystem::path>& parts) {
        write_series(parts, make_provenance(session), file, session.prepared().time_zone);
        return read_series(file);
    });
}

std::optional<SeriesResult> trace_series(Session& session) {
    return collected(session, [&](const std::vector<std::filesystem::path>& parts) {
        return series_of_parts(parts, make_provenance(session));
    });
}

namespace {

/// Writes the files of a result, and completes it with the cost of the run.
template <typename Result>
void finish(Session& session,
            Clock::time_point start,
            Result& result,
            const std::function<void(const Result&)>& write_files,
            const std::vector<std::string>& warnings) {
    session.check_stop();
    write_files(result);
    session.prepared().remove_parts();
    result.total_seconds = seconds_since(start);
    result.peak_rss_mb = peak_rss_mb();
    for (const std::string& warning : warnings)
        write(session.options().log, LogLevel::warning, warning);
}

}  // namespace

std::optional<RunResult> run_single(Session& session,
                                    Clock::time_point start,
                                    const std::function<void(const RunResult&)>& write_files) {
    std::optional<RunResult> result = trace(session);
    if (result) finish(session, start, *result, write_files, result_warnings(*result));
    return result;
}

std::optional<SeriesResult> run_series(
    Session& session,
    Clock::time_point start,
    const std::function<void(const SeriesResult&)>& write_files) {
    std::optional<SeriesResult> series = trace_series(session, session.prepared().output);
    if (series) finish(session, start, *series, write_files, light_warnings(*series));
    return series;
}

}  // namespace helioray::run
