// SPDX-License-Identifier: MIT
// Receivers and bodies of the towers of a field template. Internal to generate_field and
// field_from_table.
#pragma once

#include "scenario/import/field/field_template.h"
#include "scenario/types/run_config.h"

#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// A receiver of a tower.
struct PlacedReceiver {
    std::string name;      ///< name of the target or receiver in the scenario
    double azimuth = 0.0;  ///< direction from the tower, radians clockwise from north
};

/// Adds the receivers of a tower, one for each of their directions, and returns them.
std::vector<PlacedReceiver> add_tower_receivers(const FieldTemplate& field,
                                                const TowerTemplate& tower,
                                                Scenario& scenario);

/// Returns the receiver whose direction from the tower is nearest to that of a heliostat.
const PlacedReceiver& facing_receiver(const std::vector<PlacedReceiver>& placed,
                                      const TowerTemplate& tower,
                                      const Vec3& pivot);

/// Returns the receiver whose centre is nearest to an aim point; without one, the receiver whose
/// lit side faces the heliostat best, of equal ones the nearest.
const GivenReceiver& nearest_receiver(const std::vector<GivenReceiver>& receivers,
                                      const Vec3& pivot,
                                      const std::optional<Vec3>& aim);

/// Returns the usual aim point on a target or receiver, metres, ENU.
Vec3 usual_aim_point(const Scenario& scenario, const std::string& name, const Vec3& pivot);

/// Returns the body of a tower that has one.
ObstacleConfig tower_body(const TowerTemplate& tower);

}  // namespace helioray
