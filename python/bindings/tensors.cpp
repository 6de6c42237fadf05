// SPDX-License-Identifier: MIT
// Converts plants to the arrays of the Torch operators, and creates plants from changed arrays.
#include "python/bindings/tensors.h"

#include "raytracer/tracing/geometry/aiming.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/kinematics/record.h"
#include "raytracer/tracing/physical/records/target_rows.h"
#include "scenario/config/checks/checks.h"
#include "scenario/config/write_run_config.h"
#include "scenario/files/error.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/receivers/add_receivers.h"
#include "scenario/types/bent_surface.h"
#include "scenario/types/receivers.h"
#include "scenario/types/type_names.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/convert/arrays.h"
#include "python/bindings/convert/text.h"
#include "python/bindings/engine.h"
#include "python/bindings/plant.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace helioray::python {

namespace nb = nanobind;

namespace {

using Numbers = std::vector<double>;

/// Numbers of the pose of a rigid body; the columns of align() and orient().
constexpr size_t kPoseColumns = RecordColumns::drives;
/// Numbers of a drive in the order of orient().
constexpr size_t kDriveColumns = 7;
/// Numbers of an analytic facet in the order of set_facets().
constexpr size_t kFacetColumns = 11;

/// Returns the targets of a scenario that stand alone.
std::vector<Target> lone_targets(const Scenario& scenario) {
    std::vector<Target> lone;
    std::ranges::copy_if(scenario.targets, std::back_inserter(lone), [](const Target& target) {
        return target.receiver.empty();
    });
    return lone;
}

/// The targets of a plant as a field of tensors has them: those that stand alone, then the surfaces
/// of receivers, which its configuration describes.
class FieldRows {
  public:
    FieldRows() = default;
    FieldRows(const RunConfig& config, const Scenario& scenario) {
        for (const Receiver& receiver : scenario.receivers) {
            const auto configured = config.receivers.find(receiver.name);
            receivers_[receiver.name] = configured != config.receivers.end()
                                            ? configured->second
                                            : listed_receiver(scenario, receiver);
        }
        Scenario field;
        field.targets = lone_targets(scenario);
        RunConfig own;
        own.receivers = receivers_;
        add_receivers(own, field);
        const auto add = [&](bool are_surfaces) {
            for (const Target& target : field.targets)
                if (target.receiver.empty() != are_surfaces)
                    targets_.push_back(find_original(scenario, target));
        };
        add(false);
        add(true);
    }

    const std::map<std::string, ReceiverConfig>& receivers() const { return receivers_; }
    /// Returns the indices of the scenario's targets by row.
    const std::vector<size_t>& targets() const { return targets_; }
    /// Returns the row of a target.
    size_t row(size_t target) const {
        return static_cast<size_t>(std::ranges::find(targets_, target) - targets_.begin());
    }

  private:
    /// Returns the name of a surface without that of its receiver, which a configuration adds.
    static std::string own_name(const Target& surface) {
        const std::string above = surface.receiver + "_";
        return surface.name.starts_with(above) ? surface.name.substr(above.size()) : surface.name;
    }

    /// Returns a receiver of a scenario as a list of surfaces.
    static ReceiverConfig listed_receiver(const Scenario& scenario, const Receiver& receiver) {
        ReceiverConfig config;
        config.type = ReceiverConfig::Type::surfaces;
        config.aim_point = receiver.aim_point;
        for (const size_t i : find_surfaces(scenario.targets, receiver.name)) {
            config.surfaces.push_back(scenario.targets[i]);
            config.surfaces.back().name = own_name(scenario.targets[i]);
        }
        return config;
    }

    /// Returns the index of the target of the scenario that a target of the field is.
    static size_t find_original(const Scenario& scenario, const Target& target) {
        const auto found = std::ranges::find_if(scenario.targets, [&](const Target& other) {
            return other.receiver == target.receiver &&
                   (target.receiver.empty() ? other.name == target.name
                                            : own_name(other) == own_name(target));
        });
        return static_cast<size_t>(found - scenario.targets.begin());
    }

    std::map<std::string, ReceiverConfig> receivers_;
    std::vector<size_t> targets_;
};

/// Returns the configuration of a torch.classes.helioray.Field: the sections that it reads, with
/// targets by their rows and the sun shape of the scenario if the configuration has none.
std::string field_config(const RunConfig& config, const Scenario& scenario, const FieldRows& rows) {
    if (config.sun.clouds)
        throw InputError(Problem{place_of(config, "sun.clouds"),
                                 "clouds have no meaning for a field of tensors",
                                 "all of its heliostats receive the same irradiance",
                                 "remove them: sun={\"clouds\": None}"});
    if (!config.state.rows.empty())
        throw InputError(Problem{place_of(config, "state.file"),
                                 "a table of states has no meaning for a field of tensors",
                                 "its optics are the same for all heliostats",
                                 "remove it: state=None"});
    RunConfig field;
    field.sun.has_position = false;
    field.sun.dni = config.sun.dni;
    // The points of a table belong to the text, so that it is valid without the table's file.
    field.sun.shape = effective_sun_shape(config.sun, scenario);
    field.optics = config.optics;
    for (const auto& [name, extras] : config.targets)
        field.targets[std::to_string(rows.row(scenario.find_target(name).value()))] = extras;
    field.receivers = rows.receivers();
    field.obstacles = config.obstacles;
    field.tracing = config.tracing;
    field.bitmap = config.bitmap;
    return field_config_text(field);
}

/// Returns the control points of all facets in the mirror's frame, [F, nu, nv, 3].
Numbers placed_points(const Surface& surface) {
    Numbers points;
    const bool is_placed = surface.is_fitted();
    for (const Facet& facet : surface.facets) {
        const std::array<Vec3, 3> axes = canting_axes(facet);
        for (size_t i = 0; i + 2 < facet.control_points.size(); i += 3) {
            const Vec3 own{
                facet.control_points[i], facet.control_points[i + 1], facet.control_points[i + 2]};
            const Vec3 placed = is_placed ? own : along_axes(facet.translation, axes, own);
            points.insert(points.end(), placed.begin(), placed.end());
        }
    }
    return points;
}

/// Returns the rows of set_facets(): kind, focal length, translation, half extents along e and n.
Numbers facet_rows(const Surface& surface) {
    Numbers rows;
    for (const Facet& facet : surface.facets) {
        const double kind = facet.shape == FacetShape::flat         ? 0.0
                            : facet.shape == FacetShape::paraboloid ? 1.0
                                                                    : 2.0;
        rows.push_back(kind);
        rows.push_back(facet.shape == FacetShape::flat ? 0.0 : facet.focal_length);
        for (const Vec3& vector : {facet.translation, facet.canting_e, facet.canting_n})
            rows.insert(rows.end(), vector.begin(), vector.end());
    }
    return rows;
}

/// Properties that all mirrors of one tensor share: number of facets, control points along u and v,
/// degrees.
using Layout = std::array<int64_t, 5>;

/// Returns the layout of a mirror; for analytic facets all entries are 0 except the number of
/// facets.
Layout find_layout(const Heliostat& heliostat) {
    const std::vector<Facet>& facets = heliostat.surface->facets;
    const std::string problem = find_rigidity_problem(*heliostat.surface);
    if (!problem.empty()) {
        throw InputError(Problem{"heliostats/" + heliostat.name + "/surface",
                                 problem,
                                 "tensors describe rigid mirrors of rectangular facets",
                                 "trace the plant itself, for example with hr.trace()"});
    }
    const auto layout = [&](const Facet& facet) {
        Layout found{std::ssize(facets), 0, 0, 0, 0};
        if (facet.shape == FacetShape::bspline)
            found = {std::ssize(facets),
                     facet.num_control_points[0],
                     facet.num_control_points[1],
                     facet.degrees[0],
                     facet.degrees[1]};
        return found;
    };
    const Layout first = layout(facets.front());
    for (const Facet& facet : facets) {
        if (layout(facet) == first) continue;
        throw InputError(Problem{"heliostats/" + heliostat.name + "/surface",
                                 "its facets are of several kinds or sizes",
                                 "the facets of a mirror are rows of one tensor",
                                 ""});
    }
    return first;
}

nb::dict collect_mirrors(const Scenario& scenario,
                         const Layout& layout,
                         const std::vector<size_t>& heliostats) {
    const Surface* const first = scenario.heliostats[heliostats.front()].surface.get();
    const bool is_shared = std::all_of(heliostats.begin(), heliostats.end(), [&](size_t heliostat) {
        return scenario.heliostats[heliostat].surface.get() == first;
    });
    const size_t count = is_shared ? 1 : heliostats.size();
    const bool is_spline = layout[1] > 0;
    Numbers numbers;
    for (size_t i = 0; i < count; ++i) {
        const Surface& surface = *scenario.heliostats[heliostats[i]].surface;
        const Numbers own = is_spline ? placed_points(surface) : facet_rows(surface);
        numbers.insert(numbers.end(), own.begin(), own.end());
    }
    nb::dict mirrors;
    mirrors["heliostats"] =
        make_array(std::vector<int64_t>(heliostats.begin(), heliostats.end()), {heliostats.size()});
    const auto facets = static_cast<size_t>(layout[0]);
    if (is_spline) {
        mirrors["control_points"] = make_array(
            std::move(numbers),
            {count, facets, static_cast<size_t>(layout[1]), static_cast<size_t>(layout[2]), 3});
        mirrors["degrees"] = nb::make_tuple(layout[3], layout[4]);
    } else {
        mirrors["facets"] = make_array(std::move(numbers), {count, facets, kFacetColumns});
    }
    return mirrors;
}

nb::list all_mirrors(const Scenario& scenario) {
    std::map<Layout, std::vector<size_t>> groups;
    for (size_t i = 0; i < scenario.heliostats.size(); ++i)
        groups[find_layout(scenario.heliostats[i])].push_back(i);
    nb::list mirrors;
    for (const auto& [layout, heliostats] : groups)
        mirrors.append(collect_mirrors(scenario, layout, heliostats));
    return mirrors;
}

/// Returns a drive in the order of orient().
std::array<double, kDriveColumns> drive_row(const DriveRecord& drive) {
    return {drive.is_linear ? 1.0 : 0.0,
            drive.clockwise ? 1.0 : 0.0,
            drive.increment,
            drive.offset,
            drive.pivot_radius,
            drive.initial_stroke,
            drive.initial_angle};
}

std::vector<KinematicsRecord> all_records(const Scenario& scenario) {
    std::vector<size_t> everyone(scenario.heliostats.size());
    std::iota(everyone.begin(), everyone.end(), size_t{0});
    return kinematics_records(scenario, everyone);
}

void add_kinematics(const Scenario& scenario, nb::dict& arrays) {
    const size_t count = scenario.heliostats.size();
    Numbers parameters, drives;
    nb::list kinds;
    for (const KinematicsRecord& record : all_records(scenario)) {
        kinds.append(to_string(record.type));
        converted_record<double>(record, [&](size_t column, double number) {
            if (column < kPoseColumns) parameters.push_back(number);
            return number;
        });
        for (const DriveRecord& drive : record.drives) {
            const auto row = drive_row(drive);
            drives.insert(drives.end(), row.begin(), row.end());
        }
    }
    arrays["kinematics"] = kinds;
    arrays["parameters"] = make_array(std::move(parameters), {count, kPoseColumns});
    arrays["drives"] = make_array(std::move(drives), {count, 2, kDriveColumns});
}

/// Adds the active heliostats: their index, target, aim point, and motor positions (NaN: aims at
/// its point).
void add_aims(const std::vector<Aim>& aims, const FieldRows& rows, nb::dict& arrays) {
    std::vector<int64_t> heliostats, targets;
    Numbers points, motors;
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    for (const Aim& aim : aims) {
        heliostats.push_back(static_cast<int64_t>(aim.heliostat));
        targets.push_back(static_cast<int64_t>(rows.row(aim.target)));
        points.insert(points.end(), aim.point.begin(), aim.point.end());
        const auto own = aim.motor_positions.value_or(std::array{kNone, kNone});
        motors.insert(motors.end(), own.begin(), own.end());
    }
    const size_t count = aims.size();
    arrays["active"] = make_array(std::move(heliostats), {count});
    arrays["served"] = make_array(std::move(targets), {count});
    arrays["aim_points"] = make_array(std::move(points), {count, 3});
    arrays["motor_positions"] = make_array(std::move(motors), {count, 2});
}

/// Adds the names of all targets, and the rows of those that stand alone.
void add_targets(const Scenario& scenario, const FieldRows& rows, nb::dict& arrays) {
    nb::list names;
    Numbers numbers;
    size_t count = 0;
    for (const size_t target : rows.targets()) {
        names.append(scenario.targets[target].name);
        if (!scenario.targets[target].receiver.empty()) continue;
        const physical::TargetRow row = physical::target_row(scenario.targets[target].geometry);
        numbers.insert(numbers.end(), row.begin(), row.end());
        ++count;
    }
    arrays["target_names"] = names;
    arrays["targets"] = make_array(std::move(numbers), {count, physical::TargetColumns::count});
}

nb::dict tensors(const Source& source) {
    RunConfig config;
    PlantPtr plant;
    std::vector<Aim> aims;
    std::string text;
    FieldRows rows;
    with_files([&] {
        DraftRunConfig draft = draft_config(source, SunPositions::optional);
        if (!draft.problems.empty()) throw InputError(std::move(draft.problems));
        config = std::move(draft.config);
        plant = source.plant;
        if (!plant) {
            Plant read;
            read.scenario = std::make_shared<const Scenario>(read_scenario(config));
            read.file = config.scenario.string();
            plant = std::make_shared<const Plant>(std::move(read));
        } else if (!config.receivers.empty()) {
            Plant extended = *plant;
            extended.scenario = with_receivers(config, plant->scenario);
            plant = std::make_shared<const Plant>(std::move(extended));
        }
        check_against_scenario(config, *plant->scenario);
        aims = resolve_aims(config.aim, *plant->scenario);
        if (find_mesh(plant->scenario->targets) != nullptr)
            throw InputError(
                Problem{place_of(config, "receivers"),
                        "a surface of a receiver is a mesh",
                        "the pixels of a tensor's map have equal areas, and light on a mesh has no "
                        "derivatives",
                        "describe the receiver by planes, cylinders, cones and spheres"});
        rows = FieldRows(config, *plant->scenario);
        text = field_config(config, *plant->scenario, rows);
    });
    const Scenario& scenario = *plant->scenario;
    nb::dict arrays;
    arrays["plant"] = plant;
    arrays["config"] = text;
    arrays["sun"] = nb::none();
    if (config.sun.has_position && !config.sun.series) {
        const Vec3 sun = direction_to_sun(config.sun, scenario.position);
        arrays["sun"] = make_array(Numbers(sun.begin(), sun.end()), {3});
    }
    add_kinematics(scenario, arrays);
    add_aims(aims, rows, arrays);
    add_targets(scenario, rows, arrays);
    arrays["mirrors"] = all_mirrors(scenario);
    return arrays;
}

// The conversion from arrays back to plants

using Array = nb::ndarray<const double, nb::numpy, nb::c_contig>;

/// Returns the numbers of an array with `count` of them. Throws InputError for other sizes.
std::span<const double> read_numbers(const Array& array, size_t count, const std::string& what) {
    const std::span<const double> numbers(array.data(), array.size());
    if (numbers.size() != count)
        throw InputError(Problem{"tensors." + what,
                                 "has " + std::to_string(numbers.size()) + " numbers",
                                 "the plant has " + std::to_string(count),
                                 "begin with plant.tensors()"});
    if (!std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }))
        throw InputError(Problem{"tensors." + what, "has values that are not finite", "", ""});
    return numbers;
}

Kinematics with_parameters(Kinematics kinematics, const double* row) {
    KinematicsDeviations& to = kinematics.deviations;
    for (size_t i = 0; i < 3; ++i) {
        to.first_joint_translation[i] = row[3 + i];
        to.second_joint_translation[i] = row[6 + i];
        to.concentrator_translation[i] = row[9 + i];
    }
    to.first_joint_tilt_n = row[12];
    to.first_joint_tilt_u = row[13];
    to.second_joint_tilt_e = row[14];
    to.second_joint_tilt_n = row[15];
    return kinematics;
}

/// Returns the drive with the numbers of `row`, in the order of drive_row(). Ideal drives are
/// unchanged.
Actuator with_drive(Actuator drive, const double* row, bool counts_from_flat) {
    if (drive.type != ActuatorType::linear) return drive;
    drive.increment = row[2];
    drive.offset = row[3];
    drive.pivot_radius = row[4];
    drive.initial_stroke_length = row[5];
    // Files store this angle, see kinematics_records().
    drive.initial_angle = row[6] + (counts_from_flat ? std::numbers::pi / 2 : 0.0);
    return drive;
}

/// Returns the same pointer if the value is unchanged, so that heliostats continue to share it.
template <typename T>
std::shared_ptr<const T> shared_unless_changed(const std::shared_ptr<const T>& old, T changed) {
    return changed == *old ? old : std::make_shared<const T>(std::move(changed));
}

void set_kinematics(Scenario& scenario, const Array& parameters, const Array& drives) {
    const size_t count = scenario.heliostats.size();
    const double* pose = read_numbers(parameters, kPoseColumns * count, "parameters").data();
    const double* axes = read_numbers(drives, 2 * kDriveColumns * count, "drives").data();
    const std::vector<KinematicsRecord> records = all_records(scenario);
    for (size_t i = 0; i < count; ++i) {
        Heliostat& heliostat = scenario.heliostats[i];
        heliostat.position = {pose[0], pose[1], pose[2]};
        heliostat.kinematics = shared_unless_changed(heliostat.kinematics,
                                                     with_parameters(*heliostat.kinematics, pose));
        ActuatorPair pair = *heliostat.actuators;
        const bool is_rigid = heliostat.kinematics->type == KinematicsType::rigid_body;
        for (size_t axis = 0; axis < 2; ++axis) {
            const double* row = axes + axis * kDriveColumns;
            // An unchanged drive keeps the last bits of its angle.
            const auto old = drive_row(records[i].drives[axis]);
            if (std::equal(old.begin(), old.end(), row)) continue;
            pair[axis] = with_drive(pair[axis], row, is_rigid && axis == 0);
        }
        heliostat.actuators = shared_unless_changed(heliostat.actuators, std::move(pair));
        pose += kPoseColumns;
        axes += 2 * kDriveColumns;
    }
}

/// Returns the surface with new rows: those of facet_rows(), or the control points of
/// placed_points().
Surface with_rows(Surface surface, const double* rows) {
    const bool is_spline = surface.facets.front().shape == FacetShape::bspline;
    for (Facet& facet : surface.facets) {
        if (is_spline) {
            std::copy_n(rows, facet.control_points.size(), facet.control_points.begin());
            rows += facet.control_points.size();
        } else {
            facet.focal_length = rows[1];
            facet.translation = {rows[2], rows[3], rows[4]};
            facet.canting_e = {rows[5], rows[6], rows[7]};
            facet.canting_n = {rows[8], rows[9], rows[10]};
            rows += kFacetColumns;
        }
    }
    // A flat spline would be mistaken for one in the frame of its facet.
    if (is_spline && !surface.is_fitted()) surface.facets[0].control_points[2] = 1e-9;
    return surface;
}

/// Sets one group of mirrors. `rows` has one row for all heliostats or one for each.
void set_mirrors(Scenario& scenario, const std::vector<int64_t>& heliostats, const Array& rows) {
    std::shared_ptr<const Surface> last;
    const Surface* made_from = nullptr;
    const double* numbers = rows.data();
    for (size_t i = 0; i < heliostats.size(); ++i) {
        Heliostat& heliostat = scenario.heliostats.at(static_cast<size_t>(heliostats[i]));
        const bool is_spline = find_layout(heliostat)[1] > 0;
        const Numbers old =
            is_spline ? placed_points(*heliostat.surface) : facet_rows(*heliostat.surface);
        if (i == 0) {
            const bool is_shared = rows.size() == old.size();
            read_numbers(rows, is_shared ? old.size() : old.size() * heliostats.size(), "mirrors");
        }
        const bool is_shared = rows.size() == old.size();
        const double* own = numbers + (is_shared ? 0 : i * old.size());
        if (std::equal(old.begin(), old.end(), own)) continue;
        const bool is_known = is_shared && made_from == heliostat.surface.get() && last;
        if (!is_known) {
            made_from = heliostat.surface.get();
            last = std::make_shared<const Surface>(with_rows(*heliostat.surface, own));
        }
        heliostat.surface = last;
    }
}

PlantPtr with_tensors(const Plant& plant,
                      const Array& parameters,
                      const Array& drives,
                      const std::vector<std::pair<std::vector<int64_t>, Array>>& mirrors) {
    Scenario scenario = *plant.scenario;
    set_kinematics(scenario, parameters, drives);
    for (const auto& [heliostats, rows] : mirrors) {
        for (const int64_t heliostat : heliostats) {
            if (heliostat >= 0 && heliostat < std::ssize(scenario.heliostats)) continue;
            throw InputError(Problem{"tensors.mirrors",
                                     "there is no heliostat " + std::to_string(heliostat),
                                     "they are rows of plant.heliostats",
                                     ""});
        }
        set_mirrors(scenario, heliostats, rows);
    }
    return with_files([&] { return checked_plant(scenario, plant, "tensors.plant"); });
}

}  // namespace

void bind_tensors(nb::module_& m) {
    m.def("tensors", &tensors, nb::arg("source"));
    m.def("with_tensors",
          &with_tensors,
          nb::arg("plant"),
          nb::arg("parameters"),
          nb::arg("drives"),
          nb::arg("mirrors"));
}

}  // namespace helioray::python
