// SPDX-License-Identifier: MIT
// Sums over heliostats and targets of a series.
#include "raytracer/results/series/series.h"

#include "raytracer/results/provenance.h"
#include "scenario/files/error.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace helioray {

EnergyTerms SeriesResult::field_energy(std::size_t step) const {
    EnergyTerms total;
    for (std::size_t i = 0; i < heliostats.size(); ++i) {
        for (const EnergyTermInfo& term : energy_term_infos())
            total.*term.member += energy[step * heliostats.size() + i].*term.member;
    }
    return total;
}

double SeriesResult::power(std::size_t step) const {
    double sum = 0.0;
    for (const SeriesTarget& target : targets)
        if (target.use == SurfaceUse::absorber) sum += target.power_w[step];
    return sum;
}

bool SeriesResult::has_temperatures() const {
    return !steps.empty() && std::ranges::all_of(steps, [](const SeriesStep& step) {
        return step.temperature_c.has_value();
    });
}

std::size_t SeriesResult::strongest_step() const {
    std::size_t best = 0;
    for (std::size_t step = 1; step < steps.size(); ++step) {
        if (power(step) > power(best)) best = step;
    }
    return best;
}

std::vector<EnergyTermInfo> energy_terms_of(const SeriesResult& series) {
    std::vector<EnergyTermInfo> terms = energy_term_infos();
    std::erase_if(terms, [&](const EnergyTermInfo& term) {
        return std::ranges::none_of(
            series.energy, [&](const EnergyTerms& energy) { return is_shown(term, energy); });
    });
    return terms;
}

std::string step_label(const SeriesResult& series, std::size_t step) {
    const std::string number = fmt::format("step {} (0 to {})", step, series.steps.size() - 1);
    const std::string& time = series.steps.at(step).time;
    return time.empty() ? number : fmt::format("{}, {}", time, number);
}

std::optional<std::size_t> find_time(const SeriesResult& series, const std::string& iso8601) {
    const IsoTime wanted = parse_iso_time(iso8601);
    if (!wanted.error.empty()) {
        throw InputError(Problem{"time",
                                 fmt::format("'{}' {}", iso8601, wanted.error),
                                 "",
                                 "write for example 2026-06-21T12:00:00+02:00"});
    }
    const std::int64_t instant = milliseconds_of(wanted.normalised);
    for (std::size_t step = 0; step < series.steps.size(); ++step) {
        const IsoTime time = parse_iso_time(series.steps[step].time);
        if (time.error.empty() && milliseconds_of(time.normalised) == instant) return step;
    }
    return std::nullopt;
}

std::string series_fingerprint(const std::vector<std::string>& fingerprints) {
    // Use the length of the fingerprints of single runs.
    return sha256_of_text(fmt::format("{}", fmt::join(fingerprints, "\n"))).substr(0, 32);
}

}  // namespace helioray
