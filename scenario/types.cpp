// SPDX-License-Identifier: MIT
// Look-ups and comparison of scenario data.
#include "scenario/types.h"

#include "scenario/vector_math.h"

#include <algorithm>
#include <numbers>

namespace helioray {

Vec3 default_aim_point(const Target& target) {
    if (const auto* plane = std::get_if<PlanarTarget>(&target.geometry)) return plane->center;
    const auto& cylinder = std::get<CylindricalTarget>(target.geometry);
    Vec3 point = cylinder.center;
    for (size_t i = 0; i < 3; ++i) point[i] += cylinder.radius * cylinder.normal[i];
    return point;
}

Vec3 default_aim_point(const Target& target, const Vec3& from) {
    const auto* cylinder = std::get_if<CylindricalTarget>(&target.geometry);
    // A hair below a full turn is rounding of the file's float32.
    const bool surrounds = cylinder && cylinder->side == CylindricalTarget::Side::outer &&
                           cylinder->opening_angle >= 2.0 * std::numbers::pi * (1.0 - 1e-6);
    if (!surrounds) return default_aim_point(target);
    const Vec3 axis = normalized(cylinder->axis);
    const Vec3 away = subtract(from, cylinder->center);
    const Vec3 radial = subtract(away, scaled(dot(axis, away), axis));
    if (norm(radial) < 1e-9) return default_aim_point(target);
    return add(cylinder->center, scaled(cylinder->radius, normalized(radial)));
}

bool Surface::is_fitted() const {
    for (const Facet& facet : facets) {
        if (facet.shape != FacetShape::bspline) continue;
        for (size_t i = 2; i < facet.control_points.size(); i += 3) {
            if (facet.control_points[i] != 0.0) return true;
        }
    }
    return false;
}

namespace {

template <typename Range>
std::optional<size_t> find_by_name(const Range& range, const std::string& name) {
    const auto it = std::find_if(
        range.begin(), range.end(), [&](const auto& item) { return item.name == name; });
    if (it == range.end()) return std::nullopt;
    return static_cast<size_t>(it - range.begin());
}

template <typename T>
bool equal_pointees(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
    return a == b || (a && b && *a == *b);
}

}  // namespace

std::optional<size_t> Scenario::find_target(const std::string& name) const {
    return find_by_name(targets, name);
}

std::optional<size_t> Scenario::find_heliostat(const std::string& name) const {
    // Thousands of them, by name; scenarios made in memory may not be in order.
    const auto it = std::lower_bound(
        heliostats.begin(),
        heliostats.end(),
        name,
        [](const Heliostat& heliostat, const std::string& text) { return heliostat.name < text; });
    if (it != heliostats.end() && it->name == name) {
        return static_cast<size_t>(it - heliostats.begin());
    }
    return find_by_name(heliostats, name);
}

bool equal(const Scenario& a, const Scenario& b) {
    const bool same_heliostats = std::equal(a.heliostats.begin(),
                                            a.heliostats.end(),
                                            b.heliostats.begin(),
                                            b.heliostats.end(),
                                            [](const Heliostat& x, const Heliostat& y) {
                                                return x.name == y.name && x.id == y.id &&
                                                       x.position == y.position &&
                                                       equal_pointees(x.surface, y.surface) &&
                                                       equal_pointees(x.kinematics, y.kinematics) &&
                                                       equal_pointees(x.actuators, y.actuators);
                                            });
    return same_heliostats && a.version == b.version && a.position == b.position &&
           a.targets == b.targets && a.light_sources == b.light_sources &&
           equal_pointees(a.prototypes.surface, b.prototypes.surface) &&
           equal_pointees(a.prototypes.kinematics, b.prototypes.kinematics) &&
           equal_pointees(a.prototypes.actuators, b.prototypes.actuators);
}

}  // namespace helioray
