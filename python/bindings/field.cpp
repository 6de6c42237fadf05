// SPDX-License-Identifier: MIT
// A field that is prepared once and then updated, for loops of many traces.
#include "raytracer/run/device.h"
#include "raytracer/run/trace.h"
#include "raytracer/tracing/geometry/aiming.h"
#include "raytracer/tracing/physical/physical_job.h"
#include "raytracer/tracing/physical/prepared_field.h"
#include "scenario/config/checks/checks.h"
#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/receivers/add_receivers.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/convert/text.h"
#include "python/bindings/engine.h"
#include "python/bindings/plant.h"
#include "python/bindings/trace.h"
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray::python {

namespace nb = nanobind;

namespace {

/// Throws RuntimeError if two threads use one field at the same time.
class InUse {
  public:
    explicit InUse(std::atomic<bool>& flag) : flag_(flag) {
        if (flag_.exchange(true))
            throw std::runtime_error("another thread uses this field; give each thread its own");
    }
    ~InUse() { flag_ = false; }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

  private:
    std::atomic<bool>& flag_;
};

/// A prepared field.
class Field {
  public:
    Field(const Source& source, const Call& call) {
        run_long(call, [&](const run::Options& options) {
            const FileLock lock(options);
            DraftRunConfig draft = draft_config(source);
            if (!draft.problems.empty()) throw InputError(std::move(draft.problems));
            config_ = std::move(draft.config);
            check(source);
            scenario_ = source.plant && source.file.empty()
                            ? with_receivers(config_, source.plant->scenario)
                            : std::make_shared<const Scenario>(read_scenario(config_));
            check_against_scenario(config_, *scenario_);
            device_ = run::choose_device(config_.device, config_.tracing.model);
            aims_.resize(scenario_->heliostats.size());
            for (const Aim& aim : resolve_aims(config_.aim, *scenario_))
                aims_[aim.heliostat] = {aim, true};
            dni_ = config_.sun.dni;
            job_ = physical::make_physical_job(config_, *scenario_, choose_num_threads(call));
            for (const std::string& warning : job_->warnings())
                write(options.log, run::LogLevel::warning, warning);
        });
    }

    /// Sets the sun by angles in degrees. Without `dni` and `temperature_c` the irradiance and the
    /// temperature of the air stay unchanged.
    void set_sun(double azimuth_deg,
                 double elevation_deg,
                 std::optional<double> dni,
                 std::optional<double> temperature_c) {
        std::vector<Problem> problems;
        const auto check = [&](const char* what, double value, const Range& range) {
            if (range.contains(value)) return;
            problems.push_back({std::string("field.set_sun: ") + what,
                                std::to_string(value) + " is not " + range.sentence(),
                                range.why,
                                ""});
        };
        check("azimuth_deg", azimuth_deg, kBearings);
        check("elevation_deg", elevation_deg, kElevationsByDay);
        check("dni", dni.value_or(dni_), kIrradiances);
        if (temperature_c) check("temperature_c", *temperature_c, kTemperatures);
        if (!problems.empty()) throw InputError(std::move(problems));
        dni_ = dni.value_or(dni_);
        SunConfig sun;
        sun.position =
            SunAngles{azimuth_deg * kRadiansPerDegree, elevation_deg * kRadiansPerDegree, {}};
        const Vec3 direction = direction_to_sun(sun, scenario_->position);
        change([&](physical::PreparedField& field) {
            field.set_sun(direction, dni_);
            if (temperature_c) field.set_temperature(*temperature_c);
        });
    }

    using Point = std::array<double, 3>;

    /// Sets aim points in metres by the names of heliostats. A target's name replaces the present
    /// target of the heliostats.
    void set_aim(const std::vector<std::pair<std::string, Point>>& points,
                 const std::optional<std::string>& target) {
        std::vector<Aim> aims;
        std::vector<Problem> problems;
        for (const auto& [name, point] : points) {
            const auto heliostat = scenario_->find_heliostat(name);
            if (!heliostat) {
                problems.push_back(
                    {"field.set_aim", "there is no heliostat '" + name + "'", "", ""});
                continue;
            }
            if (!std::isfinite(point[0]) || !std::isfinite(point[1]) || !std::isfinite(point[2]))
                problems.push_back(
                    {"field.set_aim: " + name, "the aim point is not finite", "", ""});
            Aim aim{*heliostat, 0, point, std::nullopt};
            if (target) {
                const auto found = scenario_->find_target(*target);
                if (!found)
                    problems.push_back(
                        {"field.set_aim", "there is no target '" + *target + "'", "", ""});
                aim.target = found.value_or(0);
            } else if (const std::optional<Aim> known = known_aim(*heliostat)) {
                aim.target = known->target;
            } else {
                problems.push_back({"field.set_aim: " + name,
                                    "the heliostat has no target",
                                    "neither the configuration nor an earlier call names one",
                                    "pass target=..."});
            }
            aims.push_back(aim);
        }
        if (!problems.empty()) throw InputError(std::move(problems));
        change([&](physical::PreparedField& field) {
            for (const Aim& aim : aims) {
                aims_[aim.heliostat] = {aim, true};
                field.set_aim(aim);
            }
        });
    }

    /// Makes exactly these heliostats inactive; the others return to their last aim.
    void set_inactive(const std::vector<std::string>& names) {
        std::vector<bool> is_active(aims_.size(), true);
        std::vector<Problem> problems;
        for (const std::string& name : names) {
            const auto heliostat = scenario_->find_heliostat(name);
            if (!heliostat) {
                problems.push_back(
                    {"field.set_inactive", "there is no heliostat '" + name + "'", "", ""});
                continue;
            }
            is_active[*heliostat] = false;
        }
        std::vector<Aim> turned_on;
        for (size_t i = 0; i < aims_.size(); ++i) {
            if (!is_active[i] || aims_[i].is_active) continue;
            if (const std::optional<Aim> aim = known_aim(i)) {
                turned_on.push_back(*aim);
                continue;
            }
            problems.push_back({"field.set_inactive",
                                "heliostat '" + scenario_->heliostats[i].name +
                                    "' would be turned on, but it has no target",
                                "every heliostat that is not in the list is active",
                                "add it to the list, or aim it with field.set_aim first"});
        }
        if (!problems.empty()) throw InputError(std::move(problems));
        change([&](physical::PreparedField& field) {
            for (const Aim& aim : turned_on) {
                aims_[aim.heliostat] = {aim, true};
                field.set_aim(aim);
            }
            for (size_t i = 0; i < aims_.size(); ++i) {
                if (is_active[i] || !aims_[i].is_active) continue;
                aims_[i].is_active = false;
                field.set_inactive(i);
            }
        });
    }

    RunResult trace(const Call& call) {
        const InUse in_use(in_use_);
        if (job_->num_units() == 0)
            throw InputError(Problem{"field.trace",
                                     "no heliostat is active",
                                     "nothing would be traced",
                                     "turn some on by field.set_inactive or field.set_aim"});
        std::optional<RunResult> result;
        run_long(call, [&](const run::Options& options) {
            // An interrupted trace leaves sums behind.
            if (!is_fresh_) job_->change([](physical::PreparedField&) {}, choose_num_threads(call));
            is_fresh_ = false;
            run::Session session(
                [&] {
                    run::PreparedRun run;
                    run.config = config_;
                    run.scenario = scenario_;
                    run.device = device_;
                    return run;
                },
                options);
            result = close_with_result(session, run::trace(session, *job_));
        });
        return std::move(*result);
    }

    std::vector<std::string> warnings() const { return job_->warnings(); }

    /// Returns the names of all heliostats, active or not.
    std::vector<std::string> heliostats() const {
        std::vector<std::string> names;
        for (const Heliostat& heliostat : scenario_->heliostats) names.push_back(heliostat.name);
        return names;
    }

  private:
    void check(const Source& source) const {
        if (config_.sun.series)
            throw InputError(Problem{source.caller,
                                     "the configuration has several positions of the sun",
                                     "a prepared field has one at a time",
                                     "begin with one, and call field.set_sun for the others"});
        if (config_.tracing.model != Model::physical)
            throw InputError(Problem{place_of(config_, "tracing.model"),
                                     "only model physical can be prepared once",
                                     "",
                                     "choose tracing.model: physical, or call helioray.trace"});
        check_supported(config_);
    }

    /// Returns the last aim of a heliostat, or the one it would have if the configuration turned it
    /// on. Returns nothing if its target is not known.
    std::optional<Aim> known_aim(size_t heliostat) const {
        if (aims_[heliostat].aim) return aims_[heliostat].aim;
        const std::string& name = scenario_->heliostats[heliostat].name;
        AimConfig alone = config_.aim;
        HeliostatAim& own = alone.heliostats[name];
        if (!own.target && !alone.target) return std::nullopt;
        own.active = true;
        alone.active = std::vector<std::string>{name};
        return resolve_aims(alone, *scenario_).front();
    }

    void change(const std::function<void(physical::PreparedField&)>& change) {
        const Unlocked unlocked;
        const InUse in_use(in_use_);
        job_->change(change, run::threads_of_rank(LaunchInfo{}));
        is_fresh_ = true;
    }

    /// The last aim of a heliostat, if it has had one.
    struct KnownAim {
        std::optional<Aim> aim;
        bool is_active = false;
    };

    RunConfig config_;
    std::shared_ptr<const Scenario> scenario_;
    run::DeviceChoice device_;
    std::vector<KnownAim> aims_;  ///< by heliostat
    double dni_ = 0.0;
    std::unique_ptr<physical::FieldJob> job_;
    std::atomic<bool> in_use_{false};
    bool is_fresh_ = true;  ///< true if no ray has been traced since the last change
};

}  // namespace

void bind_field(nb::module_& m) {
    nb::class_<Field>(m, "Field", "A prepared field.")
        .def(nb::init<const Source&, const Call&>(), nb::arg("source"), nb::arg("call"))
        .def("set_sun",
             &Field::set_sun,
             nb::arg("azimuth_deg"),
             nb::arg("elevation_deg"),
             nb::arg("dni").none(),
             nb::arg("temperature_c").none())
        .def("set_aim", &Field::set_aim, nb::arg("points"), nb::arg("target").none())
        .def("set_inactive", &Field::set_inactive, nb::arg("names"))
        .def("trace", &Field::trace, nb::arg("call"))
        .def_prop_ro("heliostats", &Field::heliostats)
        .def_prop_ro("warnings", &Field::warnings);
}

}  // namespace helioray::python
