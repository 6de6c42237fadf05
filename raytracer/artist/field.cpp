// SPDX-License-Identifier: MIT
// Heliostat groups in ARTIST's order, and their ray magnitudes.
#include "raytracer/artist/field.h"

#include <algorithm>
#include <cmath>

namespace helioray::artist {
namespace {

std::string group_name(const Heliostat& heliostat) {
    const bool linear = (*heliostat.actuators)[0].type == ActuatorType::linear;
    return linear ? "rigid_body_linear" : "rigid_body_ideal";
}

}  // namespace

std::vector<Group> make_groups(const Scenario& scenario, const ArtistRun& run) {
    std::vector<std::vector<size_t>> samples_by_heliostat(scenario.heliostats.size());
    for (size_t s = 0; s < run.samples.size(); ++s) {
        samples_by_heliostat.at(run.samples[s].heliostat).push_back(s);
    }
    std::vector<Group> groups;
    for (size_t h = 0; h < scenario.heliostats.size(); ++h) {
        const std::string name = group_name(scenario.heliostats[h]);
        auto group = std::find_if(
            groups.begin(), groups.end(), [&](const Group& g) { return g.name == name; });
        if (group == groups.end()) group = groups.insert(groups.end(), Group{name, {}, {}, 0});
        group->heliostats.push_back(h);
        group->samples.insert(
            group->samples.end(), samples_by_heliostat[h].begin(), samples_by_heliostat[h].end());
    }
    int64_t row = 0;
    for (Group& group : groups) {
        group.first_row = row;
        row += static_cast<int64_t>(group.samples.size());
    }
    return groups;
}

int64_t num_points(const Scenario& scenario, const Group& group, const ArtistRun& run) {
    const Heliostat& first = scenario.heliostats[group.heliostats.front()];
    return static_cast<int64_t>(first.surface->facets.size()) * run.surface_points_per_facet[0] *
           run.surface_points_per_facet[1];
}

double ray_magnitude(const Scenario& scenario,
                     const Group& group,
                     const ArtistRun& run,
                     int64_t rays_per_point) {
    if (!run.dni) return 1.0;
    const Facet& facet = scenario.heliostats[group.heliostats.front()].surface->facets.front();
    const double w = std::hypot(facet.canting_e[0], facet.canting_n[0]);
    const double h = std::hypot(facet.canting_e[1], facet.canting_n[1]);
    const double area = (4 * w + 0.02) * (4 * h + 0.02);
    return *run.dni * area / static_cast<double>(num_points(scenario, group, run) * rays_per_point);
}

}  // namespace helioray::artist
