// SPDX-License-Identifier: MIT
// Reads target areas of every shape, and receivers.
#include "scenario/files/units.h"
#include "scenario/reader/sections.h"
#include "scenario/types/receivers.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

namespace helioray {

namespace {

constexpr double kFullTurn = 2.0 * std::numbers::pi;

// Reads an opening angle. More than a full turn is an error, but ARTIST's own samples contain 60
// and mean degrees. These files must load, because ARTIST's formulas work with this number; users
// of the true sector must refuse it.
double read_opening_angle(const Fields& fields, const std::string& name) {
    const double angle = fields.positive(name).value_or(1.0);
    if (std::abs(angle - kFullTurn) < 1e-6) return kFullTurn;
    if (angle > 360.0) {
        fields.log().problem(fields.where(name),
                             fmt::format("is {}, more than a full turn", angle),
                             "the opening angle is in radians",
                             "store a value of at most 2 pi");
    } else if (angle > kFullTurn) {
        fields.log().warn(
            fields.where(name),
            fmt::format(
                "{} rad is more than a full turn and probably meant in degrees ({:.7g} rad); "
                "kept as it is, only model artist can use this target",
                angle,
                angle * kRadiansPerDegree));
    }
    return angle;
}

constexpr double kQuarter = 0.5 * std::numbers::pi;
constexpr double kLongest = std::numeric_limits<double>::max();

/// Reads a number from `low` to `high`; limits that were rounded to float32 are exact again.
double read_within(const Fields& fields, const std::string& name, double low, double high) {
    const auto number = fields.number(name);
    if (!number) return 0.5 * low + 0.5 * high;
    constexpr double kRounding = 1e-6;
    if (*number < low - kRounding || *number > high + kRounding)
        fields.log().problem(fields.where(name),
                             fmt::format("is {}", *number),
                             "",
                             high == kLongest
                                 ? fmt::format("store a number of at least {}", low)
                                 : fmt::format("store a number from {:.7g} to {:.7g}", low, high));
    return std::clamp(*number, low, high);
}

/// Reads the members of a shape.
struct MemberReader {
    const Fields& fields;
    bool has_directions = true;  ///< no direction had a problem

    void operator()(const TargetMember& member, Vec3& vector) {
        const bool is_point = member.kind == TargetMember::Kind::point;
        const auto read =
            is_point ? fields.vector(member.in_file) : fields.unit_vector(member.in_file);
        has_directions = has_directions && (is_point || read);
        vector = read.value_or(vector);
    }
    void operator()(const TargetMember& member, double& number) {
        switch (member.kind) {
            case TargetMember::Kind::angle:
                number = read_opening_angle(fields, member.in_file);
                return;
            case TargetMember::Kind::length_or_zero:
                number = read_within(fields, member.in_file, 0.0, kLongest);
                return;
            case TargetMember::Kind::latitude:
                number = read_within(fields, member.in_file, -kQuarter, kQuarter);
                return;
            case TargetMember::Kind::number:
                number = fields.number(member.in_file).value_or(number);
                return;
            case TargetMember::Kind::length:
            case TargetMember::Kind::point:
            case TargetMember::Kind::direction:
            case TargetMember::Kind::choice:
                number = fields.positive(member.in_file).value_or(0.0);
                return;
        }
    }
    template <typename Enum>
    void operator()(const TargetMember& member, Enum& choice) {
        if (!fields.contains(member.in_file)) return;
        choice = fields.choice<Enum>(member.in_file).value_or(Enum{});
    }
};

/// These overloads check conditions between the members of a shape.
void check(const auto&, const Fields&) {}
void check(const auto& shape,
           const Fields& fields) requires(!std::decay_t<decltype(shape)>::kStandsAlone) {
    if (const auto fault = find_shape_fault(shape))
        fields.log().problem(fields.where(fault->member), fault->what, fault->why, fault->advice);
}
void check(const CylindricalTarget& cylinder, const Fields& fields) {
    const double cosine = dot(cylinder.axis, cylinder.normal);
    if (std::abs(cosine) <= 1e-4) return;
    fields.log().problem(
        fields.where("cylinder_normal"),
        fmt::format("is not perpendicular to cylinder_axis (cosine {:.3g})", cosine),
        "it points from the axis to the middle of the sector",
        "remove its component along the axis");
}

/// Reads the absorption of a surface; no value if the file has none.
std::optional<SurfaceAbsorption> read_absorption(const Fields& fields) {
    if (!fields.contains("absorptance") && !fields.contains("absorptance_table"))
        return std::nullopt;
    SurfaceAbsorption surface;
    const auto read = [&](const char* name, double& member) {
        if (fields.contains(name)) member = fields.number(name).value_or(member);
    };
    read("absorptance", surface.absorptance);
    read("martin_ruiz_coefficient", surface.martin_ruiz_coefficient);
    read("specular_fraction", surface.specular_fraction);
    read("slope_error", surface.slope_error);
    double bounces = 0.0;
    read("bounces", bounces);
    surface.bounces = kBounces.contains(bounces) ? std::llround(bounces) : -1;
    if (fields.contains("absorptance_law"))
        surface.law = fields.choice<AbsorptanceLaw>("absorptance_law").value_or(surface.law);
    if (!fields.contains("absorptance_table")) return surface;
    const auto table = fields.array("absorptance_table", 2);
    if (!table) return surface;
    if (table->shape[1] != 2) {
        fields.log().problem(fields.where("absorptance_table"),
                             "has rows of " + std::to_string(table->shape[1]) + " numbers",
                             "a row is [angle of incidence in degrees, absorptance]",
                             "store an array of shape (rows, 2)");
        return surface;
    }
    for (size_t i = 0; i < table->shape[0]; ++i)
        surface.table.push_back({table->values[2 * i], table->values[2 * i + 1]});
    return surface;
}

/// Reads the receiver of a surface, its use, absorption and outline; none of them in ARTIST's
/// files.
void read_role(const Fields& fields, Target& target) {
    if (fields.contains("receiver")) target.receiver = fields.text("receiver").value_or("");
    if (fields.contains("use"))
        target.use = fields.choice<SurfaceUse>("use").value_or(SurfaceUse::absorber);
    target.absorption = read_absorption(fields);
    if (!fields.contains("outline")) return;
    const auto corners = fields.array("outline", 2);
    if (!corners) return;
    if (corners->shape[1] != 2) {
        fields.log().problem(fields.where("outline"),
                             "has rows of " + std::to_string(corners->shape[1]) + " numbers",
                             "a corner is [right, up] from the centre",
                             "store an array of shape (corners, 2)");
        return;
    }
    for (size_t i = 0; i < corners->shape[0]; ++i)
        target.outline.push_back({corners->values[2 * i], corners->values[2 * i + 1]});
}

/// Reads the triangles of a mesh.
void read_triangles(const Fields& fields, MeshTarget& mesh) {
    const auto corners = fields.array(kTrianglesName, 3);
    if (!corners) return;
    if (corners->shape[0] == 0 || corners->shape[1] != 3 || corners->shape[2] != 3) {
        fields.log().problem(fields.where(kTrianglesName),
                             "is not an array of triangles",
                             "a triangle has three corners of three coordinates",
                             "store an array of shape (triangles, 3, 3)");
        return;
    }
    mesh.triangles = triangles_of_corners(corners->values, mesh.center);
}

/// Appends the areas of one shape.
template <typename Shape>
void read_areas(const hdf5::Group& root, ReadLog& log, std::vector<Target>& targets) {
    if (!root.contains(Shape::kGroup)) return;
    log.attempt([&] {
        const hdf5::Group areas = root.group(Shape::kGroup);
        for (const std::string& area : areas.names()) {
            log.attempt([&] {
                const hdf5::Group group = areas.group(area);
                const Fields fields(group, log);
                Shape shape;
                MemberReader read{fields};
                Shape::members(shape, read);
                if (read.has_directions) check(shape, fields);
                if constexpr (std::is_same_v<Shape, MeshTarget>) read_triangles(fields, shape);
                Target target{area, shape};
                read_role(fields, target);
                fields.warn_of_unread({"geometry"});
                targets.push_back(std::move(target));
            });
        }
    });
}

/// Reads the receivers with their aim points.
void read_receivers(const hdf5::Group& root, ReadLog& log, std::vector<Receiver>& receivers) {
    if (!root.contains(kReceiverGroup)) return;
    log.attempt([&] {
        const hdf5::Group all = root.group(kReceiverGroup);
        for (const std::string& name : all.names()) {
            log.attempt([&] {
                const hdf5::Group group = all.group(name);
                const Fields fields(group, log);
                Receiver receiver{name};
                if (fields.contains("aim_point")) receiver.aim_point = fields.vector("aim_point");
                fields.warn_of_unread();
                receivers.push_back(std::move(receiver));
            });
        }
    });
}

/// Appends the problems of receivers and surfaces that were read.
void check(const hdf5::Group& root, ReadLog& log, Scenario& plant) {
    const SurfacePlaces places{[&](const Target& target, const std::string& member) {
                                   const char* group =
                                       std::visit([](const auto& shape) { return shape.kGroup; },
                                                  target.geometry);
                                   return root.where_of(group + ("/" + target.name) +
                                                        (member.empty() ? "" : "/" + member));
                               },
                               [&](const Receiver& receiver, const std::string& member) {
                                   return root.where_of(kReceiverGroup + ("/" + receiver.name) +
                                                        (member.empty() ? "" : "/" + member));
                               }};
    for (Problem& problem : check_receivers(plant.targets, plant.receivers, places))
        log.problem(problem.where, problem.what, problem.why, problem.advice);
}

}  // namespace

void read_targets(const hdf5::Group& root, ReadLog& log, Scenario& scenario) {
    bool has_group = false;
    for_each_target_shape([&]<typename Shape>(const Shape&) {
        has_group = has_group || root.contains(Shape::kGroup);
        read_areas<Shape>(root, log, scenario.targets);
    });
    read_receivers(root, log, scenario.receivers);
    check(root, log, scenario);
    if (!has_group) {
        log.problem(root.where_of(PlanarTarget::kGroup),
                    fmt::format("group is missing, and {} too", CylindricalTarget::kGroup),
                    "rays need a target area");
    } else if (scenario.targets.empty()) {
        log.problem(root.where(), "there is no target area", "rays need one");
    }
}

}  // namespace helioray
