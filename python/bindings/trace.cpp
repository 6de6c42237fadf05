// SPDX-License-Identifier: MIT
// Traces single runs, series, years and tables of efficiency, as the program's commands do.
#include "python/bindings/trace.h"

#include "app/output/plot/flux_plot.h"
#include "app/output/summary/summary.h"
#include "raytracer/results/result_file.h"
#include "raytracer/run/clock.h"
#include "raytracer/run/trace.h"
#include "raytracer/studies/annual/year_job.h"
#include "raytracer/studies/efficiency/efficiency_bytes.h"
#include "raytracer/studies/efficiency/efficiency_job.h"
#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/sun/solar_position.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "python/bindings/convert/bytes.h"
#include "python/bindings/convert/choice.h"
#include "python/bindings/convert/text.h"
#include "python/bindings/engine.h"
#include "python/bindings/plant.h"
#include <optional>
#include <string>
#include <utility>

namespace helioray::python {

namespace nb = nanobind;

run::PrepareOptions prepare_options(const Source& source,
                                    const Call& call,
                                    const run::Options& options,
                                    bool restart) {
    run::PrepareOptions how;
    how.restart = restart;
    if (source.plant && source.file.empty()) how.scenario = source.plant->scenario;
    how.num_threads = choose_num_threads(call);
    how.log = options.log;
    if (source.suns) how.time_zone = source.suns->time_zone;
    return how;
}

namespace {

[[noreturn]] void refuse_series(const Source& source) {
    throw InputError(Problem{source.caller,
                             "the configuration has several positions of the sun",
                             "this call takes one",
                             "use helioray.trace_series, or choose one position: sun=(180, 45)"});
}

RunResult trace(const Source& source, const Call& call) {
    const auto start = Clock::now();
    std::optional<RunResult> result;
    run_long(call, [&](const run::Options& options) {
        run::Session session(
            [&] {
                const FileLock lock(options);
                DraftRunConfig draft = draft_config(source);
                if (draft.problems.empty() && draft.config.sun.series) refuse_series(source);
                return run::prepare(std::move(draft), prepare_options(source, call, options));
            },
            options);
        const run::PreparedRun& prepared = session.prepared();
        result = run::run_single(session, start, [&](const RunResult& traced) {
            if (!prepared.output.empty()) {
                const FileLock lock(options);
                write_result(traced, prepared.output);
            }
            if (!prepared.image.empty()) plot_flux(traced, prepared.image);
        });
        result = close_with_result(session, std::move(result));
    });
    return std::move(*result);
}

/// Traces a series. Ranks other than 0 store the file of rank 0 as `copy`.
void trace_series(const Source& source,
                  const std::string& file,
                  const std::string& copy,
                  bool restart,
                  const Call& call) {
    run_long(call, [&](const run::Options& options) {
        // Finished steps are written between the traces.
        const FileLock lock(options);
        run::Session session(
            [&] {
                DraftRunConfig draft = draft_config(source);
                draft.config.output.file = file;
                if (draft.problems.empty() && !draft.config.sun.series) {
                    throw InputError(Problem{source.caller,
                                             "there is one position of the sun",
                                             "a series has several",
                                             "give suns, or use helioray.trace"});
                }
                return run::prepare(std::move(draft),
                                    prepare_options(source, call, options, restart));
            },
            options);
        run::run_series(session, Clock::now(), [](const SeriesResult&) {});
        copy_file_of_root(session, session.prepared().output, copy);
        session.close();
    });
}

/// Computes the yield of a year.
AnnualYield annual(const Source& source,
                   const std::string& file,
                   const YearOptions& year,
                   bool restart,
                   const Call& call) {
    std::optional<AnnualYield> yield;
    run_long(call, [&](const run::Options& options) {
        const FileLock lock(options);
        YearJob job(year, file);
        run::Session session(
            [&] {
                return job.prepare(draft_config(source, SunPositions::optional),
                                   prepare_options(source, call, options, restart));
            },
            options);
        yield = close_with_result(session, job.run(session));
        if (yield->aiming && !yield->aiming->violation.empty())
            write(options.log, run::LogLevel::warning, yield->aiming->violation);
    });
    return std::move(*yield);
}

/// Returns the apparent elevations of the sun at the plant in degrees, for times in the spelling of
/// configurations.
std::vector<double> sun_elevations(const Source& source, const std::vector<std::string>& times) {
    return with_files([&] {
        GeodeticPosition plant;
        if (source.plant) {
            plant = source.plant->scenario->position;
        } else {
            DraftRunConfig draft = draft_config(source, SunPositions::optional);
            if (!draft.problems.empty()) throw InputError(std::move(draft.problems));
            plant = read_scenario(draft.config.scenario).position;
        }
        std::vector<double> elevations;
        for (const std::string& time : times)
            elevations.push_back(solar_position(time, plant).elevation / kRadiansPerDegree);
        return elevations;
    });
}

YearOptions year_options(const std::optional<std::string>& sky,
                         const std::string& weather,
                         const std::optional<WeatherSeries>& frame,
                         const std::string& weather_time,
                         int year,
                         double min_elevation_deg,
                         int declinations,
                         int hours,
                         int levels) {
    YearOptions options;
    if (sky) options.sky = find_choice("hr.annual: sky", *sky, kClearSkies);
    const bool has_weather = frame || !weather.empty();
    if (sky && has_weather)
        throw InputError(Problem{"hr.annual: sky",
                                 "is given with weather",
                                 "irradiance is that of the file, or of a cloudless sky",
                                 "leave out one of the two"});
    if (!weather_time.empty() && !has_weather)
        throw InputError(Problem{"hr.annual: weather_time",
                                 "is given without weather",
                                 "it is about the rows of that file",
                                 "add weather, or leave it out"});
    options.weather = weather;
    options.series = frame;
    if (!weather_time.empty())
        options.stamp = find_choice("hr.annual: weather_time", weather_time, kTimeStamps);
    // The rows of a frame have been moved to the year.
    if (frame && year != 0) check_calendar_year(year);
    options.year = frame ? 0 : year;
    options.min_elevation_deg = min_elevation_deg;
    options.declinations = declinations;
    options.hours = hours;
    options.levels = levels;
    return options;
}

/// Converts the keywords of hr.efficiency; angles are in degrees.
EfficiencyOptions table_options(const std::optional<std::vector<double>>& azimuths_deg,
                                const std::optional<std::vector<double>>& elevations_deg,
                                const std::string& grid,
                                std::optional<double> min_elevation_deg,
                                std::optional<int> declinations,
                                std::optional<int> hours,
                                bool checks) {
    const std::string caller = "hr.efficiency: ";
    std::optional<EfficiencyGrid> named;
    if (!grid.empty()) named = find_choice(caller + "grid", grid, kEfficiencyGrids);
    const bool is_year = named == EfficiencyGrid::year;
    const auto refuse_if = [&](bool given, const char* keyword, const char* what, const char* why) {
        if (given)
            throw InputError(Problem{caller + keyword, what, why, "leave one of the two out"});
    };
    for (const auto& [keyword, given] :
         {std::pair("min_elevation_deg", min_elevation_deg.has_value()),
          std::pair("declinations", declinations.has_value()),
          std::pair("hours", hours.has_value())}) {
        if (given && !is_year)
            throw InputError(Problem{caller + keyword,
                                     "belongs to grid=\"year\"",
                                     "it has no effect on another grid",
                                     "add grid=\"year\", or leave it out"});
    }
    refuse_if(!checks && is_year,
              "checks",
              "has no effect on grid=\"year\"",
              "its checks need no positions");
    const bool has_own_suns = named == EfficiencyGrid::solarpilot;
    for (const auto& [keyword, given] : {std::pair("azimuths", azimuths_deg.has_value()),
                                         std::pair("elevations", elevations_deg.has_value())})
        refuse_if(given && has_own_suns,
                  keyword,
                  "is given with grid=\"solarpilot\"",
                  "that grid has positions of its own");
    YearPositions year;
    year.min_elevation_deg = min_elevation_deg.value_or(year.min_elevation_deg);
    year.declinations = declinations.value_or(year.declinations);
    year.hours = hours.value_or(year.hours);
    const auto radians = [](std::vector<double> angles) {
        for (double& angle : angles) angle *= kRadiansPerDegree;
        return std::optional(std::move(angles));
    };
    return efficiency_options(
        named,
        year,
        azimuths_deg ? radians(continued_over_north(*azimuths_deg)) : std::nullopt,
        elevations_deg ? radians(*elevations_deg) : std::nullopt,
        checks);
}

EfficiencyTable efficiency(const Source& source,
                           const std::string& file,
                           const EfficiencyOptions& what,
                           bool restart,
                           const Call& call) {
    std::optional<EfficiencyTable> table;
    run_long(call, [&](const run::Options& options) {
        const FileLock lock(options);
        EfficiencyJob job(what, file);
        run::Session session(
            [&] {
                return job.prepare(draft_config(source, SunPositions::optional),
                                   prepare_options(source, call, options, restart));
            },
            options);
        table = close_with_result(
            session, job.run(session), EfficiencyTable(default_rectangle(std::nullopt)));
    });
    return std::move(*table);
}

}  // namespace

void bind_trace(nb::module_& m) {
    m.def("trace", &trace, nb::arg("source"), nb::arg("call"));
    m.def("trace_series",
          &trace_series,
          nb::arg("source"),
          nb::arg("file"),
          nb::arg("copy"),
          nb::arg("restart"),
          nb::arg("call"));
    m.def("sun_elevations", &sun_elevations, nb::arg("source"), nb::arg("times"));
    nb::class_<YearOptions>(m, "YearOptions", "How a year is computed.")
        .def_ro("year", &YearOptions::year);
    m.def("year_options",
          &year_options,
          nb::arg("sky").none(),
          nb::arg("weather"),
          nb::arg("frame").none(),
          nb::arg("weather_time"),
          nb::arg("year"),
          nb::arg("min_elevation_deg"),
          nb::arg("declinations"),
          nb::arg("hours"),
          nb::arg("levels"));
    m.def("annual",
          &annual,
          nb::arg("source"),
          nb::arg("file"),
          nb::arg("year"),
          nb::arg("restart"),
          nb::arg("call"));
    nb::class_<EfficiencyOptions>(m, "EfficiencyOptions", "Which sun positions a table has.")
        .def_prop_ro("is_year",
                     [](const EfficiencyOptions& what) { return what.year.has_value(); });
    m.def("efficiency_options",
          &table_options,
          nb::arg("azimuths_deg").none(),
          nb::arg("elevations_deg").none(),
          nb::arg("grid"),
          nb::arg("min_elevation_deg").none(),
          nb::arg("declinations").none(),
          nb::arg("hours").none(),
          nb::arg("checks"));
    m.def("efficiency",
          &efficiency,
          nb::arg("source"),
          nb::arg("file"),
          nb::arg("what"),
          nb::arg("restart"),
          nb::arg("call"));
}

}  // namespace helioray::python
