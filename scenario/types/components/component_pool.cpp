// SPDX-License-Identifier: MIT
// Hashes of surfaces, kinematics and actuators.
#include "scenario/types/components/component_pool.h"

#include "scenario/types/type_names.h"

#include <functional>

namespace helioray {

namespace {

class Hash {
  public:
    void add(double value) {
        // This is boost::hash_combine; std::hash maps -0.0 and 0.0 to the same number.
        value_ ^= std::hash<double>{}(value) + 0x9e3779b97f4a7c15 + (value_ << 6) + (value_ >> 2);
    }
    void add(const Vec3& vector) {
        for (const double component : vector) add(component);
    }
    std::size_t value() const { return value_; }

  private:
    std::size_t value_ = 0;
};

}  // namespace

std::size_t compute_hash(const Surface& surface) {
    Hash hash;
    const auto add = [&](const std::vector<Facet>& facets) {
        for (const Facet& facet : facets) {
            hash.add(facet.focal_length);
            hash.add(facet.translation);
            hash.add(facet.canting_e);
            hash.add(facet.canting_n);
            for (const double value : facet.control_points) hash.add(value);
        }
    };
    add(surface.facets);
    for (const BentFacets& row : surface.bent) add(row.facets);
    return hash.value();
}

std::size_t compute_hash(const Kinematics& kinematics) {
    Hash hash;
    hash.add(kinematics.initial_orientation);
    for_each_deviation(kinematics.deviations,
                       [&](const char*, const double& value) { hash.add(value); });
    return hash.value();
}

std::size_t compute_hash(const ActuatorPair& actuators) {
    Hash hash;
    for (const Actuator& actuator : actuators) {
        hash.add(actuator.min_motor_position);
        hash.add(actuator.max_motor_position);
        hash.add(actuator.initial_stroke_length);
        hash.add(actuator.initial_angle);
    }
    return hash.value();
}

}  // namespace helioray
