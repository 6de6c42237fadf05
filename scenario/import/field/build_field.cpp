// SPDX-License-Identifier: MIT
// Builds fields from positions, mirrors and the receiver.
#include "scenario/import/field/build_field.h"

#include "scenario/files/csv.h"
#include "scenario/files/error.h"
#include "scenario/files/number_text.h"
#include "scenario/import/field/heliostat_surfaces.h"
#include "scenario/import/field/layouts.h"
#include "scenario/import/field/towers.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace helioray {

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
            const double distance = distance_from_tower(field, place);
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

/// Returns a table of the states of mirrors that differ from the others; empty if there is none.
std::string states_text(const std::vector<HeliostatPlace>& places) {
    const auto has_state = [](const HeliostatPlace& place) {
        return place.reflectivity || place.clean_share;
    };
    if (std::ranges::none_of(places, has_state)) return "";
    std::string text = "name,reflectivity,soiling\n";
    for (const HeliostatPlace& place : places) {
        if (!has_state(place)) continue;
        text +=
            fmt::format("\"{}\",{},{}\n",
                        place.name,
                        place.reflectivity ? fmt::format("{}", *place.reflectivity) : "",
                        place.clean_share ? fmt::format("{:.12g}", 1.0 - *place.clean_share) : "");
    }
    return text;
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
    made.run.terrain = field.terrain;
    const std::vector<TowerTemplate> towers = all_towers(field);
    std::vector<std::vector<PlacedReceiver>> receivers;
    size_t num_receivers = 0;
    for (const TowerTemplate& tower : towers) {
        receivers.push_back(add_tower_receivers(field, tower, scenario));
        num_receivers += receivers.back().size();
    }
    scenario.light_sources = {
        {"sun", 10, 0.0, field.sun.value_or(SunShape{PillboxShape{kSunHalfAngle}})}};
    if (num_receivers == 1) made.run.aim.target = receivers.front().front().name;

    std::vector<TypeParts> parts = make_parts(field);
    const auto drives = azimuth_elevation_drives();
    size_t inactive = 0, own_aims = 0;
    std::vector<std::string> active;
    for (const HeliostatPlace& place : places) {
        const std::string& receiver =
            field.receivers.empty()
                ? facing_receiver(receivers[place.tower], towers[place.tower], place.pivot).name
                : nearest_receiver(field.receivers, place.pivot, place.aim).name;
        if (num_receivers > 1) made.run.aim.heliostats[place.name].target = receiver;
        const Vec3 aim = place.aim ? *place.aim : usual_aim_point(scenario, receiver, place.pivot);
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

    for (const TowerTemplate& tower : towers)
        if (tower.height) made.run.obstacles.push_back(tower_body(tower));
    if (!made.run.obstacles.empty())
        report.push_back(
            "the tower's body is no part of a scenario: a run configuration (--config) has it as "
            "an obstacle");
    if (field.terrain.ground)
        report.push_back(
            "the terrain is no part of a scenario: a run configuration (--config) names its file, "
            "so that hills shade and block");
    if (num_receivers > 1)
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
    made.states = states_text(places);
    if (!made.states.empty())
        report.push_back(
            "reflectivity and soiling of heliostats are no part of a scenario; a run configuration "
            "(--config) has them in a table of states beside it");
    if (!field.sun) report.push_back("sun assumed to be a pillbox of 4.65 mrad");
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

/// Returns the heliostats of a layout about one tower, without names.
std::vector<HeliostatPlace> places_of_layout(const FieldTemplate& field,
                                             size_t tower,
                                             std::vector<std::string>& report) {
    std::vector<HeliostatPlace> places;
    size_t outside = 0;
    for (const PlanPosition& at : make_layout(field, report)) {
        HeliostatPlace place;
        place.tower = tower;
        const double radius = std::hypot(at[0], at[1]);
        place.type = find_type(field, radius);
        if (!field.types.empty() && !place.type) refuse_missing_type(radius);
        const double east = field.tower.position[0] + at[0];
        const double north = field.tower.position[1] + at[1];
        const auto ground = ground_height(field, east, north);
        outside += !ground;
        place.pivot = {
            east, north, ground.value_or(0.0) + find_heliostat(field, place.type).pivot_height};
        places.push_back(std::move(place));
    }
    if (outside > 0)
        throw InputError(
            Problem{"site.terrain.file",
                    fmt::format("{} of {} heliostats are outside of it", outside, places.size()),
                    "they stand on the terrain",
                    "extend the terrain, check site.terrain.origin_m, or lower max_radius_m"});
    return places;
}

/// Returns the heliostats of several towers: of the layout about each tower those that no other
/// tower is nearer to, and that do not collide with those of an earlier tower.
std::vector<HeliostatPlace> places_of_towers(const FieldTemplate& field,
                                             std::vector<std::string>& report) {
    std::vector<HeliostatPlace> places;
    for (size_t tower = 0; tower < field.towers.size(); ++tower) {
        FieldTemplate own = field;
        own.tower = field.towers[tower];
        own.layout.heliostats.reset();
        report.push_back(fmt::format("tower {}:", own.tower.name));
        std::vector<HeliostatPlace> near = places_of_layout(own, tower, report);
        std::erase_if(near, [&](const HeliostatPlace& place) {
            return nearest_tower(field, place.pivot[0], place.pivot[1]) != tower;
        });
        const size_t earlier = places.size();
        places.insert(places.end(), near.begin(), near.end());
        std::set<size_t> colliding;
        for (const TooClose& pair :
             too_close(collect_pivots(places), min_distance(field) * (1.0 - 1e-9)))
            if (pair.first < earlier && pair.second >= earlier) colliding.insert(pair.second);
        size_t index = 0;
        std::erase_if(places, [&](const HeliostatPlace&) { return colliding.contains(index++); });
        // Layouts go from the inside out.
        const auto wanted = static_cast<size_t>(
            field.layout.heliostats.value_or(std::numeric_limits<int64_t>::max()));
        if (places.size() - earlier > wanted) places.resize(earlier + wanted);
        const size_t count = places.size() - earlier;
        if (count == 0 || (field.layout.heliostats && count < wanted))
            throw InputError(Problem{
                "layout",
                fmt::format("{} heliostats belong to tower '{}'", count, own.tower.name),
                field.layout.heliostats ? fmt::format("{} are wanted for each tower", wanted)
                                        : "other towers are nearer to all of them",
                "move the towers apart, or change the bounds of the layout"});
        report.push_back(fmt::format("{} belong to it", counted(count, "heliostat")));
    }
    return places;
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

double distance_from_tower(const FieldTemplate& field, const HeliostatPlace& place) {
    const TowerTemplate& tower = field.towers.empty() ? field.tower : field.towers[place.tower];
    return std::hypot(place.pivot[0] - tower.position[0], place.pivot[1] - tower.position[1]);
}

const HeliostatTemplate& find_heliostat(const FieldTemplate& field,
                                        const std::optional<size_t>& type) {
    return type ? field.types[*type].heliostat : field.heliostat;
}

MadeField generate_field(const FieldTemplate& field, std::vector<std::string> report) {
    if (field.layout.type == LayoutType::positions)
        return field_from_table(
            field, read_csv(field.layout.file), TableHeight::pivot, std::move(report));
    std::vector<HeliostatPlace> places = field.towers.size() > 1
                                             ? places_of_towers(field, report)
                                             : places_of_layout(field, 0, report);
    const size_t digits = std::to_string(places.size()).size();
    for (size_t i = 0; i < places.size(); ++i)
        places[i].name = fmt::format("H{:0{}}", i + 1, digits);
    refuse_collisions(field, places);
    report.push_back(fmt::format(
        "pivots are at least {:.3f} m apart: no two heliostats can collide", min_distance(field)));
    return build(field, std::move(places), std::move(report));
}

MadeField field_from_table(const FieldTemplate& field,
                           const CsvTable& table,
                           TableHeight height,
                           std::vector<std::string> report) {
    ReadLog log;
    std::vector<HeliostatPlace> places = read_layout_table(table, field, height, log);
    check_lengths(field, places, log);
    // Positions that could not be read would seem to be at the same place.
    if (!log.has_problems()) check_distances(field, places, table.file, log);
    log.throw_if_any();
    for (const std::string& line : log.warnings()) report.push_back(line);
    return build(field, std::move(places), std::move(report));
}

}  // namespace helioray
