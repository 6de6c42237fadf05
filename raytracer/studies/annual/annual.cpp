// SPDX-License-Identifier: MIT
// Computes the yield of a year as weighted sums over sun positions.
#include "raytracer/studies/annual/annual.h"

#include "raytracer/results/light_warnings.h"
#include "raytracer/studies/annual/year_weights.h"
#include "scenario/files/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <stdexcept>

namespace helioray {

namespace {

/// Sums of an energy by all quadrature rules.
struct RuleSums {
    YearEnergy energy;  ///< value and months
    double by_declinations = 0.0, by_hours = 0.0, by_irradiances = 0.0;

    void add(const Weights& weights, size_t step, double area) {
        energy.value += weights.full[step] * area;
        by_declinations += weights.half_declinations[step] * area;
        by_hours += weights.half_hours[step] * area;
        if (!weights.half_irradiances.empty())
            by_irradiances += weights.half_irradiances[step] * area;
        for (size_t month = 0; month < 12; ++month)
            energy.months[month] += weights.months[month][step] * area;
    }
    /// Returns the energy with its quadrature error.
    YearEnergy result(bool has_irradiances) const {
        YearEnergy found = energy;
        found.quadrature_error =
            std::abs(found.value - by_declinations) + std::abs(found.value - by_hours);
        if (has_irradiances) found.quadrature_error += std::abs(found.value - by_irradiances);
        return found;
    }
};

/// Returns the energy of the area `value(step)` in m2 with the standard error `error(step)`.
template <typename Value, typename Error>
YearEnergy integral(const Weights& weights, const Value& value, const Error& error) {
    RuleSums sums;
    for (size_t step = 0; step < weights.full.size(); ++step) {
        sums.add(weights, step, value(step));
        sums.energy.std_error += std::abs(weights.full[step]) * error(step);
    }
    return sums.result(!weights.half_irradiances.empty());
}

/// Power of one heliostat or all of them, divided by irradiance, m2.
class Areas {
  public:
    explicit Areas(const SeriesResult& series) : series_(series) {}

    double term(size_t step, size_t heliostat, double EnergyTerms::*member) const {
        return series_.energy[step * series_.heliostats.size() + heliostat].*member /
               series_.steps[step].dni_w_m2;
    }
    double std_error(size_t step, size_t heliostat) const {
        return series_.target_power_std_error[step * series_.heliostats.size() + heliostat] /
               series_.steps[step].dni_w_m2;
    }
    /// Returns the power of heliostats that aim at a target, or of all heliostats for an empty
    /// name.
    double on_target(size_t step, const std::string& name) const {
        double sum = 0.0;
        for (size_t i = 0; i < series_.heliostats.size(); ++i) {
            if (name.empty() || series_.heliostat_targets[i] == name)
                sum += term(step, i, &EnergyTerms::target_power);
        }
        return sum;
    }
    /// Returns the standard error of on_target(). Heliostats have separate rays, so their errors
    /// are independent.
    double std_error_on_target(size_t step, const std::string& name) const {
        double square = 0.0;
        for (size_t i = 0; i < series_.heliostats.size(); ++i) {
            if (name.empty() || series_.heliostat_targets[i] == name)
                square += std::pow(std_error(step, i), 2);
        }
        return std::sqrt(square);
    }

  private:
    const SeriesResult& series_;
};

YearEnergy on_target(const Weights& weights, const Areas& areas, const std::string& name) {
    return integral(
        weights,
        [&](size_t step) { return areas.on_target(step, name); },
        [&](size_t step) { return areas.std_error_on_target(step, name); });
}

/// Returns the energy on a surface of a receiver, which any heliostat may light.
YearEnergy on_surface(const Weights& weights,
                      const SeriesResult& series,
                      const SeriesTarget& surface) {
    return integral(
        weights,
        [&](size_t step) { return surface.power_w[step] / series.steps[step].dni_w_m2; },
        [&](size_t step) { return surface.power_std_error_w[step] / series.steps[step].dni_w_m2; });
}

AnnualHeliostat heliostat_yield(const SeriesResult& series,
                                const std::optional<YearLevels>& levels,
                                const Weights& weights,
                                const Areas& areas,
                                size_t i) {
    AnnualHeliostat heliostat;
    heliostat.name = series.heliostats[i];
    heliostat.target = series.heliostat_targets[i];
    for (const EnergyTermInfo& term : energy_term_infos()) {
        for (size_t step = 0; step < weights.full.size(); ++step)
            heliostat.energy.*term.member += weights.full[step] * areas.term(step, i, term.member);
    }
    heliostat.on_target = integral(
        weights,
        [&](size_t step) { return areas.term(step, i, &EnergyTerms::target_power); },
        [&](size_t step) { return areas.std_error(step, i); });
    if (!levels) return heliostat;
    const size_t count = series.heliostats.size();
    for (size_t step = 0; step < weights.full.size(); ++step)
        heliostat.defocus_loss += weights.full[step] * levels->defocus_loss[step * count + i] /
                                  series.steps[step].dni_w_m2;
    return heliostat;
}

/// Weights of one day, only of the steps that it needs.
struct DayWeights {
    std::int64_t day = 0;
    size_t month = 0;
    struct Step {
        size_t index = 0;
        double full = 0.0, half_declinations = 0.0, half_hours = 0.0, half_irradiances = 0.0;
    };
    std::vector<Step> steps;
};

std::vector<DayWeights> weights_by_day(const SkyGrid& grid,
                                       const IrradianceYear& year,
                                       const std::vector<NodeSteps>& nodes,
                                       size_t num_steps) {
    std::vector<DayWeights> days;
    const std::span<const SunMoment> moments(year.moments);
    for (size_t begin = 0; begin < moments.size();) {
        size_t end = begin;
        while (end < moments.size() && moments[end].day == moments[begin].day) ++end;
        const Weights weights =
            compute_weights(grid, year, moments.subspan(begin, end - begin), nodes, num_steps);
        DayWeights day{moments[begin].day, static_cast<size_t>(moments[begin].month), {}};
        for (size_t step = 0; step < num_steps; ++step) {
            const DayWeights::Step found{
                step,
                weights.full[step],
                weights.half_declinations[step],
                weights.half_hours[step],
                weights.half_irradiances.empty() ? 0.0 : weights.half_irradiances[step]};
            if (found.full != 0.0 || found.half_declinations != 0.0 || found.half_hours != 0.0 ||
                found.half_irradiances != 0.0)
                day.steps.push_back(found);
        }
        days.push_back(std::move(day));
        begin = end;
    }
    return days;
}

/// Energies on targets with soiling and outages. The energy of a group of heliostats has the
/// standard error of independent heliostats at each step.
class StateYield {
  public:
    StateYield(const PlantState& state,
               const std::vector<DayWeights>& days,
               const Weights& clean,
               const Areas& areas)
        : state_(state), days_(days), clean_(clean), areas_(areas) {}

    /// Sets the losses and the energy of a heliostat, which has those of the clean plant, and adds
    /// it to groups.
    void apply(size_t i, AnnualHeliostat& heliostat, const std::vector<std::string>& groups) {
        const auto area = [&](size_t step) {
            return areas_.term(step, i, &EnergyTerms::target_power);
        };
        Weights weights = zero_weights();
        for (const DayWeights& day : days_) {
            const double clean = state_.clean_share(i, day.day);
            const double factor = state_.is_available(i, day.day) ? clean : 0.0;
            for (const DayWeights::Step& step : day.steps) {
                const double all = step.full * area(step.index);
                heliostat.soiling_loss += (1.0 - clean) * all;
                heliostat.outage_loss += (clean - factor) * all;
                if (factor == 0.0) continue;
                weights.full[step.index] += factor * step.full;
                weights.half_declinations[step.index] += factor * step.half_declinations;
                weights.half_hours[step.index] += factor * step.half_hours;
                if (!weights.half_irradiances.empty())
                    weights.half_irradiances[step.index] += factor * step.half_irradiances;
                weights.months[day.month][step.index] += factor * step.full;
            }
        }
        heliostat.on_target =
            integral(weights, area, [&](size_t step) { return areas_.std_error(step, i); });
        heliostat.energy.target_power = heliostat.on_target.value;
        for (const std::string& name : groups) {
            Group& group = groups_[name];
            group.squares.resize(weights.full.size(), 0.0);
            for (size_t step = 0; step < weights.full.size(); ++step) {
                group.sums.add(weights, step, area(step));
                group.squares[step] += std::pow(weights.full[step] * areas_.std_error(step, i), 2);
            }
        }
    }

    /// Returns the energy of a group.
    YearEnergy energy(const std::string& name) {
        const Group& group = groups_[name];
        YearEnergy found = group.sums.result(!clean_.half_irradiances.empty());
        for (const double square : group.squares) found.std_error += std::sqrt(square);
        return found;
    }

  private:
    struct Group {
        RuleSums sums;
        std::vector<double> squares;  ///< by step, J^2
    };

    Weights zero_weights() const {
        const std::vector<double> zero(clean_.full.size(), 0.0);
        Weights weights{zero, zero, zero, {}, {}};
        if (!clean_.half_irradiances.empty()) weights.half_irradiances = zero;
        weights.months.fill(zero);
        return weights;
    }

    const PlantState& state_;
    const std::vector<DayWeights>& days_;
    const Weights& clean_;
    const Areas& areas_;
    std::map<std::string, Group> groups_;
};

/// Multiplies an energy by the ratio of two others, by month.
void scale(YearEnergy& energy, const YearEnergy& numerator, const YearEnergy& denominator) {
    const auto ratio = [](double a, double b) { return b > 0.0 ? a / b : 0.0; };
    const double whole = ratio(numerator.value, denominator.value);
    energy.value *= whole;
    energy.std_error *= whole;
    energy.quadrature_error *= whole;
    for (size_t month = 0; month < energy.months.size(); ++month)
        energy.months[month] *= ratio(numerator.months[month], denominator.months[month]);
}

/// Applies soiling and outages to the yield of the clean plant.
void apply_state(const PlantState& state,
                 const std::vector<DayWeights>& days,
                 const Weights& weights,
                 const Areas& areas,
                 const std::vector<SeriesTarget>& series_targets,
                 AnnualYield& yield) {
    if (state.num_heliostats() != yield.heliostats.size())
        throw std::invalid_argument("the state does not have the series' heliostats");
    // Targets cannot have an empty name, which stands for all of them.
    StateYield found(state, days, weights, areas);
    for (size_t i = 0; i < yield.heliostats.size(); ++i) {
        AnnualHeliostat& heliostat = yield.heliostats[i];
        yield.energy.target_power -= heliostat.energy.target_power;
        found.apply(i, heliostat, {heliostat.target, ""});
        yield.energy.target_power += heliostat.energy.target_power;
        yield.soiling_loss += heliostat.soiling_loss;
        yield.outage_loss += heliostat.outage_loss;
    }
    const YearEnergy clean = std::exchange(yield.on_targets, found.energy(""));
    for (size_t t = 0; t < yield.targets.size(); ++t) {
        YearEnergy& energy = yield.targets[t].energy;
        if (series_targets[t].receiver.empty()) {
            energy = found.energy(yield.targets[t].name);
        } else {
            // Any heliostat may light a surface of a receiver, so it loses as much as the field.
            scale(energy, yield.on_targets, clean);
        }
    }
    yield.energy.target_power = yield.on_targets.value;
    yield.state = YearState{state.mean_soiling(), state.outage_share()};
}

/// Returns information about the aim points, with the energy of strategy center.
YearAiming summarise_aiming(const YearLevels& levels,
                            const SeriesResult& series,
                            const Weights& weights) {
    YearAiming aiming = levels.aiming;
    aiming.center_energy = 0.0;
    for (size_t step = 0; step < weights.full.size(); ++step)
        aiming.center_energy +=
            weights.full[step] * levels.center_power[step] / series.steps[step].dni_w_m2;
    return aiming;
}

/// Sets the weights of the nodes and the efficiencies at the irradiance of a cloudless sky.
void fill_sky(AnnualYield& yield,
              const IrradianceYear& year,
              const std::vector<NodeSteps>& nodes,
              const Weights& weights,
              const SeriesResult& series) {
    const Areas areas(series);
    const bool has_levels = series.steps.size() != nodes.size();
    const size_t count = series.heliostats.size();
    for (size_t node = 0; node < nodes.size(); ++node) {
        std::vector<double> shares(series.steps.size(), 0.0);
        nodes[node].add(
            has_levels ? year.clear_sky(yield.nodes[node].elevation) : 1.0, 1.0, shares);
        double weight = 0.0, solar = 0.0, on_target = 0.0;
        std::vector<double> own_solar(count, 0.0), own_target(count, 0.0);
        for (size_t step = nodes[node].first(); step < nodes[node].end(); ++step) {
            weight += weights.full[step];
            for (size_t i = 0; i < count; ++i) {
                own_solar[i] += shares[step] * areas.term(step, i, &EnergyTerms::solar_power);
                own_target[i] += shares[step] * areas.term(step, i, &EnergyTerms::target_power);
            }
        }
        for (size_t i = 0; i < count; ++i) {
            solar += own_solar[i];
            on_target += own_target[i];
            yield.efficiency.push_back(own_target[i] / own_solar[i]);
        }
        yield.weights.push_back(weight);
        yield.field_efficiency.push_back(on_target / solar);
    }
}

}  // namespace

AnnualYield annual_yield(const SkyGrid& grid,
                         const IrradianceYear& year,
                         const SeriesResult& series,
                         const std::optional<YearLevels>& levels,
                         const PlantState* state) {
    const std::vector<NodeSteps> nodes = node_steps(grid, series, levels);
    const Weights weights = compute_weights(grid, year, year.moments, nodes, series.steps.size());
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
    // The weights of all rules have the same sum; any difference is rounding.
    yield.usable.quadrature_error = 0.0;

    for (size_t i = 0; i < series.heliostats.size(); ++i) {
        yield.heliostats.push_back(heliostat_yield(series, levels, weights, areas, i));
        yield.defocus_loss += yield.heliostats.back().defocus_loss;
        for (const EnergyTermInfo& term : energy_term_infos())
            yield.energy.*term.member += yield.heliostats.back().energy.*term.member;
    }
    for (const SeriesTarget& target : series.targets) {
        yield.targets.push_back({target.name,
                                 target.receiver.empty() ? on_target(weights, areas, target.name)
                                                         : on_surface(weights, series, target)});
    }
    yield.on_targets = on_target(weights, areas, "");
    if (state)
        apply_state(*state,
                    weights_by_day(grid, year, nodes, series.steps.size()),
                    weights,
                    areas,
                    series.targets,
                    yield);

    yield.declinations = grid.declinations();
    yield.hours = grid.hours();
    yield.nodes = grid.nodes();
    for (size_t i = 0; i < nodes.size(); ++i)
        yield.nodes[i].temperature = series.steps[nodes[i].first()].temperature_c;
    fill_sky(yield, year, nodes, weights, series);
    if (levels) yield.aiming = summarise_aiming(*levels, series, weights);
    return yield;
}

const std::vector<YearLoss>& year_losses() {
    using Y = AnnualYield;
    using A = AnnualHeliostat;
    using H = HeliostatResult;
    static const std::vector<YearLoss> all{
        {"defocus_loss",
         "Energy lost while flux limits kept heliostats off.",
         "Over the year: not used because flux limits turn the heliostat off.",
         "Not used because flux limits turn heliostats off.",
         false,
         &Y::defocus_loss,
         &A::defocus_loss,
         &H::defocus_loss},
        {"soiling_loss",
         "Energy lost to soiled mirrors.",
         "Over the year: what clean mirrors would have brought in addition.",
         "Not reflected because mirrors are dirty.",
         true,
         &Y::soiling_loss,
         &A::soiling_loss,
         &H::soiling_loss},
        {"outage_loss",
         "Energy lost to heliostats out of order.",
         "Over the year: what the heliostat would have brought while it was out of order.",
         "Not used because heliostats are out of order.",
         true,
         &Y::outage_loss,
         &A::outage_loss,
         &H::outage_loss}};
    return all;
}

void set_plan(AnnualYield& yield, const RunResult& plant) {
    const auto same_name = [](const auto& a, const auto& b) { return a.name == b.name; };
    if (!std::ranges::equal(yield.heliostats, plant.heliostats, same_name) ||
        yield.targets.size() != plant.targets.size())
        throw std::invalid_argument("the plan is not that of the year's plant");
    RunResult plan;
    plan.provenance = yield.provenance;
    plan.provenance.sun_direction = {};
    plan.step = yield.irradiance;
    for (size_t i = 0; i < yield.targets.size(); ++i) {
        plan.targets.emplace_back();
        plan.targets.back().target = plant.targets[i].target;
        plan.targets.back().unit = "J";
    }
    for (size_t i = 0; i < yield.heliostats.size(); ++i) {
        const AnnualHeliostat& year = yield.heliostats[i];
        HeliostatResult heliostat;
        heliostat.name = year.name;
        heliostat.target = year.target;
        heliostat.energy = year.energy;
        for (const YearLoss& loss : year_losses()) heliostat.*loss.plan = year.*loss.heliostat;
        heliostat.target_power_std_error = year.on_target.std_error;
        heliostat.orientation = plant.heliostats[i].orientation;
        heliostat.aim_point = plant.heliostats[i].aim_point;
        heliostat.mirror_outline = plant.heliostats[i].mirror_outline;
        plan.heliostats.push_back(std::move(heliostat));
    }
    yield.plan = std::move(plan);
}

std::vector<std::string> light_warnings(const AnnualYield& yield) {
    // Heliostats that flux limits turn off do not aim at their target.
    std::map<std::string, double> sunlight;
    std::map<std::string, double> defocused;
    for (const AnnualHeliostat& heliostat : yield.heliostats) {
        sunlight[heliostat.target] += heliostat.energy.solar_power;
        defocused[heliostat.target] += heliostat.defocus_loss;
    }
    std::vector<std::string> warnings;
    for (size_t i = 0; i < yield.targets.size(); ++i) {
        const AnnualTarget& target = yield.targets[i];
        const bool is_surface = yield.plan && !yield.plan->targets[i].target.receiver.empty();
        if (is_surface || !(sunlight[target.name] > 0.0)) continue;
        LightCount count;
        // The energy of a year is the sum over all positions.
        for (size_t node = 0; node < std::max<size_t>(1, yield.nodes.size()); ++node)
            count.add(target.energy.value + defocused[target.name] > 0.0);
        for (std::string& warning : count.warning(target.name, "positions of the sun"))
            warnings.push_back(std::move(warning));
    }
    return warnings;
}

}  // namespace helioray
