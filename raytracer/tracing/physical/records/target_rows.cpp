// SPDX-License-Identifier: MIT
// Converts targets to rows of numbers and back. Each switch has a case for every kind, and each
// kind of shape its overload of find_kind(), so that a new shape does not compile before it has
// both.
#include "raytracer/tracing/physical/records/target_rows.h"

#include "kernels/core/trace_types.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numbers>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace helioray::physical {

namespace {

using kernels::TargetKind;
using Columns = TargetColumns;

TargetKind find_kind(const PlanarTarget&) {
    return TargetKind::plane;
}
TargetKind find_kind(const CylindricalTarget& cylinder) {
    return cylinder.side == CylindricalTarget::Side::inner ? TargetKind::cylinder_inside
                                                           : TargetKind::cylinder_outside;
}
TargetKind find_kind(const DiscTarget&) {
    return TargetKind::disc;
}

// The following shapes belong to receivers, which the operators refuse.
TargetKind find_kind(const AnnularTarget&) {
    return TargetKind::annulus;
}
TargetKind find_kind(const ConicalTarget&) {
    return TargetKind::cone;
}
TargetKind find_kind(const SphericalTarget&) {
    return TargetKind::sphere;
}
TargetKind find_kind(const QuadricTarget&) {
    return TargetKind::quadric;
}
TargetKind find_kind(const ConcentratorTarget&) {
    return TargetKind::concentrator;
}
TargetKind find_kind(const MeshTarget&) {
    return TargetKind::mesh;
}

/// Returns the name of a kind for messages; null for numbers that are not the kind of a row.
const char* find_name(TargetKind kind) {
    switch (kind) {
        case TargetKind::plane:
            return "plane";
        case TargetKind::cylinder_outside:
            return "cylinder lit outside";
        case TargetKind::cylinder_inside:
            return "cylinder lit inside";
        case TargetKind::disc:
            return "disc";
        case TargetKind::annulus:
        case TargetKind::cone:
        case TargetKind::sphere:
        case TargetKind::quadric:
        case TargetKind::concentrator:
        case TargetKind::mesh:
            break;
    }
    return nullptr;
}

/// Returns "0 (plane), 1 (cylinder lit outside), ... or 3 (disc)".
std::string list_kinds() {
    std::vector<std::string> kinds;
    for (int i = 0; const char* name = find_name(static_cast<TargetKind>(i)); ++i)
        kinds.push_back(fmt::format("{} ({})", i, name));
    const std::string last = kinds.back();
    kinds.pop_back();
    return fmt::format("{} or {}", fmt::join(kinds, ", "), last);
}

Vec3 vector_at(const double* row, int64_t column) {
    return {row[column], row[column + 1], row[column + 2]};
}

/// Returns the first column of a vector member.
int64_t find_column(const TargetMember& member) {
    if (member.kind == TargetMember::Kind::point) return Columns::centre;
    return member.name == std::string_view("axis") ? Columns::axis : Columns::normal;
}

/// Reads the members of a shape. Sizes are stored consecutively.
struct RowReader {
    const double* row;
    const double* number = row + Columns::width;  ///< next size

    void operator()(const TargetMember& member, Vec3& vector) {
        const Vec3 given = vector_at(row, find_column(member));
        vector = member.kind == TargetMember::Kind::point ? given : normalized(given);
    }
    void operator()(const TargetMember&, double& size) { size = *number++; }
    /// Does nothing, because the kind of the row already determines enumerations.
    template <typename Enum>
    void operator()(const TargetMember&, Enum&) {}
};

/// Writes the members of a shape.
struct RowWriter {
    TargetRow& row;
    size_t next = Columns::width;  ///< column of the next size

    void operator()(const TargetMember& member, const Vec3& vector) {
        for (size_t i = 0; i < 3; ++i) row.at(find_column(member) + i) = vector[i];
    }
    void operator()(const TargetMember&, double size) { row.at(next++) = size; }
    /// Does nothing, because the kind of the row already determines enumerations.
    template <typename Enum>
    void operator()(const TargetMember&, const Enum&) {}
};

std::string size_problem(double width, double height) {
    if (width > 0.0 && height > 0.0) return "";
    return fmt::format(
        "width (or radius) and height must be above 0 m, found {:.6g} and {:.6g}", width, height);
}

std::string cylinder_problem(const double* row) {
    const Vec3 normal = vector_at(row, Columns::normal);
    const Vec3 axis = vector_at(row, Columns::axis);
    const double opening_angle = row[Columns::opening_angle];
    if (!(dot(axis, axis) > 0.0)) return "the axis has no length";
    const double along = dot(normal, axis);
    if (along * along > 0.999999 * dot(normal, normal) * dot(axis, axis))
        return "the normal is parallel to the axis; it points to the middle of the sector";
    if (!(opening_angle > 0.0) || opening_angle > 2.0 * std::numbers::pi * (1.0 + 1e-6))
        return fmt::format("the opening angle must be in (0, 2 pi], found {:.6g}", opening_angle);
    return "";
}

}  // namespace

TargetRow target_row(const TargetShape& shape) {
    TargetRow row{};
    std::visit(
        [&](const auto& alternative) {
            row[Columns::kind] = static_cast<double>(find_kind(alternative));
            alternative.members(alternative, RowWriter{row});
        },
        shape);
    return row;
}

std::string target_row_problem(const double* row) {
    const double number = row[Columns::kind];
    const auto kind = static_cast<TargetKind>(static_cast<int>(number));
    if (static_cast<double>(kind) != number || find_name(kind) == nullptr)
        return fmt::format("kind must be {}, found {:.6g}", list_kinds(), number);
    const Vec3 normal = vector_at(row, Columns::normal);
    if (!(dot(normal, normal) > 0.0)) return "the normal has no length";
    const double width = row[Columns::width], height = row[Columns::height];
    switch (kind) {
        case TargetKind::plane:
            return size_problem(width, height);
        case TargetKind::cylinder_outside:
        case TargetKind::cylinder_inside: {
            const std::string problem = size_problem(width, height);
            return problem.empty() ? cylinder_problem(row) : problem;
        }
        case TargetKind::disc:
            if (width > 0.0) return "";
            return fmt::format("the radius must be above 0 m, found {:.6g}", width);
        case TargetKind::annulus:
        case TargetKind::cone:
        case TargetKind::sphere:
        case TargetKind::quadric:
        case TargetKind::concentrator:
        case TargetKind::mesh:
            break;
    }
    return "";
}

TargetShape target_shape(const double* row) {
    const auto make = [&](auto shape) -> TargetShape {
        shape.members(shape, RowReader{row});
        return shape;
    };
    CylindricalTarget cylinder;
    switch (static_cast<TargetKind>(static_cast<int>(row[Columns::kind]))) {
        case TargetKind::plane:
            return make(PlanarTarget{});
        case TargetKind::cylinder_outside:
            return make(cylinder);
        case TargetKind::cylinder_inside:
            cylinder.side = CylindricalTarget::Side::inner;
            return make(cylinder);
        case TargetKind::disc:
            return make(DiscTarget{});
        case TargetKind::annulus:
        case TargetKind::cone:
        case TargetKind::sphere:
        case TargetKind::quadric:
        case TargetKind::concentrator:
        case TargetKind::mesh:
            break;
    }
    throw std::invalid_argument("no shape of targets has that number");
}

}  // namespace helioray::physical
