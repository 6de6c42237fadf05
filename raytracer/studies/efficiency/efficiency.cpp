// SPDX-License-Identifier: MIT
// Computes the entries of the table from traced sun positions.
#include "raytracer/studies/efficiency/efficiency.h"

#include "raytracer/results/light_warnings.h"
#include "raytracer/results/series/series.h"
#include "raytracer/tracing/job/mirror_outline.h"
#include "scenario/files/units.h"
#include "scenario/sun/solar_position.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace helioray {

namespace {

bool is_zenith(double elevation) {
    return elevation > 0.5 * std::numbers::pi - 1e-9;
}

/// A traced position, with all numbers as fractions of irradiance times mirror area.
struct Traced {
    EnergyTerms shares;
    double parked = 0.0;
    double std_error = 0.0;
    struct OnTarget {
        std::string name;
        double power = 0.0;
        double std_error = 0.0;
        std::vector<double> pixels;  ///< power in each pixel
        std::vector<double> pixel_errors;
    };
    std::vector<OnTarget> targets;
};

/// A position and its weight in an entry.
struct Share {
    std::size_t position = 0;
    double weight = 1.0;
};

EnergyTerms sum_energy(const RunResult& result) {
    EnergyTerms sum;
    for (const HeliostatResult& heliostat : result.heliostats)
        for (const EnergyTermInfo& term : energy_term_infos())
            sum.*term.member += heliostat.energy.*term.member;
    return sum;
}

/// Returns the light at a position, in W.
Traced traced(const RunResult& result) {
    Traced position;
    position.shares = sum_energy(result);
    if (!(position.shares.solar_power > 0.0))
        throw std::invalid_argument("a position without irradiance");
    double square = 0.0;
    for (const TargetResult& target : result.targets) {
        Traced::OnTarget on_target;
        on_target.name = target.target.name;
        on_target.power = target.power_w;
        on_target.std_error = target.power_std_error_w;
        square += on_target.std_error * on_target.std_error;
        const auto [width, height] = surface_extent(target.target);
        const double pixel = width * height / static_cast<double>(target.width * target.height);
        for (const double flux : target.flux) on_target.pixels.push_back(pixel * flux);
        for (const double error : target.flux_std_error)
            on_target.pixel_errors.push_back(pixel * error);
        on_target.pixel_errors.resize(on_target.pixels.size());
        position.targets.push_back(std::move(on_target));
    }
    // Targets have different heliostats, whose rays are independent.
    position.std_error = std::sqrt(square);
    return position;
}

/// Converts the numbers in W to fractions. parked: sunlight on parked mirrors, W.
void divide(Traced& position, double parked) {
    const double all = position.shares.solar_power + parked;
    for (const EnergyTermInfo& term : energy_term_infos()) position.shares.*term.member /= all;
    position.shares.solar_power = 1.0;
    position.parked = parked / all;
    position.std_error /= all;
    for (Traced::OnTarget& target : position.targets) {
        target.power /= all;
        target.std_error /= all;
        for (double& power : target.pixels) power /= all;
        for (double& error : target.pixel_errors) error /= all;
    }
}

/// Weights of the positions that determine the number at a place. Places are the entries, followed
/// by the middles of cells.
class Interpolation {
  public:
    explicit Interpolation(const EfficiencyPlan& plan) : plan_(plan) {
        std::optional<std::size_t> zenith;
        std::size_t next = 0;
        for (std::size_t entry = 0; entry < plan.suns.size(); ++entry) {
            suns_.push_back(plan.suns.sun(entry));
            const bool at_zenith = is_zenith(suns_.back().elevation);
            own_.push_back(at_zenith && zenith ? *zenith : next++);
            if (at_zenith && !zenith) zenith = own_.back();
        }
        if (!plan.has_checks) return;
        for (const SunRectangle::Sun& middle : plan.suns.middles()) {
            suns_.push_back(middle);
            own_.push_back(next++);
        }
    }

    std::size_t places() const { return suns_.size(); }

    /// Returns true if places are interpolated between other positions.
    bool has_rules() const { return plan_.year.has_value(); }

    std::vector<Share> shares(std::size_t place, SkyGrid::Rule rule = SkyGrid::Rule::full) const {
        if (!plan_.year) return {{own_[place], 1.0}};
        std::vector<double> weights(plan_.year->nodes().size(), 0.0);
        plan_.year->distribute(direction(place), 1.0, rule, weights);
        std::vector<Share> shares;
        for (std::size_t i = 0; i < weights.size(); ++i)
            if (weights[i] != 0.0) shares.push_back({i, weights[i]});
        return shares;
    }

    bool is_reached(std::size_t place) const {
        return !plan_.year || plan_.year->covers(direction(place));
    }

  private:
    Vec3 direction(std::size_t place) const {
        const auto [azimuth, elevation] = suns_[place];
        return direction_to_sun({azimuth, elevation, elevation});
    }

    const EfficiencyPlan& plan_;
    std::vector<SunRectangle::Sun> suns_;  // sun by place
    std::vector<std::size_t> own_;         // position by place, for a rectangle
};

/// Returns the interpolation errors at all entries for a number of each position.
template <typename Number>
std::vector<double> interpolation_errors(const SunRectangle& suns,
                                         const Interpolation& interpolation,
                                         const Number& get_number) {
    const auto sum = [&](const std::vector<Share>& shares) {
        double found = 0.0;
        for (const auto& [position, weight] : shares) found += weight * get_number(position);
        return found;
    };
    std::vector<double> values, at_middles, changes;
    for (std::size_t place = 0; place < interpolation.places(); ++place) {
        const double value = sum(interpolation.shares(place));
        if (place >= suns.size()) {
            at_middles.push_back(value);
            continue;
        }
        values.push_back(value);
        double& change = changes.emplace_back(0.0);
        if (!interpolation.has_rules()) continue;
        for (const auto rule : {SkyGrid::Rule::half_declinations, SkyGrid::Rule::half_hours})
            change += std::abs(value - sum(interpolation.shares(place, rule)));
    }
    std::vector<double> errors = suns.interpolation_error(values, at_middles);
    for (std::size_t entry = 0; entry < errors.size(); ++entry) errors[entry] += changes[entry];
    return errors;
}

/// Adds a map whose sum is 1. Errors of pixels are independent, so a fraction s = p / P of the
/// power P has the variance ((1 - 2 s) var p + s^2 var P) / P^2.
void add_map(EfficiencyTarget& target,
             const std::vector<Traced>& positions,
             const std::vector<Share>& shares,
             std::size_t number) {
    const std::size_t count = positions.front().targets[number].pixels.size();
    std::vector<double> pixels(count, 0.0), errors(count, 0.0);
    double power = 0.0, power_error = 0.0;
    for (const auto& [position, weight] : shares) {
        const Traced::OnTarget& from = positions[position].targets[number];
        power += weight * from.power;
        // All positions use the same random numbers, so their errors may all have one sign.
        power_error += std::abs(weight) * from.std_error;
        for (std::size_t i = 0; i < count; ++i) {
            pixels[i] += weight * from.pixels[i];
            errors[i] += std::abs(weight) * from.pixel_errors[i];
        }
    }
    target.efficiency.push_back(power);
    target.efficiency_std_error.push_back(power_error);
    // Polynomials may become negative between positions with almost no light.
    for (double& pixel : pixels) pixel = std::max(0.0, pixel);
    const double total = std::accumulate(pixels.begin(), pixels.end(), 0.0);
    const double scale = total > 0.0 ? 1.0 / total : 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const double share = scale * pixels[i];
        const double variance =
            (1.0 - 2.0 * share) * errors[i] * errors[i] + share * share * power_error * power_error;
        target.flux_share.push_back(share);
        target.flux_share_std_error.push_back(scale * std::sqrt(std::max(0.0, variance)));
    }
}

void add_entry(EfficiencyTable& table,
               const std::vector<Traced>& positions,
               const Interpolation& interpolation,
               std::size_t entry) {
    const std::vector<Share> shares = interpolation.shares(entry);
    EnergyTerms terms;
    double parked = 0.0, error = 0.0;
    for (const auto& [position, weight] : shares) {
        for (const EnergyTermInfo& term : energy_term_infos())
            terms.*term.member += weight * positions[position].shares.*term.member;
        parked += weight * positions[position].parked;
        error += std::abs(weight) * positions[position].std_error;
    }
    table.shares.push_back(terms);
    table.parked_loss.push_back(parked);
    table.std_error.push_back(error);
    table.reached.push_back(interpolation.is_reached(entry));
    for (std::size_t i = 0; i < table.targets.size(); ++i)
        add_map(table.targets[i], positions, shares, i);
}

/// Returns the area of the convex hull of points in the plane, by A. M. Andrew's monotone chain
/// (Inf. Process. Lett. 9 (1979) 216-219), m2.
double hull_area(std::vector<std::array<double, 2>> points) {
    std::ranges::sort(points);
    const auto turn = [](const auto& a, const auto& b, const auto& c) {
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    };
    double twice = 0.0;
    for (int side = 0; side < 2; ++side) {
        std::vector<std::array<double, 2>> chain;
        for (const auto& point : points) {
            while (chain.size() >= 2 && turn(chain[chain.size() - 2], chain.back(), point) <= 0.0)
                chain.pop_back();
            chain.push_back(point);
        }
        for (std::size_t i = 1; i < chain.size(); ++i)
            twice += chain[i - 1][0] * chain[i][1] - chain[i][0] * chain[i - 1][1];
        std::ranges::reverse(points);
    }
    return 0.5 * std::abs(twice);
}

/// Adds targets of a position that the table does not contain yet: in earlier positions all
/// heliostats of a target may have been parked.
void add_targets(EfficiencyTable& table, const RunResult& result) {
    for (const TargetResult& found : result.targets) {
        const bool is_known = std::ranges::any_of(table.targets, [&](const auto& known) {
            return known.target.name == found.target.name;
        });
        if (!is_known)
            table.targets.push_back({found.target, found.width, found.height, {}, {}, {}, {}, {}});
    }
}

/// Sorts the targets of a position as in the table, and adds dark targets for missing ones.
void complete_targets(Traced& position, const std::vector<EfficiencyTarget>& targets) {
    std::vector<Traced::OnTarget> complete;
    for (const EfficiencyTarget& target : targets) {
        const auto own =
            std::ranges::find(position.targets, target.target.name, &Traced::OnTarget::name);
        if (own != position.targets.end()) {
            complete.push_back(std::move(*own));
            continue;
        }
        const auto pixels = static_cast<std::size_t>(target.width * target.height);
        complete.push_back({target.target.name,
                            0.0,
                            0.0,
                            std::vector<double>(pixels),
                            std::vector<double>(pixels)});
    }
    position.targets = std::move(complete);
}

/// Collects the heliostats of all positions.
class Plant {
  public:
    /// Adds a position and records the heliostats that are parked in it.
    void add(const RunResult& result) {
        if (mirrors_.empty()) mirrors_.resize(result.heliostats.size());
        if (mirrors_.size() != result.heliostats.size())
            throw std::invalid_argument("positions with different heliostats");
        std::vector<std::size_t>& parked = parked_.emplace_back();
        for (std::size_t i = 0; i < mirrors_.size(); ++i) {
            const HeliostatResult& heliostat = result.heliostats[i];
            if (!(heliostat.energy.solar_power > 0.0)) {
                parked.push_back(i);
            } else if (!(mirrors_[i].solar_power > 0.0)) {
                mirrors_[i] = {heliostat.energy.solar_power, mirror_origin(heliostat)};
            }
        }
    }

    /// Returns the sunlight on the mirrors that are parked in a position, W.
    double parked_power(std::size_t position) const {
        double sum = 0.0;
        for (const std::size_t i : parked_[position]) sum += mirrors_[i].solar_power;
        return sum;
    }

    void describe(EfficiencyTable& table, double dni) const {
        std::vector<std::array<double, 2>> places;
        double height = 0.0, power = 0.0;
        for (const Mirror& mirror : mirrors_) {
            if (!(mirror.solar_power > 0.0)) continue;
            places.push_back({mirror.origin[0], mirror.origin[1]});
            height += mirror.origin[2];
            power += mirror.solar_power;
        }
        table.heliostats = std::ssize(places);
        table.mirror_area = power / dni;
        table.mean_mirror_height = height / static_cast<double>(places.size());
        table.land_area = hull_area(std::move(places));
    }

  private:
    struct Mirror {
        double solar_power = 0.0;  // sunlight on the mirror, W; 0 while it has only been parked
        Vec3 origin{};  // origin in the first position in which it was not parked, metres
    };

    std::vector<Mirror> mirrors_;
    std::vector<std::vector<std::size_t>> parked_;  // parked heliostats by position
};

}  // namespace

std::vector<SunRectangle::Sun> EfficiencyPlan::positions() const {
    std::vector<SunRectangle::Sun> positions;
    if (year) {
        for (const SkyGrid::Node& node : year->nodes())
            positions.push_back({node.azimuth, node.elevation});
        return positions;
    }
    bool has_zenith = false;
    for (std::size_t entry = 0; entry < suns.size(); ++entry) {
        const SunRectangle::Sun sun = suns.sun(entry);
        if (is_zenith(sun.elevation) && std::exchange(has_zenith, true)) continue;
        positions.push_back(sun);
    }
    if (has_checks) std::ranges::copy(suns.middles(), std::back_inserter(positions));
    return positions;
}

EnergyTerms summed_shares(const EfficiencyTable& table) {
    EnergyTerms sum;
    for (const EnergyTerms& shares : table.shares)
        for (const EnergyTermInfo& term : energy_term_infos())
            sum.*term.member += shares.*term.member;
    return sum;
}

EfficiencyEstimate efficiency_at(const EfficiencyTable& table, double azimuth, double elevation) {
    EfficiencyEstimate estimate;
    estimate.is_covered = table.suns.contains(azimuth, elevation);
    for (const auto& [entry, weight] : table.suns.interpolation(azimuth, elevation)) {
        for (const EnergyTermInfo& term : energy_term_infos())
            estimate.shares.*term.member += weight * table.shares[entry].*term.member;
        estimate.parked_loss += weight * table.parked_loss[entry];
        estimate.std_error = std::max(estimate.std_error, table.std_error[entry]);
        estimate.interpolation_error =
            std::max(estimate.interpolation_error, table.interpolation_error[entry]);
    }
    return estimate;
}

EfficiencyTable efficiency_table(const EfficiencyPlan& plan,
                                 const std::function<RunResult(std::size_t)>& step) {
    EfficiencyTable table(plan.suns);
    table.grid = plan.year ? "year" : "rectangle";
    table.latitude = plan.latitude;
    const std::size_t count = plan.positions().size();
    table.checks = plan.num_checks();
    table.positions = count - table.checks;

    std::vector<Traced> positions;
    std::vector<std::string> fingerprints;
    Plant plant;
    std::int64_t rays = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const RunResult result = step(i);
        if (i == 0) table.provenance = result.provenance;
        add_targets(table, result);
        rays += result.provenance.rays;
        fingerprints.push_back(result.provenance.fingerprint);
        plant.add(result);
        positions.push_back(traced(result));
    }
    table.provenance.rays = rays;
    table.provenance.fingerprint = series_fingerprint(fingerprints);
    plant.describe(table, plan.dni);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        complete_targets(positions[i], table.targets);
        divide(positions[i], plant.parked_power(i));
    }

    const Interpolation interpolation(plan);
    for (std::size_t entry = 0; entry < plan.suns.size(); ++entry)
        add_entry(table, positions, interpolation, entry);
    table.interpolation_error =
        interpolation_errors(plan.suns, interpolation, [&](std::size_t position) {
            return positions[position].shares.target_power;
        });
    for (std::size_t i = 0; i < table.targets.size(); ++i) {
        table.targets[i].interpolation_error =
            interpolation_errors(plan.suns, interpolation, [&](std::size_t position) {
                return positions[position].targets[i].power;
            });
    }
    return table;
}

std::vector<std::string> light_warnings(const EfficiencyTable& table) {
    const size_t num_elevations = table.suns.elevations().size();
    std::map<std::string, std::vector<double>> efficiencies;
    for (const EfficiencyTarget& target : table.targets) {
        std::vector<double>& sums =
            efficiencies[light_name(target.target.name, target.target.receiver)];
        sums.resize(table.suns.size(), 0.0);
        if (target.target.use == SurfaceUse::absorber)
            std::ranges::transform(sums, target.efficiency, sums.begin(), std::plus());
    }
    std::vector<std::string> warnings;
    for (const auto& [name, efficiency] : efficiencies) {
        LightCount count;
        for (size_t entry = 0; entry < table.suns.size(); ++entry) {
            const bool is_lit = efficiency[entry] > 0.0;
            // The table does not store the targets of parked mirrors.
            if (!table.reached[entry] || (!is_lit && table.parked_loss[entry] > 0.0)) continue;
            count.add(
                is_lit,
                fmt::format("azimuth {:.1f}, elevation {:.1f} degrees",
                            table.suns.azimuths()[entry / num_elevations] / kRadiansPerDegree,
                            table.suns.elevations()[entry % num_elevations] / kRadiansPerDegree));
        }
        for (std::string& warning : count.warning(name, "positions of the sun"))
            warnings.push_back(std::move(warning));
    }
    return warnings;
}

}  // namespace helioray
