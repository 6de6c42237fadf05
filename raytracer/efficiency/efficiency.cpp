// SPDX-License-Identifier: MIT
// From traced sun positions to the entries of the table.
#include "raytracer/efficiency/efficiency.h"

#include "raytracer/job/mirror_outline.h"
#include "raytracer/results/series.h"
#include "scenario/sun/solar_position.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace helioray {

namespace {

bool is_zenith(double elevation) {
    return elevation > 0.5 * std::numbers::pi - 1e-9;
}

/// A traced position: everything as a share of irradiance times mirror area.
struct Traced {
    EnergyTerms shares;
    double std_error = 0.0;
    struct OnTarget {
        double power = 0.0;
        double std_error = 0.0;
        std::vector<double> pixels;  ///< power in each
        std::vector<double> pixel_errors;
    };
    std::vector<OnTarget> targets;
};

/// A position and how much an entry has of it.
struct Share {
    std::size_t position = 0;
    double weight = 1.0;
};

EnergyTerms sum_of(const RunResult& result) {
    EnergyTerms sum;
    for (const HeliostatResult& heliostat : result.heliostats)
        for (const EnergyTermInfo& term : energy_term_infos())
            sum.*term.member += heliostat.energy.*term.member;
    return sum;
}

Traced traced(const RunResult& result) {
    Traced position;
    const EnergyTerms sum = sum_of(result);
    if (!(sum.solar_power > 0.0)) throw std::invalid_argument("a position without irradiance");
    double square = 0.0;
    for (const EnergyTermInfo& term : energy_term_infos())
        position.shares.*term.member = sum.*term.member / sum.solar_power;
    for (const TargetResult& target : result.targets) {
        Traced::OnTarget on_target;
        on_target.power = target.power_w / sum.solar_power;
        on_target.std_error = target.power_std_error_w / sum.solar_power;
        square += on_target.std_error * on_target.std_error;
        const auto [width, height] = surface_extent(target.target);
        const double pixel = width * height / static_cast<double>(target.width * target.height);
        const double scale = pixel / sum.solar_power;
        for (const double flux : target.flux) on_target.pixels.push_back(scale * flux);
        for (const double error : target.flux_std_error)
            on_target.pixel_errors.push_back(scale * error);
        on_target.pixel_errors.resize(on_target.pixels.size());
        position.targets.push_back(std::move(on_target));
    }
    // Targets have heliostats of their own, whose rays are independent.
    position.std_error = std::sqrt(square);
    return position;
}

/// Which positions make an entry.
class Interpolation {
  public:
    explicit Interpolation(const EfficiencyPlan& plan) : plan_(plan) {
        std::optional<std::size_t> zenith;
        std::size_t next = 0;
        for (std::size_t entry = 0; entry < plan.suns.size(); ++entry) {
            const bool at_zenith = is_zenith(plan.suns.sun(entry).elevation);
            own_.push_back(at_zenith && zenith ? *zenith : next++);
            if (at_zenith && !zenith) zenith = own_.back();
        }
    }

    /// Whether entries are interpolated between other positions.
    bool has_rules() const { return plan_.year.has_value(); }

    std::vector<Share> shares(std::size_t entry, SkyGrid::Rule rule = SkyGrid::Rule::full) const {
        if (!plan_.year) return {{own_[entry], 1.0}};
        std::vector<double> weights(plan_.year->nodes().size(), 0.0);
        plan_.year->distribute(direction(entry), 1.0, rule, weights);
        std::vector<Share> shares;
        for (std::size_t i = 0; i < weights.size(); ++i)
            if (weights[i] != 0.0) shares.push_back({i, weights[i]});
        return shares;
    }

    bool is_reached(std::size_t entry) const {
        return !plan_.year || plan_.year->covers(direction(entry));
    }

  private:
    Vec3 direction(std::size_t entry) const {
        const auto [azimuth, elevation] = plan_.suns.sun(entry);
        return direction_to_sun({azimuth, elevation, elevation});
    }

    const EfficiencyPlan& plan_;
    std::vector<std::size_t> own_;  // of a rectangle, by entry
};

double efficiency_of(const std::vector<Traced>& positions, const std::vector<Share>& shares) {
    double sum = 0.0;
    for (const auto& [position, weight] : shares)
        sum += weight * positions[position].shares.target_power;
    return sum;
}

/// Adds a map whose sum is 1. Pixels err independently of each other, so that a share s = p / P of
/// the power P has the variance ((1 - 2 s) var p + s^2 var P) / P^2.
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
        // All positions share their random numbers: their errors have one sign at worst.
        power_error += std::abs(weight) * from.std_error;
        for (std::size_t i = 0; i < count; ++i) {
            pixels[i] += weight * from.pixels[i];
            errors[i] += std::abs(weight) * from.pixel_errors[i];
        }
    }
    target.efficiency.push_back(power);
    target.efficiency_std_error.push_back(power_error);
    // Between positions polynomials may swing below 0 where there is next to no light.
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
    double error = 0.0;
    for (const auto& [position, weight] : shares) {
        for (const EnergyTermInfo& term : energy_term_infos())
            terms.*term.member += weight * positions[position].shares.*term.member;
        error += std::abs(weight) * positions[position].std_error;
    }
    table.shares.push_back(terms);
    table.std_error.push_back(error);
    table.reached.push_back(interpolation.is_reached(entry));
    for (std::size_t i = 0; i < table.targets.size(); ++i)
        add_map(table.targets[i], positions, shares, i);
    double change = 0.0;
    if (interpolation.has_rules()) {
        for (const auto rule : {SkyGrid::Rule::half_declinations, SkyGrid::Rule::half_hours}) {
            const double thinned = efficiency_of(positions, interpolation.shares(entry, rule));
            change += std::abs(terms.target_power - thinned);
        }
    }
    table.interpolation_error.push_back(change);
}

/// m2 of the convex hull of points in the plane, by A. M. Andrew's monotone chain (Inf. Process.
/// Lett. 9 (1979) 216-219).
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

/// What the first position says about the plant.
void describe_plant(EfficiencyTable& table, const RunResult& first, double dni) {
    table.provenance = first.provenance;
    table.provenance.rays = 0;
    table.heliostats = static_cast<std::int64_t>(first.heliostats.size());
    table.mirror_area = sum_of(first).solar_power / dni;
    std::vector<std::array<double, 2>> places;
    for (const HeliostatResult& heliostat : first.heliostats) {
        const Vec3 origin = mirror_origin(heliostat);
        places.push_back({origin[0], origin[1]});
        table.mean_mirror_height += origin[2] / static_cast<double>(table.heliostats);
    }
    table.land_area = hull_area(std::move(places));
    for (const TargetResult& target : first.targets)
        table.targets.push_back({target.target, target.width, target.height, {}, {}, {}, {}});
}

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
    return positions;
}

EfficiencyEstimate efficiency_at(const EfficiencyTable& table, double azimuth, double elevation) {
    EfficiencyEstimate estimate;
    for (const auto& [entry, weight] : table.suns.interpolation(azimuth, elevation)) {
        for (const EnergyTermInfo& term : energy_term_infos())
            estimate.shares.*term.member += weight * table.shares[entry].*term.member;
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
    table.positions = plan.positions().size();

    std::vector<Traced> positions;
    std::vector<std::string> fingerprints;
    for (std::size_t i = 0; i < table.positions; ++i) {
        const RunResult result = step(i);
        if (i == 0) describe_plant(table, result, plan.dni);
        table.provenance.rays += result.provenance.rays;
        fingerprints.push_back(result.provenance.fingerprint);
        positions.push_back(traced(result));
        if (positions.back().targets.size() != table.targets.size())
            throw std::invalid_argument("positions with different targets");
    }
    table.provenance.fingerprint = series_fingerprint(fingerprints);

    const Interpolation interpolation(plan);
    std::vector<double> efficiency;
    for (std::size_t entry = 0; entry < plan.suns.size(); ++entry) {
        add_entry(table, positions, interpolation, entry);
        efficiency.push_back(table.shares.back().target_power);
    }
    const std::vector<double> between = plan.suns.interpolation_error(efficiency);
    for (std::size_t entry = 0; entry < between.size(); ++entry)
        table.interpolation_error[entry] += between[entry];
    return table;
}

}  // namespace helioray
