// SPDX-License-Identifier: MIT
// Weighted sums over sun positions.
#include "raytracer/annual/annual.h"

#include "scenario/files/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace helioray {

namespace {

/// Weights of the nodes, in J/m2, for the year by three rules and for each month.
struct Weights {
    std::vector<double> full, half_declinations, half_hours;
    std::array<std::vector<double>, 12> months;
};

Weights weights_of(const SkyGrid& grid, const IrradianceYear& year) {
    const std::vector<double> zero(grid.nodes().size(), 0.0);
    Weights weights{zero, zero, zero, {}};
    weights.months.fill(zero);
    for (const SunMoment& moment : year.moments) {
        if (moment.elevation < grid.min_elevation()) continue;
        const auto distribute = [&](SkyGrid::Rule rule, std::vector<double>& to) {
            grid.distribute(moment.direction, moment.insolation, rule, to);
        };
        distribute(SkyGrid::Rule::half_declinations, weights.half_declinations);
        distribute(SkyGrid::Rule::half_hours, weights.half_hours);
        distribute(SkyGrid::Rule::full, weights.months[static_cast<size_t>(moment.month)]);
    }
    for (const std::vector<double>& month : weights.months) {
        for (size_t node = 0; node < month.size(); ++node) weights.full[node] += month[node];
    }
    return weights;
}

/// The energy from `value(node)` in m2, whose standard error is `error(node)`.
template <typename Value, typename Error>
YearEnergy integral(const Weights& weights, const Value& value, const Error& error) {
    YearEnergy energy;
    double by_declinations = 0.0, by_hours = 0.0;
    for (size_t node = 0; node < weights.full.size(); ++node) {
        const double area = value(node);
        energy.value += weights.full[node] * area;
        energy.std_error += std::abs(weights.full[node]) * error(node);
        by_declinations += weights.half_declinations[node] * area;
        by_hours += weights.half_hours[node] * area;
        for (size_t month = 0; month < 12; ++month)
            energy.months[month] += weights.months[month][node] * area;
    }
    energy.quadrature_error =
        std::abs(energy.value - by_declinations) + std::abs(energy.value - by_hours);
    return energy;
}

/// Power of one heliostat or all of them per irradiance, in m2.
class Areas {
  public:
    explicit Areas(const SeriesResult& series) : series_(series) {}

    double term(size_t node, size_t heliostat, double EnergyTerms::*member) const {
        return series_.energy[node * series_.heliostats.size() + heliostat].*member /
               series_.steps[node].dni_w_m2;
    }
    double std_error(size_t node, size_t heliostat) const {
        return series_.target_power_std_error[node * series_.heliostats.size() + heliostat] /
               series_.steps[node].dni_w_m2;
    }
    /// The power of heliostats that aim at a target; of all heliostats for an empty name.
    double on_target(size_t node, const std::string& name) const {
        double sum = 0.0;
        for (size_t i = 0; i < series_.heliostats.size(); ++i) {
            if (name.empty() || series_.heliostat_targets[i] == name)
                sum += term(node, i, &EnergyTerms::target_power);
        }
        return sum;
    }
    /// Its standard error: heliostats have their own rays, so their errors are independent.
    double std_error_on_target(size_t node, const std::string& name) const {
        double square = 0.0;
        for (size_t i = 0; i < series_.heliostats.size(); ++i) {
            if (name.empty() || series_.heliostat_targets[i] == name)
                square += std::pow(std_error(node, i), 2);
        }
        return std::sqrt(square);
    }

  private:
    const SeriesResult& series_;
};

YearEnergy on_target(const Weights& weights, const Areas& areas, const std::string& name) {
    return integral(
        weights,
        [&](size_t node) { return areas.on_target(node, name); },
        [&](size_t node) { return areas.std_error_on_target(node, name); });
}

AnnualHeliostat heliostat_yield(const SeriesResult& series,
                                const Weights& weights,
                                const Areas& areas,
                                size_t i) {
    AnnualHeliostat heliostat;
    heliostat.name = series.heliostats[i];
    heliostat.target = series.heliostat_targets[i];
    for (const EnergyTermInfo& term : energy_term_infos()) {
        for (size_t node = 0; node < weights.full.size(); ++node)
            heliostat.energy.*term.member += weights.full[node] * areas.term(node, i, term.member);
    }
    heliostat.on_target = integral(
        weights,
        [&](size_t node) { return areas.term(node, i, &EnergyTerms::target_power); },
        [&](size_t node) { return areas.std_error(node, i); });
    return heliostat;
}

}  // namespace

AnnualYield annual_yield(const SkyGrid& grid,
                         const IrradianceYear& year,
                         const SeriesResult& series) {
    if (series.steps.size() != grid.nodes().size())
        throw std::invalid_argument("the series does not have the grid's sun positions");
    const Weights weights = weights_of(grid, year);
    const Areas areas(series);

    AnnualYield yield;
    yield.provenance = series.provenance;
    yield.irradiance = year.source;
    yield.notes = year.notes;
    yield.min_elevation_deg = grid.min_elevation() / kRadiansPerDegree;
    if (!grid.is_all_year()) {
        yield.notes.push_back(fmt::format(
            "in winter there are days on which the sun stays below {:.1f} degrees; they bring "
            "nothing",
            yield.min_elevation_deg));
    }
    for (const SunMoment& moment : year.moments) yield.insolation += moment.insolation;
    yield.usable = integral(
        weights, [](size_t) { return 1.0; }, [](size_t) { return 0.0; });
    // The weights of every rule have the same sum; any difference is rounding.
    yield.usable.quadrature_error = 0.0;

    for (size_t i = 0; i < series.heliostats.size(); ++i) {
        yield.heliostats.push_back(heliostat_yield(series, weights, areas, i));
        for (const EnergyTermInfo& term : energy_term_infos())
            yield.energy.*term.member += yield.heliostats.back().energy.*term.member;
    }
    for (const SeriesTarget& target : series.targets)
        yield.targets.push_back({target.name, on_target(weights, areas, target.name)});
    yield.on_targets = on_target(weights, areas, "");

    yield.declinations = grid.declinations();
    yield.hours = grid.hours();
    yield.nodes = grid.nodes();
    yield.weights = weights.full;
    for (size_t node = 0; node < yield.nodes.size(); ++node) {
        double solar = 0.0;
        for (size_t i = 0; i < series.heliostats.size(); ++i) {
            const double own = areas.term(node, i, &EnergyTerms::solar_power);
            solar += own;
            yield.efficiency.push_back(areas.term(node, i, &EnergyTerms::target_power) / own);
        }
        yield.field_efficiency.push_back(areas.on_target(node, "") / solar);
    }
    return yield;
}

void set_plan(AnnualYield& yield, const RunResult& standing) {
    const auto same_name = [](const auto& a, const auto& b) { return a.name == b.name; };
    if (!std::ranges::equal(yield.heliostats, standing.heliostats, same_name) ||
        yield.targets.size() != standing.targets.size())
        throw std::invalid_argument("the plan is not that of the year's plant");
    RunResult plan;
    plan.provenance = yield.provenance;
    plan.provenance.sun_direction = {};
    plan.step = yield.irradiance;
    for (size_t i = 0; i < yield.targets.size(); ++i) {
        plan.targets.emplace_back();
        plan.targets.back().target = standing.targets[i].target;
        plan.targets.back().unit = "J";
    }
    for (size_t i = 0; i < yield.heliostats.size(); ++i) {
        const AnnualHeliostat& year = yield.heliostats[i];
        HeliostatResult heliostat;
        heliostat.name = year.name;
        heliostat.target = year.target;
        heliostat.energy = year.energy;
        heliostat.target_power_std_error = year.on_target.std_error;
        heliostat.orientation = standing.heliostats[i].orientation;
        heliostat.aim_point = standing.heliostats[i].aim_point;
        heliostat.mirror_outline = standing.heliostats[i].mirror_outline;
        plan.heliostats.push_back(std::move(heliostat));
    }
    yield.plan = std::move(plan);
}

}  // namespace helioray
