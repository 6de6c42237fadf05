// SPDX-License-Identifier: MIT
// Chooses aim points of a whole field, for one position of the sun or for a series.
#include "app/output/plot/aiming_plot.h"
#include "app/output/report/aiming_report.h"
#include "app/output/summary/summary.h"
#include "raytracer/run/clock.h"
#include "raytracer/run/session.h"
#include "raytracer/solvers/aiming/aim_job_bytes.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nlohmann/json.hpp>

#include "python/bindings/convert/arrays.h"
#include "python/bindings/convert/bytes.h"
#include "python/bindings/convert/pickle.h"
#include "python/bindings/convert/text.h"
#include "python/bindings/engine.h"
#include "python/bindings/plant.h"
#include "python/bindings/trace.h"
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace helioray::python {

namespace nb = nanobind;

namespace {

/// Chooses aim points. `table` is the file for the aim points, or empty. `runs` is the result file
/// of the verifying runs of a series, a separate one on every rank; empty: returns nothing if the
/// configuration has several positions of the sun.
std::optional<aiming::ChosenAims> aim(const Source& source,
                                      const std::string& table,
                                      const std::string& runs,
                                      bool restart,
                                      const Call& call) {
    std::optional<aiming::ChosenAims> chosen;
    run_long(call, [&](const run::Options& options) {
        const auto begin = Clock::now();
        std::optional<FileLock> lock(std::in_place, options);
        DraftRunConfig draft = draft_config(source);
        const bool is_series = draft.config.sun.series.has_value();
        // If the configuration is faulty, preparing it reports all problems.
        if (draft.problems.empty() && is_series && runs.empty()) return;
        const aiming::AimJob job({table, runs, {}});
        run::Session session(
            [&] {
                return job.prepare(std::move(draft),
                                   prepare_options(source, call, options, restart));
            },
            options);
        // A series writes its finished steps between the traces. Limits and target flux maps may be
        // HDF5 files.
        const run::PreparedRun& prepared = session.prepared();
        const AimingConfig& aiming = prepared.config.aiming;
        if (!is_series && !aiming.flux_limit_file && !aiming.target_map) lock.reset();
        std::optional<aiming::ChosenAims> of_root = job.run(session);
        if (is_series) copy_file_of_root(session, runs, runs);
        chosen = close_with_result(session, std::move(of_root));
        chosen->config = prepared.config;
        chosen->scenario = prepared.scenario;
        if (is_series) chosen->seconds = seconds_since(begin);
        if (const std::string violation = chosen->violation(); !violation.empty())
            write(options.log, run::LogLevel::warning, violation);
    });
    return chosen;
}

/// Returns the columns of a table with a row for each aim point.
nb::dict make_point_columns(const std::vector<aiming::AimedPoint>& points,
                            const Scenario& scenario) {
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

/// Returns the aim points; for a series those of all steps, with a column for the step's number.
nb::dict make_points(const aiming::ChosenAims& aims) {
    const aiming::AimSeries* series = aims.series();
    if (!series) return make_point_columns(aims.shown().points, *aims.scenario);
    std::vector<aiming::AimedPoint> points;
    std::vector<size_t> steps;
    for (size_t i = 0; i < series->steps.size(); ++i) {
        const std::vector<aiming::AimedPoint>& own = series->steps[i].aiming.points;
        points.insert(points.end(), own.begin(), own.end());
        steps.insert(steps.end(), own.size(), i);
    }
    nb::dict columns = make_point_columns(points, *aims.scenario);
    columns["step"] = collect_values(steps, std::identity());
    return columns;
}

nlohmann::json make_facts(const aiming::ChosenAims& aims) {
    return aims.series() ? aim_series_json(*aims.series(), {}, aims.seconds)
                         : aiming_json(aims.shown(), {}, aims.seconds);
}

using AimedState = std::tuple<std::string, nb::bytes, PlantPtr>;

}  // namespace

void bind_aim(nb::module_& m) {
    using Chosen = aiming::ChosenAims;
    nb::class_<Chosen>(m, "Aims", "Chosen aim points.")
        .def("points", &make_points)
        .def("facts", [](const Chosen& aims) { return as_bytes(one_line(make_facts(aims))); })
        .def("summary",
             [](const Chosen& aims) {
                 return as_bytes(aims.series() ? aim_series_text(*aims.series(), {}, aims.seconds)
                                               : aiming_text(aims.shown(), {}, aims.seconds));
             })
        .def("result", [](const Chosen& aims) { return aims.shown().after; })
        .def("before", [](const Chosen& aims) { return aims.shown().before; })
        .def(
            "write",
            [](const Chosen& aims, const std::string& file) {
                store(file, [&] { aims.write_table(file); });
            },
            nb::arg("file"))
        .def(
            "plot",
            [](const Chosen& aims, const std::string& file) {
                const Unlocked unlocked;
                plot_aiming(aims.shown(), aims.config, *aims.scenario, file);
            },
            nb::arg("file"))
        .def(
            "report",
            [](const Chosen& aims, const std::optional<std::string>& title) {
                std::string page;
                {
                    const Unlocked unlocked;
                    page = aiming_report(aims.shown(), aims.config, *aims.scenario, title);
                }
                return as_bytes(page);
            },
            nb::arg("title").none())
        .def("__getstate__",
             [](const Chosen& aims) {
                 auto [version, bytes] = pickled_state(bytes_of(aims));
                 return AimedState(version, bytes, plant_of(aims.scenario));
             })
        .def("__setstate__", [](Chosen& aims, const AimedState& state) {
            const auto& [version, bytes, plant] = state;
            new (&aims) Chosen(value_of<Chosen>(pickled_bytes(version, bytes)));
            aims.scenario = plant->scenario;
        });
    m.def("aim",
          &aim,
          nb::arg("source"),
          nb::arg("table"),
          nb::arg("runs"),
          nb::arg("restart"),
          nb::arg("call"));
}

}  // namespace helioray::python
