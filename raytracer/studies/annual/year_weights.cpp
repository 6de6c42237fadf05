// SPDX-License-Identifier: MIT
// Distributes the sunlight of a year over the traced steps.
#include "raytracer/studies/annual/year_weights.h"

#include <algorithm>
#include <stdexcept>

namespace helioray {

std::vector<NodeSteps> node_steps(const SkyGrid& grid,
                                  const SeriesResult& series,
                                  const std::optional<YearLevels>& levels) {
    const size_t count = grid.nodes().size();
    const bool fits = levels ? levels->first_step.size() == count + 1 &&
                                   levels->first_step.back() == series.steps.size()
                             : series.steps.size() == count;
    if (!fits) throw std::invalid_argument("the series does not have the grid's sun positions");
    std::vector<NodeSteps> nodes;
    for (size_t i = 0; i < count; ++i) {
        const size_t first = levels ? levels->first_step[i] : i;
        nodes.emplace_back(series, first, levels ? levels->first_step[i + 1] : i + 1);
    }
    return nodes;
}

Weights compute_weights(const SkyGrid& grid,
                        const IrradianceYear& year,
                        std::span<const SunMoment> moments,
                        const std::vector<NodeSteps>& nodes,
                        size_t num_steps) {
    std::vector<NodeSteps> thinned;
    for (const NodeSteps& steps : nodes) thinned.push_back(steps.thinned());
    const bool has_levels = num_steps != nodes.size();
    // Nodes with a single step need no irradiance.
    const auto clear_sky = [&](double elevation) {
        return has_levels ? year.clear_sky(elevation) : 1.0;
    };
    std::vector<double> clear;
    for (const SkyGrid::Node& node : grid.nodes()) clear.push_back(clear_sky(node.elevation));
    const std::vector<double> zero(num_steps, 0.0);
    Weights weights{zero, zero, zero, has_levels ? zero : std::vector<double>(), {}};
    weights.months.fill(zero);
    std::vector<double> by_node(nodes.size());
    for (const SunMoment& moment : moments) {
        if (moment.elevation < grid.min_elevation()) continue;
        const double clearness = moment.irradiance / clear_sky(moment.elevation);
        const auto spread = [&](const std::vector<NodeSteps>& steps, std::vector<double>& to) {
            for (size_t node = 0; node < nodes.size(); ++node)
                if (by_node[node] != 0.0)
                    steps[node].add(clearness * clear[node], by_node[node], to);
        };
        const auto distribute = [&](SkyGrid::Rule rule, std::vector<double>& to) {
            std::fill(by_node.begin(), by_node.end(), 0.0);
            grid.distribute(moment.direction, moment.insolation, rule, by_node);
            spread(nodes, to);
        };
        distribute(SkyGrid::Rule::half_declinations, weights.half_declinations);
        distribute(SkyGrid::Rule::half_hours, weights.half_hours);
        distribute(SkyGrid::Rule::full, weights.months[static_cast<size_t>(moment.month)]);
        if (has_levels) spread(thinned, weights.half_irradiances);
    }
    for (const std::vector<double>& month : weights.months) {
        for (size_t step = 0; step < month.size(); ++step) weights.full[step] += month[step];
    }
    return weights;
}

}  // namespace helioray
