// SPDX-License-Identifier: MIT
// Fits kinematics to measured spots and mirrors to flux images, as the program's commands do.
#include "python/bindings/solve.h"

#include "app/output/plot/calibration_plot.h"
#include "app/output/plot/reconstruction_plot.h"
#include "app/output/report/calibration_report.h"
#include "app/output/report/reconstruction_report.h"
#include "app/output/summary/calibration_summary.h"
#include "app/output/summary/reconstruction_summary.h"
#include "raytracer/run/clock.h"
#include "raytracer/run/session.h"
#include "raytracer/run/solver_ranks.h"
#include "raytracer/solvers/calibration/calibrate_files.h"
#include "raytracer/solvers/reconstruction/reconstruct_field.h"
#include "scenario/files/error.h"
#include "scenario/import/paint/arguments.h"
#include "scenario/reader/scenario_reader.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "python/bindings/bytes.h"
#include "python/bindings/choice.h"
#include "python/bindings/engine.h"
#include "python/bindings/plant.h"
#include "python/bindings/text.h"
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray::python {

namespace nb = nanobind;
namespace fs = std::filesystem;

namespace {

using Texts = std::vector<std::string>;
using PlantPtr = std::shared_ptr<const Plant>;

PlantPtr plant_with(Scenario scenario,
                    std::string config,
                    const std::vector<calibration::HeliostatState>& states) {
    Plant plant;
    plant.report = scenario.warnings;
    plant.scenario = std::make_shared<const Scenario>(std::move(scenario));
    plant.config = std::move(config);
    plant.states = states;
    return std::make_shared<const Plant>(std::move(plant));
}

const Choices<ActuatorType> kDrives{{"linear", ActuatorType::linear},
                                    {"ideal", ActuatorType::ideal}};

/// Calibrated heliostats, or heliostats updated with further records.
struct Calibration {
    Scenario scenario;
    std::vector<calibration::HeliostatState> states;
    std::vector<calibration::HeliostatCalibration> heliostats;  ///< empty after an update
    std::vector<calibration::UpdatedRecord> updates;            ///< empty before the first update
    std::vector<std::string> remarks;                           ///< about the files
    double seconds = 0.0;

    bool is_update() const { return heliostats.empty(); }
    /// Throws InputError for an update, which has only single records. `what` is the requested
    /// output, such as "picture".
    void require_no_update(const std::string& where, const std::string& what) const {
        if (!is_update()) return;
        throw InputError(Problem{where,
                                 "an update has no " + what,
                                 "it looks at single records",
                                 "calibrate anew for one"});
    }
    nb::bytes facts() const {
        return as_bytes(one_line(is_update() ? update_json(updates, states, seconds)
                                             : calibration_json(heliostats, remarks, seconds)));
    }
    nb::bytes summary() const {
        return as_bytes(is_update() ? update_text(updates, seconds)
                                    : calibration_text(heliostats, seconds));
    }
};

calibration::RecordFiles record_files(const std::string& spot,
                                      const Texts& tables,
                                      const Texts& test) {
    calibration::RecordFiles files;
    files.spot = find_choice("hr.calibrate: spot", spot, calibration::kSpotSources);
    files.tables.assign(tables.begin(), tables.end());
    files.test.assign(test.begin(), test.end());
    return files;
}

Calibration calibrate(const std::string& tower,
                      const Texts& inputs,
                      const Texts& tables,
                      const Texts& test,
                      const std::string& spot,
                      const std::optional<std::string>& drives,
                      const std::string& parameters,
                      const std::optional<std::string>& mirrors,
                      const Call& call) {
    calibration::CalibrationFiles files;
    files.tower = tower;
    files.mirrors = mirrors;
    files.records = record_files(spot, tables, test);
    if (drives) files.drives = find_choice("hr.calibrate: drives", *drives, kDrives);
    const std::optional<calibration::Level> level =
        find_choice("hr.calibrate: parameters", parameters, calibration::kFittedParameters);
    Calibration result;
    run_long(call, [&](const run::Options& options) {
        const auto begin = Clock::now();
        files.heliostats = paint_heliostats(calibration::without_tables(inputs, files.records));
        for (const std::string& input : inputs)
            if (fs::is_directory(input)) files.folders.emplace_back(input);
        calibration::MeasuredField measured;
        run::Session session(
            [&] {
                measured = calibration::read_measured_field(files);
                size_t records = 0;
                for (const auto& heliostat : measured.field) records += heliostat.records.size();
                return run::solver_input("records", measured.field.size(), records);
            },
            options);
        for (const std::string& line : measured.report)
            write(options.log, run::LogLevel::debug, line);
        for (const std::string& line : measured.remarks)
            write(options.log, run::LogLevel::info, line);
        calibration::CalibrationOptions how =
            calibration::calibration_options(measured, level, session.options().num_threads);
        how.ranks = run::solver_ranks(session);
        session.guard([&] {
            result.heliostats = calibration::calibrate(
                measured.field, calibration::target_planes(measured.scenario), how);
        });
        session.close();
        result.states = calibration::states_of(result.heliostats);
        result.scenario = calibration::calibrated_scenario(measured.scenario, result.states);
        result.remarks = measured.remarks;
        result.seconds = seconds_since(begin);
    });
    return result;
}

Calibration update_calibration(const std::string& file,
                               const Texts& inputs,
                               const Texts& tables,
                               const Texts& test,
                               const std::string& spot,
                               const Call& call) {
    calibration::RecordFiles files = record_files(spot, tables, test);
    Calibration result;
    run_long(call, [&](const run::Options& options) {
        const auto begin = Clock::now();
        {
            const FileLock lock(options);
            result.scenario = read_scenario(file);
            result.states = calibration::read_states(file, result.scenario);
        }
        Texts names;
        for (const Heliostat& heliostat : result.scenario.heliostats)
            names.push_back(heliostat.name);
        calibration::add_new_records(inputs, names, files);
        result.updates = calibration::take_in(calibration::read_records(files, result.scenario),
                                              file,
                                              result.scenario,
                                              result.states);
        result.scenario = calibration::calibrated_scenario(result.scenario, result.states);
        result.seconds = seconds_since(begin);
    });
    return result;
}

/// Reconstructed mirrors.
struct Reconstruction {
    PlantPtr start;
    PlantPtr truth;  ///< null if unknown
    std::vector<reconstruction::HeliostatMirror> mirrors;
    double seconds = 0.0;
};

Reconstruction reconstruct(const PlantPtr& plant,
                           const PlantPtr& truth,
                           const Texts& measured,
                           const Texts& test,
                           const Texts& heliostats,
                           const std::string& kind,
                           const Call& call) {
    using reconstruction::ImageKind;
    const Choices<ImageKind> kinds{{to_string(ImageKind::flux_centered), ImageKind::flux_centered},
                                   {to_string(ImageKind::flux), ImageKind::flux}};
    reconstruction::FluxFiles files;
    files.measured = measured;
    files.test = test;
    files.heliostats = heliostats;
    for (const auto& state : plant->states) files.calibrated.push_back(state.name);
    files.kind = find_choice("hr.reconstruct: image_kind", kind, kinds);
    Reconstruction result{plant, truth, {}, 0.0};
    run_long(call, [&](const run::Options& options) {
        const auto begin = Clock::now();
        const Scenario& scenario = *plant->scenario;
        std::vector<reconstruction::HeliostatImages> field;
        run::Session session(
            [&] {
                field = reconstruction::read_images(scenario, files);
                size_t images = 0;
                for (const auto& heliostat : field) images += heliostat.fitted.size();
                return run::solver_input("images", field.size(), images);
            },
            options);
        session.guard([&] {
            result.mirrors =
                reconstruction::reconstruct_field(scenario,
                                                  field,
                                                  truth ? truth->scenario.get() : nullptr,
                                                  session.options().num_threads,
                                                  run::solver_ranks(session));
        });
        session.close();
        result.seconds = seconds_since(begin);
    });
    return result;
}

void bind_calibration(nb::module_& m) {
    nb::class_<Calibration>(m, "Calibration", "Calibrated kinematics.")
        .def("facts", &Calibration::facts)
        .def("summary", &Calibration::summary)
        .def("plant",
             [](const Calibration& calibration) {
                 return plant_with(calibration.scenario, "{}", calibration.states);
             })
        .def(
            "report",
            [](const Calibration& calibration, const std::optional<std::string>& title) {
                calibration.require_no_update("calibration.report", "report");
                std::string page;
                {
                    const Unlocked unlocked;
                    page =
                        calibration_report(calibration.heliostats, calibration.scenario, "", title);
                }
                return as_bytes(page);
            },
            nb::arg("title").none())
        .def(
            "plot",
            [](const Calibration& calibration, const std::string& file) {
                calibration.require_no_update("calibration.plot", "picture");
                const Unlocked unlocked;
                plot_calibration(calibration.heliostats, calibration.scenario, file);
            },
            nb::arg("file"));
    m.def("calibrate",
          &calibrate,
          nb::arg("tower"),
          nb::arg("inputs"),
          nb::arg("tables"),
          nb::arg("test"),
          nb::arg("spot"),
          nb::arg("drives").none(),
          nb::arg("parameters"),
          nb::arg("mirrors").none(),
          nb::arg("call"));
    m.def("update_calibration",
          &update_calibration,
          nb::arg("file"),
          nb::arg("inputs"),
          nb::arg("tables"),
          nb::arg("test"),
          nb::arg("spot"),
          nb::arg("call"));
}

}  // namespace

void bind_solve(nb::module_& m) {
    bind_calibration(m);
    nb::class_<Reconstruction>(m, "Reconstruction", "Mirrors from flux images.")
        .def("facts",
             [](const Reconstruction& reconstruction) {
                 return as_bytes(one_line(
                     reconstruction_json(reconstruction.mirrors, "", reconstruction.seconds)));
             })
        .def("summary",
             [](const Reconstruction& reconstruction) {
                 return as_bytes(
                     reconstruction_text(reconstruction.mirrors, "", reconstruction.seconds));
             })
        .def("plant",
             [](const Reconstruction& reconstruction) {
                 return plant_with(reconstruction::with_mirrors(*reconstruction.start->scenario,
                                                                reconstruction.mirrors),
                                   reconstruction.start->config,
                                   reconstruction.start->states);
             })
        .def(
            "report",
            [](const Reconstruction& reconstruction, const std::optional<std::string>& title) {
                std::string page;
                {
                    const Unlocked unlocked;
                    page = reconstruction_report(
                        reconstruction.mirrors,
                        *reconstruction.start->scenario,
                        reconstruction.truth ? reconstruction.truth->scenario.get() : nullptr,
                        "",
                        title);
                }
                return as_bytes(page);
            },
            nb::arg("title").none())
        .def(
            "plot",
            [](const Reconstruction& reconstruction, const std::string& file) {
                const Unlocked unlocked;
                plot_reconstructions(
                    reconstruction.mirrors,
                    *reconstruction.start->scenario,
                    reconstruction.truth ? reconstruction.truth->scenario.get() : nullptr,
                    file);
            },
            nb::arg("file"));
    m.def("reconstruct",
          &reconstruct,
          nb::arg("plant"),
          nb::arg("truth").none(),
          nb::arg("measured"),
          nb::arg("test"),
          nb::arg("heliostats"),
          nb::arg("image_kind"),
          nb::arg("call"));
}

}  // namespace helioray::python
