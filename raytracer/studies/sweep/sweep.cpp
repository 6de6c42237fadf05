// SPDX-License-Identifier: MIT
// Checks, traces and collects variants.
#include "raytracer/studies/sweep/sweep.h"

#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/results/light_warnings.h"
#include "raytracer/results/provenance.h"
#include "raytracer/results/result_file.h"
#include "raytracer/run/make_job.h"
#include "raytracer/run/trace.h"
#include "raytracer/tracing/geometry/aiming.h"
#include "scenario/config/checks/checks.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/inputs/cloud_map.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/receivers/add_receivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace helioray::sweep {

namespace {

/// Collects problems of variants, each only once even if many variants have it.
class VariantProblems {
  public:
    explicit VariantProblems(const Variants& variants) : variants_(variants) {}

    void add(size_t variant, const std::vector<Problem>& problems) {
        for (const Problem& problem : problems) {
            if (!known_.insert(to_string(problem)).second) continue;
            problems_.push_back(problem);
            problems_.back().where =
                fmt::format("variant {}: {}", variants_.text(variant), problem.where);
        }
    }

    void throw_if_any() {
        if (!problems_.empty()) throw InputError(std::move(problems_));
    }

  private:
    const Variants& variants_;
    std::vector<Problem> problems_;
    std::set<std::string> known_;
};

/// A section that all variants share, with reason and advice for messages.
struct SharedSection {
    const char* name;
    const char* why;
    const char* advice;
};
constexpr std::array kSharedSections{
    SharedSection{
        "output",
        "a sweep writes one table, and nothing for single variants",
        "name the table with --output; helioray raytrace traces a variant with its files"},
    SharedSection{"aiming",
                  "a sweep traces and chooses no aim points",
                  "vary keys of aim, such as aim.file with tables of helioray aim"},
    SharedSection{"device", "all variants are traced on one device", "choose it with --device"},
    SharedSection{
        "distributed", "all variants are traced by the same ranks", "set it once with --set"}};

/// Throws InputError for keys that must not vary.
void check_keys(const Variants& variants) {
    std::vector<Problem> problems;
    for (const Variation& variation : variants.variations()) {
        const std::string section = variation.key.substr(0, variation.key.find('.'));
        for (const SharedSection& shared : kSharedSections)
            if (section == shared.name)
                problems.push_back({"--vary",
                                    fmt::format("'{}' cannot vary", variation.key),
                                    shared.why,
                                    shared.advice});
    }
    if (!problems.empty()) throw InputError(std::move(problems));
}

void check_variant(RunConfig& config, SweepPlan& plan) {
    if (config.sun.series)
        throw InputError(Problem{place_of(config, "sun"),
                                 "the configuration has several positions of the sun",
                                 "each variant has one",
                                 "vary sun.azimuth_deg and sun.elevation_deg, or sun.time"});
    check_supported(config);
    read_cloud_map(config);
    auto& scenario = plan.scenarios[config.scenario];
    if (!scenario) scenario = std::make_shared<const Scenario>(read_scenario(config.scenario));
    check_against_scenario(config, *with_receivers(config, scenario));
    direction_to_sun(config.sun, scenario->position);
}

/// Returns true if only keys differ that a prepared field can change without being rebuilt.
bool only_the_sun_differs(const Variants& variants, size_t first, size_t other) {
    static const std::array<std::string, 4> kSunKeys{
        "sun.azimuth_deg", "sun.elevation_deg", "sun.dni_w_m2", "sun.temperature_c"};
    const std::vector<std::string> a = variants.values(first), b = variants.values(other);
    for (size_t i = 0; i < a.size(); ++i) {
        const std::string& key = variants.variations()[i].key;
        if (a[i] != b[i] && std::find(kSunKeys.begin(), kSunKeys.end(), key) == kSunKeys.end())
            return false;
    }
    return true;
}

/// Replaces all heliostats of a result by their sum, which is sufficient for a row of the table.
RunResult summed(RunResult result) {
    HeliostatResult all;
    all.name = "all";
    if (!result.targets.empty()) all.target = result.targets.front().target.name;
    all.energy = total_energy(result);
    double variance = 0.0;
    for (const TargetResult& target : result.targets)
        if (target.target.use == SurfaceUse::absorber)
            variance += target.power_std_error_w * target.power_std_error_w;
    all.target_power_std_error = std::sqrt(variance);
    for (const HeliostatResult& heliostat : result.heliostats) all.rays += heliostat.rays;
    result.heliostats = {all};
    return result;
}

/// Returns the tracing time of a part, s.
double read_seconds(const std::filesystem::path& part) {
    return hdf5::File::open(part).root().read_attribute_number("trace_seconds");
}

SweepRow make_row(const RunResult& result, double seconds) {
    SweepRow row;
    row.energy = total_energy(result);
    row.target_power_std_error = result.heliostats.front().target_power_std_error;
    const auto add = [&](const std::string& name,
                         double power,
                         double power_std_error,
                         const TargetResult& brightest) {
        row.targets.push_back({name,
                               power,
                               power_std_error,
                               brightest.peak_flux_w_m2,
                               brightest.peak_flux_std_error_w_m2,
                               brightest.peak_area_m2,
                               brightest.peak_pixel_w_m2});
    };
    for (const TargetResult& target : result.targets)
        if (target.target.receiver.empty())
            add(target.target.name, target.power_w, target.power_std_error_w, target);
    // The surfaces of a receiver are summarised; single ones are too many for the columns of a
    // table.
    for (const ReceiverResult& receiver : receiver_results(result)) {
        const TargetResult* brightest = nullptr;
        for (const size_t i : receiver.surfaces) {
            const TargetResult& surface = result.targets[i];
            if (surface.target.use != SurfaceUse::absorber) continue;
            if (brightest == nullptr || surface.peak_flux_w_m2 > brightest->peak_flux_w_m2)
                brightest = &surface;
        }
        if (brightest != nullptr)
            add(receiver.name, receiver.power_w, receiver.power_std_error_w, *brightest);
    }
    row.rays = result.provenance.rays;
    row.seconds = seconds;
    row.fingerprint = result.provenance.fingerprint;
    row.energy_unit = energy_unit(result);
    return row;
}

/// Creates the jobs of variants in succession. Everything that does not depend on the sun is
/// prepared only once for variants that differ only in the sun.
class VariantJobs {
  public:
    VariantJobs(const SweepPlan& plan, int num_threads) : plan_(plan), num_threads_(num_threads) {}

    TraceJob& get(size_t variant) {
        const RunConfig& config = plan_.configs[variant];
        const auto& file = plan_.scenarios.at(config.scenario);
        if (!is_resumed(variant, config, *file)) {
            scenario_ = with_receivers(config, file);
            job_ = make_job(config, *scenario_, num_threads_);
        }
        last_ = variant;
        return *job_;
    }

  private:
    bool is_resumed(size_t variant, const RunConfig& config, const Scenario& scenario) {
        return job_ && !config.sun.clouds && !config.state.has_times() &&
               only_the_sun_differs(plan_.variants, last_, variant) &&
               job_->set_sun(direction_to_sun(config.sun, scenario.position),
                             config.sun.dni,
                             config.sun.temperature,
                             num_threads_);
    }

    const SweepPlan& plan_;
    int num_threads_;
    std::shared_ptr<const Scenario> scenario_;  ///< scenario of job_
    std::unique_ptr<TraceJob> job_;
    size_t last_ = 0;
};

void trace_missing(run::Session& session,
                   const SweepPlan& plan,
                   const std::vector<size_t>& missing) {
    VariantJobs jobs(plan, session.options().num_threads);
    size_t done = plan.variants.size() - missing.size();
    for (const size_t variant : missing) {
        session.check_stop();
        std::optional<RunResult> result;
        try {
            TraceJob& job = jobs.get(variant);
            for (const std::string& warning : job.warnings())
                write(session.options().log, run::LogLevel::debug, warning);
            result = run::trace(session, job);
        } catch (const InputError& error) {
            VariantProblems problems(plan.variants);
            problems.add(variant, error.problems());
            problems.throw_if_any();
        }
        ++done;
        if (!result) continue;
        SeriesStep facts;
        facts.dni_w_m2 = plan.configs[variant].sun.dni;
        facts.temperature_c = plan.configs[variant].sun.temperature;
        facts.trace_seconds = result->trace_seconds;
        write_series_part(
            summed(std::move(*result)), facts, session.prepared().parts->part(variant));
        write(session.options().log,
              run::LogLevel::info,
              fmt::format(
                  "variant {} of {}: {}", done, plan.variants.size(), plan.variants.text(variant)));
    }
}

}  // namespace

SweepPlan plan_sweep(Variants variants,
                     const std::function<DraftRunConfig(const std::vector<std::string>&)>& read) {
    check_keys(variants);
    SweepPlan plan{std::move(variants), {}, {}};
    VariantProblems problems(plan.variants);
    for (size_t variant = 0; variant < plan.variants.size(); ++variant) {
        DraftRunConfig draft = read(plan.variants.settings(variant));
        problems.add(variant, draft.problems);
        if (draft.problems.empty()) {
            try {
                check_variant(draft.config, plan);
            } catch (const InputError& error) {
                problems.add(variant, error.problems());
            }
        }
        draft.config.output = {};
        plan.configs.push_back(std::move(draft.config));
    }
    problems.throw_if_any();
    return plan;
}

run::PreparedRun prepare_sweep(const SweepPlan& plan,
                               const std::filesystem::path& output,
                               run::PrepareOptions how) {
    std::string text;
    for (const Variation& variation : plan.variants.variations()) {
        text += fmt::format("\nvary: {}\n", variation.key);
        for (const std::string& value : variation.values) text += value + "\n";
    }
    for (const auto& [file, scenario] : plan.scenarios) text += sha256_of_file(file) + "\n";
    how.recognised_by = text;
    how.num_variants = plan.variants.size();
    RunConfig first = plan.configs.front();
    first.output.file = output;
    run::PreparedRun prepared = run::prepare(std::move(first), how);
    // Each variant has a separate job.
    prepared.job.reset();
    // Ranks compare the settings.
    prepared.settings["--vary"] = text;
    return prepared;
}

double SweepRow::efficiency() const {
    return energy.solar_power > 0.0 ? energy.target_power / energy.solar_power : 0.0;
}

std::optional<SweepTable> trace_sweep(run::Session& session, const SweepPlan& plan) {
    std::optional<SweepTable> table;
    session.guard([&] {
        const run::MissingSteps missing = run::find_missing(session);
        trace_missing(session, plan, missing.steps);
        if (!session.is_root()) return;
        table = SweepTable{plan.variants, {}, missing.done_before};
        for (size_t variant = 0; variant < plan.variants.size(); ++variant) {
            const std::filesystem::path part = session.prepared().parts->part(variant);
            table->rows.push_back(make_row(read_result(part), read_seconds(part)));
        }
    });
    return table;
}

std::vector<std::string> light_warnings(const SweepTable& table) {
    std::map<std::string, LightCount> counts;
    for (size_t variant = 0; variant < table.rows.size(); ++variant) {
        const SweepRow& row = table.rows[variant];
        if (!(row.energy.solar_power > 0.0)) continue;
        for (const SweepTarget& target : row.targets)
            counts[target.name].add(target.power > 0.0, table.variants.text(variant));
    }
    std::vector<std::string> warnings;
    for (const auto& [target, count] : counts)
        for (std::string& warning : count.warning(target, "variants"))
            warnings.push_back(std::move(warning));
    return warnings;
}

}  // namespace helioray::sweep
