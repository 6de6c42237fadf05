// SPDX-License-Identifier: MIT
// Builds fields from positions, mirrors and the receiver.
#include "scenario/import/field/build_field.h"

#include "scenario/files/csv.h"
#include "scenario/files/error.h"
#include "scenario/files/number_text.h"
#include "scenario/import/field/heliostat_surfaces.h"
#include "scenario/import/field/layouts.h"
#include "scenario/receivers/add_receivers.h"
#include "scenario/receivers/panels.h"
#include "scenario/types/receivers.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace helioray {

namespace {

/// Returns the centre of a receiver: on the tower's axis, or before it by the offset.
Vec3 receiver_center(const FieldTemplate& field, double azimuth) {
    const Vec3 on_axis{
        field.tower.position[0], field.tower.position[1], field.tower.optical_height};
    return add(on_axis, scaled(field.receiver.offset, bearing_direction(azimuth)));
}

}  // namespace

Target receiver_target(const FieldTemplate& field) {
    const ReceiverTemplate& receiver = field.receiver;
    const Vec3 center = receiver_center(field, receiver.azimuth);
    const Vec3 normal = tilted_normal(receiver.azimuth, receiver.tilt);
    Target target{receiver.name, {}};
    switch (receiver.type) {
        case ReceiverTemplate::Type::plane:
            target.geometry = PlanarTarget{center, normal, receiver.width, receiver.height};
            break;
        case ReceiverTemplate::Type::cylinder: {
            CylindricalTarget cylinder;
            cylinder.center = center;
            cylinder.normal = bearing_direction(receiver.azimuth);
            cylinder.radius = receiver.radius;
            cylinder.height = receiver.height;
            cylinder.opening_angle = 2.0 * std::numbers::pi;
            target.geometry = cylinder;
            break;
        }
        case ReceiverTemplate::Type::disc:
            target.geometry = DiscTarget{center, normal, receiver.radius};
            break;
        default:
            break;
    }
    return target;
}

namespace {

constexpr double kSunHalfAngle = 4.65e-3;  // radians

/// Components of the heliostats of one type.
struct TypeParts {
    SurfaceStore surfaces;
    std::shared_ptr<const Kinematics> kinematics;
};

/// Returns the components of every type, or of the only heliostat.
std::vector<TypeParts> make_parts(const FieldTemplate& field) {
    const auto make = [](const HeliostatTemplate& heliostat) {
        return TypeParts{SurfaceStore(heliostat),
                         azimuth_elevation_kinematics(heliostat.mirror_offset)};
    };
    if (field.types.empty()) return {make(field.heliostat)};
    std::vector<TypeParts> parts;
    for (const HeliostatType& type : field.types) parts.push_back(make(type.heliostat));
    return parts;
}

/// Returns the shape of a heliostat's mirror with the lengths of its row in a table.
MirrorShape place_shape(const HeliostatTemplate& heliostat,
                        const HeliostatPlace& place,
                        const Vec3& aim) {
    MirrorShape shape = mirror_shape(heliostat, place.pivot, aim);
    if (place.focal_lengths && heliostat.facet_shape != FacetShape::flat)
        shape.focal_lengths = place.focal_lengths;
    if (place.canting_distance) shape.canting = on_axis_canting(*place.canting_distance);
    return shape;
}

/// Reports sizes, numbers of different mirrors and distances from the tower.
void report_mirrors(const FieldTemplate& field,
                    const std::vector<HeliostatPlace>& places,
                    const std::vector<TypeParts>& parts,
                    std::vector<std::string>& report) {
    double total = 0.0;
    for (size_t type = 0; type < parts.size(); ++type) {
        const HeliostatTemplate& heliostat =
            field.types.empty() ? field.heliostat : field.types[type].heliostat;
        const double area = heliostat.width * heliostat.height;
        size_t count = 0;
        double nearest = std::numeric_limits<double>::infinity();
        double farthest = 0.0;
        for (const HeliostatPlace& place : places) {
            if (place.type.value_or(0) != type) continue;
            ++count;
            const double distance = std::hypot(place.pivot[0] - field.tower.position[0],
                                               place.pivot[1] - field.tower.position[1]);
            nearest = std::min(nearest, distance);
            farthest = std::max(farthest, distance);
        }
        total += area * static_cast<double>(count);
        const std::string name =
            field.types.empty() ? "" : fmt::format("type {}: ", field.types[type].name);
        if (count == 0) {
            report.push_back(name + "no heliostat");
            continue;
        }
        std::string distances = significant(nearest, 3);
        if (significant(farthest, 3) != distances) distances += " to " + significant(farthest, 3);
        report.push_back(fmt::format("{}{} of {} x {} m with {}, {} m from the tower",
                                     name,
                                     counted(count, "heliostat"),
                                     heliostat.width,
                                     heliostat.height,
                                     counted(parts[type].surfaces.size(), "different mirror"),
                                     distances));
        if (field.types.empty())
            report.push_back(fmt::format(
                "outer dimensions cover {:.1f} m2 each, {:.0f} m2 in all", area, total));
    }
    if (!field.types.empty())
        report.push_back(fmt::format("outer dimensions cover {:.0f} m2 in all", total));
}

/// A receiver around the tower.
struct PlacedReceiver {
    std::string name;
    double azimuth = 0.0;  ///< direction from the tower, radians clockwise from north
};

/// Adds the receivers of several surfaces, one for each of their directions, and returns them.
std::vector<PlacedReceiver> add_several(const FieldTemplate& field, Scenario& scenario) {
    std::vector<PlacedReceiver> placed;
    const ReceiverTemplate& receiver = field.receiver;
    if (!receiver.several) return placed;
    for (size_t i = 0; i < receiver.azimuths.size(); ++i)
        placed.push_back({fmt::format("{}_{}", receiver.name, i + 1), receiver.azimuths[i]});
    if (placed.empty()) placed.push_back({receiver.name, receiver.azimuth});
    for (const PlacedReceiver& own : placed) {
        ReceiverConfig several = *receiver.several;
        several.azimuth = own.azimuth;
        several.center = receiver_center(field, own.azimuth);
        add_receiver(own.name, several, scenario);
    }
    return placed;
}

/// Returns the receiver whose direction from the tower is nearest to that of a heliostat.
const PlacedReceiver& facing_receiver(const std::vector<PlacedReceiver>& placed,
                                      const FieldTemplate& field,
                                      const Vec3& pivot) {
    const double bearing =
        std::atan2(pivot[0] - field.tower.position[0], pivot[1] - field.tower.position[1]);
    return *std::max_element(
        placed.begin(), placed.end(), [&](const PlacedReceiver& a, const PlacedReceiver& b) {
            return std::cos(a.azimuth - bearing) < std::cos(b.azimuth - bearing);
        });
}

MadeField build(const FieldTemplate& field,
                std::vector<HeliostatPlace> places,
                std::vector<std::string> report) {
    // Scenarios list heliostats by name.
    std::sort(places.begin(), places.end(), [](const HeliostatPlace& a, const HeliostatPlace& b) {
        return a.name < b.name;
    });
    MadeField made;
    Scenario& scenario = made.scenario;
    scenario.position = field.site.value_or(GeodeticPosition{});
    const std::vector<PlacedReceiver> receivers = add_several(field, scenario);
    if (receivers.empty()) scenario.targets = {receiver_target(field)};
    scenario.light_sources = {{"sun", 10, 0.0, PillboxShape{kSunHalfAngle}}};
    if (receivers.size() < 2) made.run.aim.target = field.receiver.name;

    std::vector<TypeParts> parts = make_parts(field);
    const auto drives = azimuth_elevation_drives();
    size_t inactive = 0, own_aims = 0;
    std::vector<std::string> active;
    for (const HeliostatPlace& place : places) {
        const auto usual_aim = [&] {
            if (receivers.empty()) return default_aim_point(scenario.targets.front(), place.pivot);
            const std::string& name = facing_receiver(receivers, field, place.pivot).name;
            if (receivers.size() > 1) made.run.aim.heliostats[place.name].target = name;
            return receiver_aim_point(
                scenario.targets, scenario.receivers[*scenario.find_receiver(name)], place.pivot);
        };
        const Vec3 usual = usual_aim();
        const Vec3 aim = place.aim.value_or(usual);
        TypeParts& type = parts[place.type.value_or(0)];
        Heliostat heliostat;
        heliostat.name = place.name;
        heliostat.id = static_cast<int64_t>(scenario.heliostats.size());
        heliostat.position = place.pivot;
        heliostat.surface =
            type.surfaces.get(place_shape(find_heliostat(field, place.type), place, aim));
        heliostat.kinematics = type.kinematics;
        heliostat.actuators = drives;
        scenario.heliostats.push_back(std::move(heliostat));
        if (place.aim) {
            made.run.aim.heliostats[place.name].point = place.aim;
            ++own_aims;
        }
        inactive += !place.enabled;
        if (place.enabled) active.push_back(place.name);
    }
    if (inactive > 0) made.run.aim.active = active;
    const Heliostat& first = scenario.heliostats.front();
    scenario.prototypes = {first.surface, first.kinematics, drives};

    if (field.tower.height) {
        const Vec3 base{field.tower.position[0], field.tower.position[1], 0.0};
        made.run.obstacles.push_back(
            {"tower", CylinderObstacle{base, {0, 0, 1}, *field.tower.radius, *field.tower.height}});
        report.push_back(
            "the tower's body is no part of a scenario: a run configuration (--config) has it as "
            "an "
            "obstacle");
    }
    if (receivers.size() > 1)
        report.push_back(
            "the receivers at which heliostats aim are no part of a scenario; a run configuration "
            "(--config) has them");
    if (own_aims > 0)
        report.push_back(fmt::format(
            "aim points of {} are no part of a scenario; a run configuration (--config) has them",
            counted(own_aims, "heliostat")));
    if (inactive > 0)
        report.push_back(fmt::format(
            "not enabled: {} of the heliostats; a run configuration (--config) lists the "
            "others as active",
            inactive));
    report.push_back("sun assumed to be a pillbox of 4.65 mrad");
    report_mirrors(field, places, parts, report);
    made.report = std::move(report);
    return made;
}

std::vector<Vec3> collect_pivots(const std::vector<HeliostatPlace>& places) {
    std::vector<Vec3> pivots;
    pivots.reserve(places.size());
    for (const HeliostatPlace& place : places) pivots.push_back(place.pivot);
    return pivots;
}

void refuse_collisions(const FieldTemplate& field, const std::vector<HeliostatPlace>& places) {
    constexpr size_t kMostNamed = 5;
    const double apart = min_distance(field);
    // Rings and rows have exactly this distance, up to rounding.
    const std::vector<TooClose> pairs = too_close(collect_pivots(places), apart * (1.0 - 1e-9));
    std::vector<Problem> problems;
    for (size_t i = 0; i < std::min(pairs.size(), kMostNamed); ++i) {
        problems.push_back(
            {"layout",
             fmt::format("heliostats {} and {} stand {:.3f} m apart, closer than {:.3f} m",
                         places[pairs[i].first].name,
                         places[pairs[i].second].name,
                         pairs[i].distance,
                         apart),
             "they could collide",
             "widen the spacing, or state layout.min_distance_m"});
    }
    if (pairs.size() > kMostNamed)
        problems.push_back({"layout",
                            fmt::format("{} more pairs stand too close", pairs.size() - kMostNamed),
                            "",
                            ""});
    if (!problems.empty()) throw InputError(std::move(problems));
}

/// Checks the positions of a table: mirrors that would touch are problems, other near ones remarks.
void check_distances(const FieldTemplate& field,
                     const std::vector<HeliostatPlace>& places,
                     const std::filesystem::path& file,
                     ReadLog& log) {
    const auto shorter_side = [&](const HeliostatPlace& place) {
        const HeliostatTemplate& heliostat = find_heliostat(field, place.type);
        return std::min(heliostat.width, heliostat.height);
    };
    // Half of each mirror lies between two pivots.
    const auto find_overlap_distance = [&](const TooClose& pair) {
        return 0.5 * (shorter_side(places[pair.first]) + shorter_side(places[pair.second]));
    };
    const double largest = std::min(field.heliostat.width, field.heliostat.height);
    const std::vector<TooClose> pairs =
        too_close(collect_pivots(places), std::max(min_distance(field), largest));
    std::set<size_t> touching;
    for (const TooClose& pair : pairs)
        if (pair.distance < find_overlap_distance(pair)) touching.insert({pair.first, pair.second});
    // A wrong unit brings (nearly) all heliostats together. Their pairs say nothing more.
    if (2 * touching.size() > places.size() && touching.size() > 2) {
        log.problem(file.string(),
                    fmt::format("{} of {} heliostats stand closer than {} m to another one",
                                touching.size(),
                                places.size(),
                                largest),
                    "their mirrors would touch",
                    "check the unit: columns without one are in metres; write headers such as "
                    "'x [km]' or 'x [ft]' for others");
        return;
    }
    for (const TooClose& pair : pairs) {
        const HeliostatPlace& first = places[pair.first];
        const HeliostatPlace& second = places[pair.second];
        const HeliostatTemplate& one = find_heliostat(field, first.type);
        const HeliostatTemplate& other = find_heliostat(field, second.type);
        const double apart = std::max(field.layout.min_distance.value_or(
                                          0.5 * (turning_diameter(one) + turning_diameter(other))),
                                      find_overlap_distance(pair));
        if (pair.distance < find_overlap_distance(pair)) {
            log.problem(
                second.where,
                fmt::format(
                    "heliostat {} stands {:.3f} m from {}", second.name, pair.distance, first.name),
                fmt::format("mirrors of {} x {} m would touch", other.width, other.height),
                "check the positions and the template's size");
        } else if (pair.distance < apart) {
            log.warn(second.where,
                     fmt::format("heliostats stand closer than {:.3f} m and could collide", apart));
        }
    }
}

[[noreturn]] void refuse_missing_type(double radius) {
    throw InputError(Problem{"heliostat_types",
                             fmt::format("no type applies {:.1f} m from the tower", radius),
                             "types are chosen by max_radius_m",
                             "give max_radius_m to all types except one"});
}

/// Reports rows whose lengths contradict the template.
void check_lengths(const FieldTemplate& field,
                   const std::vector<HeliostatPlace>& places,
                   ReadLog& log) {
    for (const HeliostatPlace& place : places) {
        const HeliostatTemplate& heliostat = find_heliostat(field, place.type);
        const auto& lengths = place.focal_lengths;
        if (lengths && heliostat.facet_shape == FacetShape::sphere &&
            (*lengths)[0] != (*lengths)[1]) {
            log.problem(
                place.where,
                fmt::format("focal lengths {} and {} m differ", (*lengths)[0], (*lengths)[1]),
                "a sphere has one focal length",
                "use one value for both, or facet_shape paraboloid");
        }
        if (place.canting_distance && heliostat.canting &&
            !std::holds_alternative<OnAxisCanting>(*heliostat.canting)) {
            log.problem(place.where,
                        "the row has a canting distance",
                        "the template's canting is not on axis",
                        "empty the cell or choose canting: on_axis");
        }
    }
}

}  // namespace

const HeliostatTemplate& find_heliostat(const FieldTemplate& field,
                                        const std::optional<size_t>& type) {
    return type ? field.types[*type].heliostat : field.heliostat;
}

MadeField generate_field(const FieldTemplate& field, std::vector<std::string> report) {
    if (field.layout.type == LayoutType::positions)
        return field_from_table(field, field.layout.file, TableHeight::pivot, std::move(report));
    const std::vector<PlanPosition> positions = make_layout(field, report);
    const size_t digits = std::to_string(positions.size()).size();
    std::vector<HeliostatPlace> places;
    for (const PlanPosition& at : positions) {
        HeliostatPlace place;
        place.name = fmt::format("H{:0{}}", places.size() + 1, digits);
        const double radius = std::hypot(at[0], at[1]);
        place.type = find_type(field, radius);
        if (!field.types.empty() && !place.type) refuse_missing_type(radius);
        place.pivot = {field.tower.position[0] + at[0],
                       field.tower.position[1] + at[1],
                       find_heliostat(field, place.type).pivot_height};
        places.push_back(std::move(place));
    }
    refuse_collisions(field, places);
    report.push_back(fmt::format(
        "pivots are at least {:.3f} m apart: no two heliostats can collide", min_distance(field)));
    return build(field, std::move(places), std::move(report));
}

MadeField field_from_table(const FieldTemplate& field,
                           const std::filesystem::path& file,
                           TableHeight height,
                           std::vector<std::string> report) {
    ReadLog log;
    const CsvTable table = read_csv(file);
    std::vector<HeliostatPlace> places = read_layout_table(table, field, height, log);
    check_lengths(field, places, log);
    // Positions that could not be read would seem to be at the same place.
    if (!log.has_problems()) check_distances(field, places, file, log);
    log.throw_if_any();
    for (const std::string& line : log.warnings()) report.push_back(line);
    return build(field, std::move(places), std::move(report));
}

}  // namespace helioray
