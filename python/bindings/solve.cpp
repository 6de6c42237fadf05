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
#include "raytracer/solvers/calibration/result_bytes.h"
#include "raytracer/solvers/reconstruction/reconstruct_field.h"
#include "scenario/files/error.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "python/bindings/convert/bytes.h"
#include "python/bindings/convert/choice.h"
#include "python/bindings/convert/pickle.h"
#include "python/bindings/convert/text.h"
#include "python/bindings/engine.h"
#include "python/bindings/plant.h"
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace helioray::python {

namespace nb = nanobind;

namespace {

using Texts = std::vector<std::string>;
/// State of a pickled fit: version and bytes of its numbers, its plant, the true plant of a
/// reconstruction, seconds.
using State = std::tuple<std::string, nb::bytes, PlantPtr, PlantPtr, double>;

/// Calibrated heliostats, or heliostats updated with further records.
struct Calibration {
    calibration::CalibratedField field;
    double seconds = 0.0;

    PlantPtr plant() const {
        return plant_of(std::make_shared<const Scenario>(field.scenario), "{}", field.states);
    }
    /// Throws InputError for an update, which has only single records. `what` is the requested
    /// output, such as "picture".
    void require_no_update(const std::string& where, const std::string& what) const {
        if (!field.is_update()) return;
        throw InputError(Problem{where,
                                 "an update has no " + what,
                                 "it looks at single records",
                                 "calibrate anew for one"});
    }
    nb::bytes facts() const {
        return as_bytes(one_line(field.is_update()
                                     ? update_json(field.updates, field.states, seconds)
                                     : calibration_json(field.heliostats, field.remarks, seconds)));
    }
    nb::bytes summary() const {
        return as_bytes(field.is_update() ? update_text(field.updates, seconds)
                                          : calibration_text(field.heliostats, seconds));
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
    if (drives) files.drives = find_choice("hr.calibrate: drives", *drives, kActuatorTypes);
    const std::optional<calibration::Level> level =
        find_choice("hr.calibrate: parameters", parameters, calibration::kFittedParameters);
    Calibration result;
    run_long(call, [&](const run::Options& options) {
        const auto begin = Clock::now();
        calibration::add_inputs(inputs, files);
        calibration::MeasuredField measured;
        run::Session session(
            [&] {
                measured = calibration::read_measured_field(files);
                return run::solver_input("records", measured.field.size(), measured.num_records());
            },
            options);
        for (const std::string& line : measured.report)
            write(options.log, run::LogLevel::debug, line);
        for (const std::string& line : measured.remarks)
            write(options.log, run::LogLevel::info, line);
        session.guard([&] {
            result.field = calibration::calibrate_field(
                measured, level, session.options().num_threads, run::solver_ranks(session));
        });
        session.close();
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
    const calibration::RecordFiles files = record_files(spot, tables, test);
    Calibration result;
    run_long(call, [&](const run::Options& options) {
        const auto begin = Clock::now();
        const FileLock lock(options);
        result.field =
            calibration::update_field(file, inputs, files, calibration::UpdatedHeliostats::all);
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
    reconstruction::FluxFiles files;
    files.measured = measured;
    files.test = test;
    files.heliostats = heliostats;
    for (const auto& state : plant->states) files.calibrated.push_back(state.name);
    files.kind = find_choice("hr.reconstruct: image_kind", kind, reconstruction::kImageKinds);
    Reconstruction result{plant, truth, {}, 0.0};
    run_long(call, [&](const run::Options& options) {
        const auto begin = Clock::now();
        const Scenario& scenario = *plant->scenario;
        reconstruction::FieldImages field;
        run::Session session(
            [&] {
                field = reconstruction::read_images(scenario, files);
                return run::solver_input("images", field.heliostats.size(), field.num_fitted());
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
        .def("plant", [](const Calibration& calibration) { return calibration.plant(); })
        .def(
            "report",
            [](const Calibration& calibration, const std::optional<std::string>& title) {
                calibration.require_no_update("calibration.report", "report");
                std::string page;
                {
                    const Unlocked unlocked;
                    page = calibration_report(
                        calibration.field.heliostats, calibration.field.scenario, "", title);
                }
                return as_bytes(page);
            },
            nb::arg("title").none())
        .def(
            "plot",
            [](const Calibration& calibration, const std::string& file) {
                calibration.require_no_update("calibration.plot", "picture");
                const Unlocked unlocked;
                plot_calibration(calibration.field.heliostats, calibration.field.scenario, file);
            },
            nb::arg("file"))
        .def("__getstate__",
             [](const Calibration& calibration) {
                 auto [version, bytes] = pickled_state(calibration::bytes_of(calibration.field));
                 return State(version, bytes, calibration.plant(), nullptr, calibration.seconds);
             })
        .def("__setstate__", [](Calibration& calibration, const State& state) {
            const auto& [version, bytes, plant, none, seconds] = state;
            calibration::CalibratedField field =
                calibration::restore_calibrated_field(pickled_bytes(version, bytes));
            field.scenario = *plant->scenario;
            field.states = plant->states;
            new (&calibration) Calibration{std::move(field), seconds};
        });
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
                 return plant_of(std::make_shared<const Scenario>(reconstruction::with_mirrors(
                                     *reconstruction.start->scenario, reconstruction.mirrors)),
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
            nb::arg("file"))
        .def("__getstate__",
             [](const Reconstruction& fit) {
                 auto [version, bytes] = pickled_state(reconstruction::bytes_of(fit.mirrors));
                 return State(version, bytes, fit.start, fit.truth, fit.seconds);
             })
        .def("__setstate__", [](Reconstruction& fit, const State& state) {
            const auto& [version, bytes, start, truth, seconds] = state;
            new (&fit)
                Reconstruction{start,
                               truth,
                               reconstruction::restore_mirrors(pickled_bytes(version, bytes)),
                               seconds};
        });
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
