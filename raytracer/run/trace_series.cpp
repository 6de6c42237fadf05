// SPDX-License-Identifier: MIT
// The loop over the steps of a series.
#include "raytracer/run/trace_series.h"

#include "app/interrupt.h"
#include "app/run_on_ranks.h"
#include "raytracer/make_job.h"
#include "raytracer/output/progress.h"
#include "raytracer/output/series_file.h"
#include "raytracer/output/summary.h"
#include "scenario/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <numbers>
#include <set>
#include <sstream>

namespace helioray::app {

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

std::string label_of(const LitStep& step) {
    if (!step.time.empty()) return step.time;
    return fmt::format("azimuth {:.2f}, elevation {:.2f} degrees",
                       step.azimuth / kDegree,
                       step.elevation / kDegree);
}

/// What rank 0 finds missing, known to all: folders of other machines do not count.
std::vector<size_t> missing_steps(PreparedRun& run,
                                  DistributedEnvironment& environment,
                                  bool restart) {
    std::string mine;
    if (environment.is_root()) {
        if (restart) run.parts->remove();
        run.parts->open();
        mine = fmt::format("{}", fmt::join(run.parts->missing(), " "));
    }
    std::istringstream stream(environment.all_gather_strings(mine).at(0));
    std::vector<size_t> steps;
    for (size_t step = 0; stream >> step;) steps.push_back(step);
    return steps;
}

std::unique_ptr<TraceJob> job_of(const PreparedRun& run, size_t step) {
    try {
        return make_job(config_of_step(run.config, run.steps[step]), *run.scenario);
    } catch (const InputError& error) {
        std::vector<Problem> problems = error.problems();
        for (Problem& problem : problems)
            problem.where =
                fmt::format("step {} ({}): {}", step, label_of(run.steps[step]), problem.where);
        throw InputError(std::move(problems));
    }
}

/// Warnings of all steps: the first ones, the others counted.
class StepWarnings {
  public:
    void add(const std::vector<std::string>& warnings, const LitStep& step) {
        for (const std::string& warning : warnings) {
            if (!said_.insert(warning).second) continue;
            const auto level = said_.size() <= kShown ? spdlog::level::warn : spdlog::level::debug;
            spdlog::log(level, "{}: {}", label_of(step), warning);
        }
    }
    void add(const RunResult& result) {
        const auto warning = accuracy_warning(result);
        if (!warning) return;
        if (inaccurate_++ == 0) first_inaccurate_ = *warning;
    }
    void finish() const {
        if (said_.size() > kShown)
            spdlog::warn("{} more warnings of other steps; --verbose and --log-dir show them",
                         said_.size() - kShown);
        if (inaccurate_ > 0)
            spdlog::warn("{} step(s) did not reach the wanted accuracy; the first: {}",
                         inaccurate_,
                         first_inaccurate_);
    }

  private:
    static constexpr size_t kShown = 4;

    std::set<std::string> said_;
    size_t inaccurate_ = 0;
    std::string first_inaccurate_;
};

void store(const PreparedRun& run,
           size_t step,
           TraceJob& job,
           RunResult result,
           const DistributedEnvironment& environment,
           double seconds) {
    complete_provenance(result.provenance, run, environment);
    result.provenance.fingerprint = fingerprint(job.sums());
    const LitStep& lit = run.steps[step];
    SeriesStep facts;
    facts.time = lit.time;
    facts.azimuth_deg = lit.azimuth / kDegree;
    facts.elevation_deg = lit.elevation / kDegree;
    facts.dni_w_m2 = lit.dni;
    facts.trace_seconds = seconds;
    write_series_part(result, facts, run.parts->part(step));
}

void trace_missing(PreparedRun& run,
                   DistributedEnvironment& environment,
                   const TraceTogetherOptions& tracing,
                   const std::vector<size_t>& missing,
                   SeriesProgress& done) {
    std::atomic<int64_t> rays_done{0};
    std::unique_ptr<ProgressBar> progress;
    StepWarnings warnings;
    int64_t rays = 0;
    double seconds = 0.0;
    for (const size_t step : missing) {
        check_interrupt();
        const std::unique_ptr<TraceJob> job = job_of(run, step);
        warnings.add(job->warnings(), run.steps[step]);
        if (!progress && tracing.show_progress) {
            const int64_t total =
                own_rays(*job, environment) * static_cast<int64_t>(missing.size());
            progress = std::make_unique<ProgressBar>(rays_done, total);
        }
        TraceTogetherOptions options = tracing;
        options.name = fmt::format("step {}", step);
        options.rays_done = &rays_done;
        const double step_seconds = trace_together(*job, environment, options);
        seconds += step_seconds;
        if (!environment.is_root()) continue;
        const RunResult result = job->result();
        rays += result.provenance.rays;
        warnings.add(result);
        store(run, step, *job, result, environment, step_seconds);
    }
    progress.reset();
    warnings.finish();
    if (seconds > 0.0) done.rays_per_second = static_cast<double>(rays) / seconds;
}

}  // namespace

SeriesProgress trace_series(PreparedRun& run,
                            DistributedEnvironment& environment,
                            const TraceTogetherOptions& tracing,
                            bool restart) {
    const std::vector<size_t> missing = missing_steps(run, environment, restart);
    SeriesProgress done{run.steps.size() - missing.size(), 0.0};
    if (done.steps_done_before > 0)
        spdlog::info(
            "continues: {} of {} steps are done", done.steps_done_before, run.steps.size());

    try {
        trace_missing(run, environment, tracing, missing, done);
    } catch (const std::exception&) {
        if (environment.is_root()) {
            spdlog::warn("{} of {} steps are done and kept in {}; the same command continues",
                         run.steps.size() - run.parts->missing().size(),
                         run.steps.size(),
                         run.parts->folder().string());
        }
        throw;
    }
    return done;
}

void join_series(const PreparedRun& run,
                 const DistributedEnvironment& environment,
                 const std::filesystem::path& path) {
    check_interrupt();
    std::vector<std::filesystem::path> parts;
    for (size_t step = 0; step < run.steps.size(); ++step) parts.push_back(run.parts->part(step));
    Provenance provenance;
    complete_provenance(provenance, run, environment);
    write_series(parts, provenance, path);
}

}  // namespace helioray::app
