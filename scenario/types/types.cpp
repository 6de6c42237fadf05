// SPDX-License-Identifier: MIT
// Look-up and comparison of scenario data.
#include "scenario/types/types.h"

#include <algorithm>

namespace helioray {

bool is_flat(const Target& target) {
    return std::visit([](const auto& shape) { return shape.kIsFlat; }, target.geometry);
}

std::array<double, 2> surface_extent(const Target& target) {
    return std::visit([](const auto& shape) { return shape_extent(shape); }, target.geometry);
}

Vec3 default_aim_point(const Target& target) {
    return std::visit(
        []<typename Shape>(const Shape& shape) {
            if constexpr (Shape::kIsFlat) {
                return shape.center;
            } else {
                return default_aim_point(shape);
            }
        },
        target.geometry);
}

Vec3 default_aim_point(const Target& target, const Vec3& from) {
    return std::visit(
        [&]<typename Shape>(const Shape& shape) {
            if constexpr (Shape::kIsFlat) {
                return shape.center;
            } else {
                return default_aim_point(shape, from);
            }
        },
        target.geometry);
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

template <typename Items>
std::optional<size_t> find_by_name(const Items& items, const std::string& name) {
    const auto it = std::find_if(
        items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
    if (it == items.end()) return std::nullopt;
    return static_cast<size_t>(it - items.begin());
}

template <typename T>
bool equal_pointees(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
    return a == b || (a && b && *a == *b);
}

}  // namespace

std::optional<size_t> Scenario::find_target(const std::string& name) const {
    return find_by_name(targets, name);
}

std::optional<size_t> Scenario::find_receiver(const std::string& name) const {
    return find_by_name(receivers, name);
}

std::optional<size_t> Scenario::find_heliostat(const std::string& name) const {
    // Use binary search, because there may be thousands of heliostats. Scenarios built in memory
    // may not be sorted.
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
           a.targets == b.targets && a.receivers == b.receivers &&
           a.light_sources == b.light_sources &&
           equal_pointees(a.prototypes.surface, b.prototypes.surface) &&
           equal_pointees(a.prototypes.kinematics, b.prototypes.kinematics) &&
           equal_pointees(a.prototypes.actuators, b.prototypes.actuators);
}

}  // namespace helioray
