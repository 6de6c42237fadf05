// SPDX-License-Identifier: MIT
// Makes plants from files of many kinds, passes them to Python and changes them.
#include "python/bindings/plant.h"

#include "raytracer/results/geometry_json.h"
#include "raytracer/solvers/surface_fit/fit_surface.h"
#include "raytracer/tracing/physical/records/surface_records.h"
#include "scenario/config/write_run_config.h"
#include "scenario/config/yaml_tree.h"
#include "scenario/files/csv.h"
#include "scenario/files/error.h"
#include "scenario/import/field/build_field.h"
#include "scenario/import/paint/paint.h"
#include "scenario/import/solarpilot/solarpilot.h"
#include "scenario/import/soltrace/soltrace.h"
#include "scenario/reader/read_log.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/types/field_places.h"
#include "scenario/types/type_names.h"
#include "scenario/writer/scenario_writer.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/convert/arrays.h"
#include "python/bindings/convert/bytes.h"
#include "python/bindings/convert/choice.h"
#include "python/bindings/convert/text.h"
#include "python/bindings/engine.h"
#include "python/bindings/temporary_file.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <new>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace helioray::python {

namespace nb = nanobind;
namespace fs = std::filesystem;

namespace {

/// Returns a run configuration without the sections that the caller of a trace decides.
std::string config_text(const RunConfig& run, const std::vector<std::string>& decided_later) {
    YamlNode root = parse_yaml(run_config_text(run, ""), "configuration of the plant");
    for (const std::string& key : decided_later) root.remove(key);
    return root.entries.empty() ? "{}" : emit_yaml(root);
}

PlantPtr make_plant(Scenario scenario,
                    std::string file,
                    std::string config,
                    std::vector<std::string> report,
                    std::vector<calibration::HeliostatState> states = {}) {
    // The file readers have begun their remarks with the name of the file.
    const std::vector<std::string> remarks =
        file.empty() ? unlikely_places(scenario) : std::vector<std::string>();
    for (const std::string& remark : remarks) {
        std::erase_if(scenario.warnings,
                      [&](const std::string& known) { return known.ends_with(remark); });
        scenario.warnings.push_back(remark);
        if (std::find(report.begin(), report.end(), remark) == report.end())
            report.push_back(remark);
    }
    return std::make_shared<const Plant>(
        Plant{std::make_shared<const Scenario>(std::move(scenario)),
              std::move(file),
              std::move(config),
              std::move(report),
              std::move(states)});
}

/// Calls `work` and replaces the first place by the second one in its messages.
template <typename Work>
auto renaming(const std::string& place, const std::string& caller, const Work& work) {
    try {
        return work();
    } catch (const InputError& error) {
        std::vector<Problem> problems = error.problems();
        for (Problem& problem : problems) {
            const size_t at = problem.where.find(place);
            if (at != std::string::npos) problem.where.replace(at, place.size(), caller);
        }
        throw InputError(std::move(problems));
    }
}

PlantPtr read_plant(const std::string& file) {
    Scenario scenario = read_scenario(file);
    std::vector<std::string> report = scenario.warnings;
    std::vector<calibration::HeliostatState> states;
    if (calibration::is_calibrated(file)) states = calibration::read_states(file, scenario);
    return make_plant(std::move(scenario), file, "{}", std::move(report), std::move(states));
}

PlantPtr make_converted_plant(MadeField made) {
    const std::string config =
        config_text(made.run, {"scenario", "sun", "optics", "tracing", "output"});
    return make_plant(std::move(made.scenario), "", config, std::move(made.report));
}

PlantPtr generate(const std::optional<std::string>& file,
                  const std::vector<std::string>& settings) {
    return renaming("--set", "hr.generate:", [&] {
        std::vector<std::string> report;
        const FieldTemplate field = read_field_template(file, settings, FieldUse::generate, report);
        return make_converted_plant(generate_field(field, std::move(report)));
    });
}

PlantPtr from_layout(const std::string& table,
                     const std::optional<std::string>& file,
                     const std::vector<std::string>& settings,
                     bool ground) {
    const TableHeight height = ground ? TableHeight::ground : TableHeight::pivot;
    return renaming("--set", "hr.from_layout:", [&] {
        std::vector<std::string> report;
        const FieldTemplate field =
            read_field_template(file, settings, FieldUse::positions_given, report);
        return make_converted_plant(
            field_from_table(field, read_csv(table), height, std::move(report)));
    });
}

PlantPtr from_solarpilot(const std::string& file) {
    MadeField made = solarpilot::convert(solarpilot::read_project(file));
    const std::string config = config_text(made.run, {"scenario", "tracing", "output"});
    return make_plant(std::move(made.scenario), "", config, std::move(made.report));
}

PlantPtr from_soltrace(const std::string& file,
                       bool y_up,
                       bool skip_unsupported,
                       const std::optional<std::string>& target) {
    soltrace::Options options;
    options.up = y_up ? soltrace::UpAxis::y : soltrace::UpAxis::z;
    options.skip_unsupported = skip_unsupported;
    options.target = target;
    soltrace::Import made = soltrace::convert(soltrace::read_project(file), options);
    const std::string config = config_text(made.run, {"scenario", "tracing", "output"});
    return make_plant(std::move(made.scenario), "", config, std::move(made.report));
}

/// Replaces ideal surfaces by measured ones.
void fit_surfaces(Scenario& scenario,
                  const std::vector<PaintFile>& measured,
                  const PaintInputs& inputs,
                  std::vector<std::string>& report) {
    SurfaceFitOptions options;
    options.num_control_points = inputs.control_points;
    std::map<std::string, fs::path> files;
    for (const PaintFile& file : measured) files.emplace(file.heliostat, file.file);
    ReadLog log;
    for (Heliostat& heliostat : scenario.heliostats) {
        const auto file = files.find(heliostat.name);
        if (file == files.end()) continue;
        log.attempt([&] {
            heliostat.surface = std::make_shared<const Surface>(
                fit_surface(read_deflectometry(file->second), *heliostat.surface, options));
            report.push_back(heliostat.name + ": surface fitted to " + file->second.string());
        });
    }
    log.throw_if_any();
}

PlantPtr from_paint(const std::string& folder,
                    const std::string& tower,
                    const std::optional<std::vector<std::string>>& wanted,
                    const std::optional<std::string>& deflectometry,
                    const std::array<int64_t, 2>& control_points) {
    PaintInputs inputs;
    inputs.tower = tower;
    inputs.heliostats = find_paint_heliostats(folder);
    inputs.control_points = control_points;
    std::vector<std::string> names;
    for (const PaintHeliostat& heliostat : inputs.heliostats) names.push_back(name_of(heliostat));
    if (wanted) {
        ReadLog log;
        for (const std::string& name : *wanted) {
            if (std::find(names.begin(), names.end(), name) == names.end())
                log.problem(
                    folder, "there is no heliostat '" + name + "'", "", suggest(name, names));
        }
        log.throw_if_any();
        names = *wanted;
        std::erase_if(inputs.heliostats, [&](const PaintHeliostat& heliostat) {
            return std::find(names.begin(), names.end(), name_of(heliostat)) == names.end();
        });
    }
    std::vector<PaintFile> measured;
    if (deflectometry) measured = find_paint_deflectometry(*deflectometry, names);
    for (const PaintFile& file : measured) inputs.measured.push_back(file.heliostat);
    std::vector<std::string> report;
    Scenario scenario = scenario_from_paint(inputs, &report);
    fit_surfaces(scenario, measured, inputs, report);
    return make_plant(std::move(scenario), "", "{}", std::move(report));
}

void place_heliostats(Scenario& scenario, const std::map<std::string, Vec3>& places) {
    std::vector<std::string> names;
    for (const Heliostat& heliostat : scenario.heliostats) names.push_back(heliostat.name);
    const std::unordered_set<std::string> known(names.begin(), names.end());
    // Searching for similar names takes long in large fields, and a frame without names matches
    // none.
    constexpr size_t kShown = 20;
    std::vector<Problem> problems;
    size_t unknown = 0;
    for (const auto& [name, position] : places) {
        if (known.contains(name) || ++unknown > kShown) continue;
        problems.push_back({"plant.replace: heliostats",
                            "there is no heliostat '" + name + "'",
                            "",
                            suggest(name, names)});
    }
    if (unknown > kShown)
        problems.push_back({"plant.replace: heliostats",
                            "has " + std::to_string(unknown - kShown) + " more unknown names",
                            "",
                            "give the names as the frame's index, or in its column 'name'"});
    for (const auto& [name, position] : places) {
        for (const double coordinate : position) {
            if (std::isfinite(coordinate) || problems.size() > kShown) continue;
            problems.push_back({"plant.replace: heliostats: " + name,
                                "its position contains " + std::to_string(coordinate),
                                "it must be finite",
                                "give metres"});
        }
    }
    if (places.empty())
        problems.push_back(
            {"plant.replace: heliostats", "is empty", "a plant has at least one", ""});
    if (!problems.empty()) throw InputError(std::move(problems));
    std::erase_if(scenario.heliostats,
                  [&](const Heliostat& heliostat) { return !places.contains(heliostat.name); });
    for (Heliostat& heliostat : scenario.heliostats) heliostat.position = places.at(heliostat.name);
}

/// Returns the plant with targets and position as read from a scenario file, with the reader's
/// checks. The file contains only one heliostat, since heliostats only move here: each heliostat in
/// the file takes 0.7 ms.
PlantPtr with_checked_frame(Scenario& scenario, const Plant& origin) {
    std::vector<Heliostat> heliostats = std::move(scenario.heliostats);
    if (!heliostats.empty()) scenario.heliostats = {heliostats.front()};
    const PlantPtr checked = checked_plant(scenario, origin, "plant.replace");
    Scenario complete = *checked->scenario;
    complete.heliostats = std::move(heliostats);
    complete.warnings = scenario.warnings;
    return make_plant(std::move(complete), "", origin.config, origin.report);
}

using TargetRow = std::tuple<std::string, std::string, std::string>;  // name, kind, geometry

PlantPtr replace(const Plant& plant,
                 const std::optional<std::vector<std::tuple<std::string, Vec3>>>& heliostats,
                 const std::optional<std::vector<TargetRow>>& targets,
                 const std::optional<std::array<double, 3>>& position) {
    Scenario scenario = *plant.scenario;
    if (heliostats) {
        std::map<std::string, Vec3> places;
        for (const auto& [name, place] : *heliostats) {
            if (!places.emplace(name, place).second)
                throw InputError(Problem{"plant.replace: heliostats",
                                         "'" + name + "' is named twice",
                                         "a heliostat has one place",
                                         "leave one of them out"});
        }
        place_heliostats(scenario, places);
    }
    if (targets) {
        for (const auto& [name, kind, geometry] : *targets) {
            const auto index = scenario.find_target(name);
            if (!index) {
                std::vector<std::string> names;
                for (const Target& target : scenario.targets) names.push_back(target.name);
                throw InputError(Problem{"plant.replace: targets",
                                         "there is no target '" + name + "'",
                                         "",
                                         suggest(name, names)});
            }
            scenario.targets[*index].geometry =
                geometry_from_json(kind, geometry, "plant.replace: targets." + name);
        }
    }
    if (position) scenario.position = {(*position)[0], (*position)[1], (*position)[2]};
    return with_files([&] { return with_checked_frame(scenario, plant); });
}

/// Returns the mirror area of each heliostat in square metres; computes each surface once.
std::vector<double> mirror_areas(const Scenario& scenario) {
    std::unordered_map<const Surface*, double> known;
    std::vector<double> areas;
    for (const Heliostat& heliostat : scenario.heliostats) {
        const Surface* surface = heliostat.surface.get();
        const auto [entry, is_new] = known.try_emplace(surface, 0.0);
        if (is_new) entry->second = physical::facet_records(*surface).area;
        areas.push_back(entry->second);
    }
    return areas;
}

/// Returns the columns of a table with a row for each heliostat.
nb::dict heliostat_columns(const Plant& plant) {
    const std::vector<Heliostat>& rows = plant.scenario->heliostats;
    using Row = Heliostat;
    nb::dict columns;
    columns["name"] = collect_values(rows, [](const Row& row) { return row.name; });
    columns["east_m"] = collect_values(rows, [](const Row& row) { return row.position[0]; });
    columns["north_m"] = collect_values(rows, [](const Row& row) { return row.position[1]; });
    columns["up_m"] = collect_values(rows, [](const Row& row) { return row.position[2]; });
    columns["mirror_area_m2"] = collect_values(mirror_areas(*plant.scenario), std::identity());
    columns["facets"] =
        collect_values(rows, [](const Row& row) { return row.surface->facets.size(); });
    columns["kinematics"] =
        collect_values(rows, [](const Row& row) { return to_string(row.kinematics->type); });
    columns["drives"] =
        collect_values(rows, [](const Row& row) { return to_string((*row.actuators)[0].type); });
    return columns;
}

std::vector<TargetRow> target_rows(const Plant& plant) {
    std::vector<TargetRow> rows;
    for (const Target& target : plant.scenario->targets)
        rows.emplace_back(target.name, target_kind(target), geometry_to_json(target));
    return rows;
}

/// Returns the text in double quotes as in JSON, which YAML reads.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

using PlantState = std::tuple<nb::bytes, std::string, std::string, std::vector<std::string>>;

/// Returns the state of a pickled plant: the content of its scenario file, configuration, name of
/// the file and report.
PlantState plant_state(const Plant& plant) {
    const std::string bytes = with_files([&] {
        const TemporaryFile file;
        calibration::write_calibrated_scenario(*plant.scenario, plant.states, file.path());
        std::ifstream stream(file.path(), std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    });
    return {as_bytes(bytes), plant.config, plant.file, plant.report};
}

Plant restored(const PlantState& state) {
    const auto& [bytes, config, name, report] = state;
    const std::string_view content(bytes.c_str(), bytes.size());
    const PlantPtr read = with_files([&] {
        const TemporaryFile file;
        std::ofstream(file.path(), std::ios::binary) << content;
        return read_plant(file.path().string());
    });
    return {read->scenario, name, config, report, read->states};
}

/// Releases the interpreter's lock, then takes the lock of HDF5 files. The order matters: a thread
/// that waits for the files with the interpreter's lock would block the thread that has the files.
/// A call_guard with both types takes the last one first.
struct Alone {
    Unlocked unlocked;
    FileLock lock;
};

}  // namespace

PlantPtr plant_of(std::shared_ptr<const Scenario> scenario,
                  std::string config,
                  std::vector<calibration::HeliostatState> states) {
    std::vector<std::string> report = scenario->warnings;
    return std::make_shared<const Plant>(
        Plant{std::move(scenario), "", std::move(config), std::move(report), std::move(states)});
}

PlantPtr checked_plant(const Scenario& scenario, const Plant& origin, const std::string& caller) {
    const TemporaryFile file;
    return renaming(file.path().string(), caller, [&] {
        write_scenario(scenario, file.path());
        return make_plant(read_scenario(file.path()), "", origin.config, origin.report);
    });
}

DraftRunConfig draft_config(const Source& source, SunPositions positions) {
    Overrides overrides;
    overrides.origin = source.caller;
    overrides.keeps_result = true;
    if (source.suns) overrides.suns = source.suns->series;
    if (!source.plant) {
        overrides.set = source.settings;
        return draft_run_config(source.file, overrides, positions);
    }
    const Plant& plant = *source.plant;
    overrides.has_plant = source.file.empty();
    if (!source.file.empty()) overrides.scenario = source.file;
    if (plant.config == "{}" && plant.scenario->targets.size() == 1)
        overrides.set.push_back("aim.target=" + quoted(plant.scenario->targets.front().name));
    overrides.set.insert(overrides.set.end(), source.settings.begin(), source.settings.end());
    DraftRunConfig draft;
    draft.config = parse_run_config(plant.config, source.caller, ".", overrides, positions);
    if (source.file.empty()) draft.config.scenario = plant.file;
    return draft;
}

void bind_plant(nb::module_& m) {
    const auto alone = nb::call_guard<Alone>();
    nb::class_<Plant>(m, "Plant", "A scenario in memory.")
        .def_prop_ro("file", [](const Plant& plant) { return plant.file; })
        .def_prop_ro("config", [](const Plant& plant) { return plant.config; })
        .def_prop_ro("report", [](const Plant& plant) { return plant.report; })
        .def_prop_ro("position",
                     [](const Plant& plant) {
                         const GeodeticPosition& at = plant.scenario->position;
                         return std::tuple(at.latitude_deg, at.longitude_deg, at.altitude_m);
                     })
        .def("num_heliostats", [](const Plant& plant) { return plant.scenario->heliostats.size(); })
        .def("heliostats", &heliostat_columns)
        .def("targets", &target_rows)
        .def("replace",
             &replace,
             nb::arg("heliostats").none(),
             nb::arg("targets").none(),
             nb::arg("position").none())
        .def(
            "with_report",
            [](Plant plant, const std::vector<std::string>& report) {
                plant.report = report;
                return std::make_shared<const Plant>(std::move(plant));
            },
            nb::arg("report"))
        .def("__getstate__", &plant_state)
        .def("__setstate__",
             [](Plant& plant, const PlantState& state) { new (&plant) Plant(restored(state)); })
        .def(
            "write",
            [](const Plant& plant, const std::string& file, const std::string& format) {
                const ScenarioFormat as =
                    find_choice("plant.write: format", format, kScenarioFormats);
                store(file, [&] {
                    calibration::write_calibrated_scenario(*plant.scenario, plant.states, file, as);
                });
            },
            nb::arg("file"),
            nb::arg("format") = "auto")
        .def("equals", [](const Plant& a, const Plant& b) {
            return equal(*a.scenario, *b.scenario) && a.config == b.config;
        });
    nb::class_<Source>(m, "Source", "What a call traces.")
        .def(
            "__init__",
            [](Source* source,
               std::shared_ptr<const Plant> plant,
               const std::string& file,
               const std::vector<std::string>& settings,
               const std::string& caller,
               const std::optional<FrameSuns>& suns) {
                new (source) Source{std::move(plant), file, settings, caller, suns};
            },
            nb::arg("plant").none(),
            nb::arg("file"),
            nb::arg("settings"),
            nb::arg("caller"),
            nb::arg("suns").none() = nb::none());
    m.def("read_plant", &read_plant, nb::arg("file"), alone);
    m.def("generate", &generate, nb::arg("file").none(), nb::arg("settings"), alone);
    m.def("from_layout",
          &from_layout,
          nb::arg("table"),
          nb::arg("file").none(),
          nb::arg("settings"),
          nb::arg("ground"),
          alone);
    m.def("from_solarpilot", &from_solarpilot, nb::arg("file"), alone);
    m.def("from_soltrace",
          &from_soltrace,
          nb::arg("file"),
          nb::arg("y_up"),
          nb::arg("skip_unsupported"),
          nb::arg("target").none(),
          alone);
    m.def("from_paint",
          &from_paint,
          nb::arg("folder"),
          nb::arg("tower"),
          nb::arg("heliostats").none(),
          nb::arg("deflectometry").none(),
          nb::arg("control_points"),
          alone);
}

}  // namespace helioray::python
