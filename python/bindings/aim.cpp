// SPDX-License-Identifier: MIT
// Chooses aim points of a whole field, for one position of the sun or for a series.
#include "app/output/plot/aiming_plot.h"
#include "app/output/report/aiming_report.h"
#include "app/output/summary/summary.h"
#include "raytracer/results/result_file.h"
#include "raytracer/run/clock.h"
#include "raytracer/run/session.h"
#include "raytracer/solvers/aiming/aim_field.h"
#include "raytracer/solvers/aiming/aim_file.h"
#include "raytracer/solvers/aiming/aim_series.h"
#include "raytracer/solvers/aiming/model/aim_errors.h"

#include <nanobind/stl/optional.h>
#include <nlohmann/json.hpp>

#include "python/bindings/arrays.h"
#include "python/bindings/bytes.h"
#include "python/bindings/engine.h"
#include "python/bindings/plant.h"
#include "python/bindings/temporary_file.h"
#include "python/bindings/text.h"
#include "python/bindings/trace.h"
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray::python {

namespace nb = nanobind;
namespace fs = std::filesystem;

namespace {

/// Aim points chosen for one position of the sun.
struct Aims {
    aiming::AimingResult found;
    RunConfig config;
    std::shared_ptr<const Scenario> scenario;
    double seconds = 0.0;

    const aiming::AimingResult& main_result() const { return found; }
    nlohmann::json json() const { return aiming_json(found, {}, seconds); }
    void write(const std::string& file) const {
        aiming::write_aims(found, config, *scenario, file);
    }
};

/// Aim points chosen for a series.
struct AimSeries {
    aiming::AimSeries found;
    RunConfig config;
    std::shared_ptr<const Scenario> scenario;
    double seconds = 0.0;

    const aiming::AimingResult& main_result() const { return found.shown; }
    nlohmann::json json() const { return aim_series_json(found, {}, seconds); }
    void write(const std::string& file) const {
        aiming::write_aims(found, config, *scenario, file);
    }
};

/// Prepares a run for choosing aim points. `table` is the file for the aim points, or empty.
run::PreparedRun prepare_aiming(DraftRunConfig draft,
                                const std::string& table,
                                run::PrepareOptions how) {
    // If the configuration is faulty, preparing it reports all problems.
    if (draft.problems.empty()) {
        draft.config.output = {};
        if (!table.empty()) aiming::check_aim_outputs({{table}}, draft.config);
        // Finished steps are stored beside this file.
        if (draft.config.sun.series) draft.config.output.file = table;
    }
    how.chooses_aims = true;
    run::PreparedRun prepared = run::prepare(std::move(draft), how);
    aiming::check_aim_series(prepared);
    return prepared;
}

/// Sends the result of rank 0 to every rank. Collective.
void share_aims(run::Session& session, Aims& aims) {
    if (session.environment().world_size() == 1) return;
    const TemporaryFile file;
    if (session.is_root()) {
        const FileLock lock(session.options());
        SeriesStep facts;
        facts.trace_seconds = aims.seconds;
        aiming::write_aiming_part(aims.found, facts, *aims.scenario, file.path());
    }
    copy_file_of_root(session, file.path(), file.path());
    RunResult before =
        on_every_rank(session, session.is_root() ? std::optional(aims.found.before) : std::nullopt);
    if (session.is_root()) return;
    const FileLock lock(session.options());
    aims.seconds = aiming::read_aiming_part(file.path(), aims.config, *aims.scenario, aims.found);
    aims.found.before = std::move(before);
    aims.found.errors = aiming::aim_errors(session.prepared());
}

/// Chooses aim points for one position of the sun; returns nothing if the configuration has
/// several. `table` is the file for the aim points, or empty.
std::optional<Aims> aim(const Source& source, const std::string& table, const Call& call) {
    std::optional<Aims> chosen;
    run_long(call, [&](const run::Options& options) {
        DraftRunConfig draft;
        {
            const FileLock lock(options);
            draft = draft_config(source);
        }
        // If the configuration is faulty, preparing it reports all problems.
        if (draft.problems.empty() && draft.config.sun.series) return;
        run::Session session(
            [&] {
                const FileLock lock(options);
                return prepare_aiming(
                    std::move(draft), table, prepare_options(source, call, options));
            },
            options);
        const auto begin = Clock::now();
        Aims& aims = chosen.emplace();
        aims.config = session.prepared().config;
        aims.scenario = session.prepared().scenario;
        {
            // Limits and target flux maps may be HDF5 files.
            const bool reads_files =
                aims.config.aiming.flux_limit_file || aims.config.aiming.target_map;
            std::optional<FileLock> lock;
            if (reads_files) lock.emplace(options);
            if (auto found = aiming::aim_field(session)) aims.found = std::move(*found);
        }
        aims.seconds = seconds_since(begin);
        session.check_stop();
        if (session.is_root() && !table.empty()) aims.write(table);
        share_aims(session, aims);
        session.close();
        if (!aims.found.violation.empty())
            write(options.log, run::LogLevel::warning, aims.found.violation);
    });
    return chosen;
}

/// Sends the series of rank 0 to every rank. Collective.
void share_series(run::Session& session, aiming::AimSeries& series) {
    if (session.environment().world_size() == 1) return;
    const run::PreparedRun& run = session.prepared();
    std::vector<TemporaryFile> copies(run.steps.size());
    std::vector<fs::path> paths;
    for (size_t step = 0; step < copies.size(); ++step) {
        copy_file_of_root(session, run.parts->part(step), copies[step].path());
        paths.push_back(copies[step].path());
    }
    const TemporaryFile before;
    copy_file_of_root(session, aiming::part_before(*run.parts, series.strongest), before.path());
    if (session.is_root()) return;
    series = aiming::read_aim_series(run, paths);
    series.shown.before = read_result(before.path());
}

/// Chooses aim points for a series. `table` is the file for the aim points. `runs` is the result
/// file of the verifying runs, a separate one on every rank.
AimSeries aim_series(const Source& source,
                     const std::string& table,
                     const std::string& runs,
                     bool restart,
                     const Call& call) {
    AimSeries aims;
    run_long(call, [&](const run::Options& options) {
        const auto begin = Clock::now();
        // Finished steps are written between the traces.
        const FileLock lock(options);
        run::Session session(
            [&] {
                run::PrepareOptions how = prepare_options(source, call, options);
                how.restart = restart;
                return prepare_aiming(draft_config(source), table, how);
            },
            options);
        run::PreparedRun& prepared = session.prepared();
        aims.config = prepared.config;
        aims.scenario = prepared.scenario;
        if (auto found = aiming::aim_series(session)) aims.found = std::move(*found);
        session.check_stop();
        if (session.is_root()) {
            aims.write(table);
            aiming::write_aimed_series(aims.found, prepared, runs);
        }
        share_series(session, aims.found);
        copy_file_of_root(session, runs, runs);
        prepared.remove_parts();
        session.close();
        aims.seconds = seconds_since(begin);
        const std::string violation = aims.found.violation();
        if (!violation.empty()) write(options.log, run::LogLevel::warning, violation);
    });
    return aims;
}

/// Returns the columns of a table with a row for each aim point.
nb::dict make_columns(const std::vector<aiming::AimedPoint>& points, const Scenario& scenario) {
    using Row = aiming::AimedPoint;
    nb::dict columns;
    columns["name"] = collect_values(
        points, [&](const Row& row) { return scenario.heliostats[row.aim.heliostat].name; });
    columns["target"] = collect_values(
        points, [&](const Row& row) { return scenario.targets[row.aim.target].name; });
    columns["east"] = collect_values(points, [](const Row& row) { return row.aim.point[0]; });
    columns["north"] = collect_values(points, [](const Row& row) { return row.aim.point[1]; });
    columns["up"] = collect_values(points, [](const Row& row) { return row.aim.point[2]; });
    columns["active"] = collect_values(points, [](const Row& row) { return row.active; });
    return columns;
}

nb::dict make_points(const Aims& aims) {
    return make_columns(aims.found.points, *aims.scenario);
}

/// Returns the aim points of all steps, with a column for the step's number.
nb::dict points_of_steps(const AimSeries& aims) {
    std::vector<aiming::AimedPoint> points;
    std::vector<size_t> steps;
    for (size_t i = 0; i < aims.found.steps.size(); ++i) {
        const std::vector<aiming::AimedPoint>& own = aims.found.steps[i].aiming.points;
        points.insert(points.end(), own.begin(), own.end());
        steps.insert(steps.end(), own.size(), i);
    }
    nb::dict columns = make_columns(points, *aims.scenario);
    columns["step"] = collect_values(steps, std::identity());
    return columns;
}

/// Adds the members that results for one and for several positions of the sun share.
template <typename Chosen>
nb::class_<Chosen> bind_chosen(nb::module_& m, const char* name, const char* doc) {
    return nb::class_<Chosen>(m, name, doc)
        .def("facts", [](const Chosen& aims) { return as_bytes(one_line(aims.json())); })
        .def("result", [](const Chosen& aims) { return aims.main_result().after; })
        .def("before", [](const Chosen& aims) { return aims.main_result().before; })
        .def(
            "write",
            [](const Chosen& aims, const std::string& file) {
                store(file, [&] { aims.write(file); });
            },
            nb::arg("file"))
        .def(
            "plot",
            [](const Chosen& aims, const std::string& file) {
                const Unlocked unlocked;
                plot_aiming(aims.main_result(), aims.config, *aims.scenario, file);
            },
            nb::arg("file"))
        .def(
            "report",
            [](const Chosen& aims, const std::optional<std::string>& title) {
                std::string page;
                {
                    const Unlocked unlocked;
                    page = aiming_report(aims.main_result(), aims.config, *aims.scenario, title);
                }
                return as_bytes(page);
            },
            nb::arg("title").none());
}

}  // namespace

void bind_aim(nb::module_& m) {
    bind_chosen<Aims>(m, "Aims", "Chosen aim points.").def("points", &make_points);
    bind_chosen<AimSeries>(m, "AimSeries", "Aim points of several positions of the sun.")
        .def("points", &points_of_steps);
    m.def("aim", &aim, nb::arg("source"), nb::arg("table"), nb::arg("call"));
    m.def("aim_series",
          &aim_series,
          nb::arg("source"),
          nb::arg("table"),
          nb::arg("runs"),
          nb::arg("restart"),
          nb::arg("call"));
}

}  // namespace helioray::python
