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

/// Returns the centre of the receiver: on the tower's axis, or before it by the offset.
Vec3 receiver_center(const FieldTemplate& field) {
    const Vec3 on_axis{
        field.tower.position[0], field.tower.position[1], field.tower.optical_height};
    return add(on_axis, scaled(field.receiver.offset, bearing_direction(field.receiver.azimuth)));
}

}  // namespace

Target receiver_target(const FieldTemplate& field) {
    const ReceiverTemplate& receiver = field.receiver;
    const Vec3 center = receiver_center(field);
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
    if (field.receiver.several) {
        ReceiverConfig several = *field.receiver.several;
        several.center = receiver_center(field);
        add_receiver(field.receiver.name, several, scenario);
    } else {
        scenario.targets = {receiver_target(field)};
    }
    scenario.light_sources = {{"sun", 10, 0.0, PillboxShape{kSunHalfAngle}}};
    made.run.aim.target = field.receiver.name;

    SurfaceStore surfaces(field.heliostat);
    const auto kinematics = azimuth_elevation_kinematics(field.heliostat.mirror_offset);
    const auto drives = azimuth_elevation_drives();
    size_t inactive = 0, own_aims = 0;
    std::vector<std::string> active;
    for (const HeliostatPlace& place : places) {
        const Vec3 aim = place.aim.value_or(
            field.receiver.several
                ? receiver_aim_point(scenario.targets, scenario.receivers.front(), place.pivot)
                : default_aim_point(scenario.targets.front(), place.pivot));
        MirrorLengths lengths = mirror_lengths(field.heliostat, norm(subtract(aim, place.pivot)));
        if (place.focal_length && field.heliostat.facet_shape != FacetShape::flat)
            lengths.focal_length = place.focal_length;
        if (place.canting_distance) lengths.canting_distance = place.canting_distance;
        Heliostat heliostat;
        heliostat.name = place.name;
        heliostat.id = static_cast<int64_t>(scenario.heliostats.size());
        heliostat.position = place.pivot;
        heliostat.surface = surfaces.get(lengths);
        heliostat.kinematics = kinematics;
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
    scenario.prototypes = {scenario.heliostats.front().surface, kinematics, drives};

    if (field.tower.height) {
        const Vec3 base{field.tower.position[0], field.tower.position[1], 0.0};
        made.run.obstacles.push_back(
            {"tower", CylinderObstacle{base, {0, 0, 1}, *field.tower.radius, *field.tower.height}});
        report.push_back(
            "the tower's body is no part of a scenario: a run configuration (--config) has it as "
            "an "
            "obstacle");
    }
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
    const double area = field.heliostat.width * field.heliostat.height;
    double nearest = std::numeric_limits<double>::infinity();
    double farthest = 0.0;
    for (const HeliostatPlace& place : places) {
        const double distance = std::hypot(place.pivot[0] - field.tower.position[0],
                                           place.pivot[1] - field.tower.position[1]);
        nearest = std::min(nearest, distance);
        farthest = std::max(farthest, distance);
    }
    std::string distances = significant(nearest, 3);
    if (significant(farthest, 3) != distances) distances += " to " + significant(farthest, 3);
    report.push_back(fmt::format("{} of {} x {} m with {}, {} m from the tower",
                                 counted(places.size(), "heliostat"),
                                 field.heliostat.width,
                                 field.heliostat.height,
                                 counted(surfaces.size(), "different mirror"),
                                 distances));
    report.push_back(fmt::format("outer dimensions cover {:.1f} m2 each, {:.0f} m2 in all",
                                 area,
                                 area * static_cast<double>(places.size())));
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
    const double overlap = std::min(field.heliostat.width, field.heliostat.height);
    const double apart = std::max(min_distance(field), overlap);
    const std::string mirrors = fmt::format(
        "mirrors of {} x {} m would touch", field.heliostat.width, field.heliostat.height);
    const std::vector<TooClose> pairs = too_close(collect_pivots(places), apart);
    std::set<size_t> touching;
    for (const TooClose& pair : pairs)
        if (pair.distance < overlap) touching.insert({pair.first, pair.second});
    // A wrong unit brings (nearly) all heliostats together. Their pairs say nothing more.
    if (2 * touching.size() > places.size() && touching.size() > 2) {
        log.problem(file.string(),
                    fmt::format("{} of {} heliostats stand closer than {} m to another one",
                                touching.size(),
                                places.size(),
                                overlap),
                    mirrors,
                    "check the unit: columns without one are in metres; write headers such as "
                    "'x [km]' or 'x [ft]' for others");
        return;
    }
    for (const TooClose& pair : pairs) {
        const HeliostatPlace& first = places[pair.first];
        const HeliostatPlace& second = places[pair.second];
        if (pair.distance < overlap) {
            log.problem(
                second.where,
                fmt::format(
                    "heliostat {} stands {:.3f} m from {}", second.name, pair.distance, first.name),
                mirrors,
                "check the positions and the template's size");
        } else {
            log.warn(second.where,
                     fmt::format("heliostats stand closer than {:.3f} m and could collide", apart));
        }
    }
}

}  // namespace

MadeField generate_field(const FieldTemplate& field, std::vector<std::string> report) {
    if (field.layout.type == LayoutType::positions)
        return field_from_table(field, field.layout.file, TableHeight::pivot, std::move(report));
    const std::vector<PlanPosition> positions = make_layout(field, report);
    const size_t digits = std::to_string(positions.size()).size();
    std::vector<HeliostatPlace> places;
    for (const PlanPosition& at : positions) {
        HeliostatPlace place;
        place.name = fmt::format("H{:0{}}", places.size() + 1, digits);
        place.pivot = {field.tower.position[0] + at[0],
                       field.tower.position[1] + at[1],
                       field.heliostat.pivot_height};
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
    std::vector<HeliostatPlace> places =
        read_layout_table(table, field.heliostat.pivot_height, height, log);
    // Positions that could not be read would seem to be at the same place.
    if (!log.has_problems()) check_distances(field, places, file, log);
    log.throw_if_any();
    for (const std::string& line : log.warnings()) report.push_back(line);
    return build(field, std::move(places), std::move(report));
}

}  // namespace helioray
