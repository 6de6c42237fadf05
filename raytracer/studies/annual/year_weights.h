// SPDX-License-Identifier: MIT
// Weights of the traced steps of a year.
#pragma once

#include "raytracer/studies/annual/annual.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace helioray {

/// Weights of the steps, J/m2, for the year by four quadrature rules and for each month.
struct Weights {
    std::vector<double> full, half_declinations, half_hours, half_irradiances;
    std::array<std::vector<double>, 12> months;
};

/// The steps of a node by ascending irradiance, with the interpolation between them.
class NodeSteps {
  public:
    /// Takes the steps from `first` up to `end` - 1 of a series.
    NodeSteps(const SeriesResult& series, size_t first, size_t end) {
        for (size_t step = first; step < end; ++step)
            steps_.emplace_back(step, series.steps[step].dni_w_m2);
    }

    /// Returns the step with the lowest irradiance.
    size_t first() const { return steps_.front().first; }
    /// Returns the number of the step behind the last one.
    size_t end() const { return steps_.back().first + 1; }

    /// Returns the step with the lowest irradiance and every second one down from the highest.
    NodeSteps thinned() const {
        NodeSteps rest;
        for (size_t i = 0; i < steps_.size(); ++i) {
            const size_t from_top = steps_.size() - 1 - i;
            if (i == 0 || from_top % 2 == 0) rest.steps_.push_back(steps_[i]);
        }
        return rest;
    }

    /// Adds `amount` J/m2 at an irradiance to the weights of the steps. Power (irradiance times
    /// efficiency) is linear between two steps; efficiency is constant below the first step and
    /// above the last one.
    void add(double irradiance, double amount, std::vector<double>& weights) const {
        size_t above = 0;
        while (above < steps_.size() && steps_[above].second <= irradiance) ++above;
        if (above == 0 || above == steps_.size()) {
            weights[steps_[above == 0 ? 0 : above - 1].first] += amount;
            return;
        }
        const auto& [low_step, low] = steps_[above - 1];
        const auto& [high_step, high] = steps_[above];
        const double t = (irradiance - low) / (high - low);
        weights[low_step] += amount * (1.0 - t) * low / irradiance;
        weights[high_step] += amount * t * high / irradiance;
    }

  private:
    NodeSteps() = default;

    std::vector<std::pair<size_t, double>> steps_;  ///< index of the step, irradiance in W/m2
};

/// Returns the steps of every node. Throws std::invalid_argument if the series does not have the
/// grid's sun positions.
std::vector<NodeSteps> node_steps(const SkyGrid& grid,
                                  const SeriesResult& series,
                                  const std::optional<YearLevels>& levels);

/// Returns the weights of some moments of the year.
Weights compute_weights(const SkyGrid& grid,
                        const IrradianceYear& year,
                        std::span<const SunMoment> moments,
                        const std::vector<NodeSteps>& nodes,
                        size_t num_steps);

}  // namespace helioray
