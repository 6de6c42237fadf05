// SPDX-License-Identifier: MIT
// Computes soiling from the last washing, and draws outages.
#include "raytracer/studies/annual/plant_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace helioray {

namespace {

constexpr std::int64_t kDaysOfWeek = 7;
// 1970-01-01 was a Thursday.
constexpr std::int64_t kFirstWeekday = 3;

std::int64_t floor_division(std::int64_t a, std::int64_t b) {
    const std::int64_t quotient = a / b;
    return quotient * b > a ? quotient - 1 : quotient;
}

/// Returns a random number in [0, 1) for each heliostat and day: splitmix64 of G. L. Steele, D. Lea
/// and C. H. Flood, OOPSLA 2014, 453-472.
double random_number(std::uint64_t seed, std::uint64_t heliostat, std::uint64_t day) {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
    const auto mixed = [](std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    };
    const std::uint64_t word = mixed(mixed(mixed(seed + kGolden) + heliostat + kGolden) + day);
    return static_cast<double>(word >> 11) * 0x1p-53;
}

/// Washings are numbered in the order of time.
class WashingDays {
  public:
    WashingDays(const StateConfig& config, std::int64_t first_day)
        : period_(config.wash_after.value_or(kDaysOfWeek)), start_(first_day) {
        if (config.wash_day == WashDay::never) return;
        const std::int64_t weekday =
            static_cast<std::int64_t>(config.wash_day) - static_cast<std::int64_t>(WashDay::monday);
        const std::int64_t first_weekday = (first_day + kFirstWeekday) % kDaysOfWeek;
        start_ += (weekday - first_weekday + kDaysOfWeek) % kDaysOfWeek;
    }
    /// Returns the number of the latest washing up to a day; negative before that of the first day.
    std::int64_t latest(std::int64_t day) const { return floor_division(day - start_, period_); }
    std::int64_t day(std::int64_t number) const { return start_ + number * period_; }

  private:
    std::int64_t period_;
    std::int64_t start_;
};

/// Returns the latest washing up to number `latest` that reaches a heliostat at `place`, its place
/// in the order of the heliostats from 0 to 1. Washing n reaches the places from n share to (n + 1)
/// share, counted round and round.
std::int64_t latest_for(double place, double share, std::int64_t latest) {
    const double rounds = std::floor(static_cast<double>(latest + 1) * share - place);
    for (double round = rounds + 1.0;; round -= 1.0) {
        const auto number = static_cast<std::int64_t>(std::floor((place + round) / share));
        if (number <= latest) return number;
    }
}

}  // namespace

PlantState::PlantState(const StateConfig& config,
                       std::vector<std::size_t> heliostats,
                       std::size_t num_in_scenario,
                       std::int64_t first_day,
                       std::int64_t last_day)
    : config_(config),
      heliostats_(std::move(heliostats)),
      num_in_scenario_(num_in_scenario),
      first_day_(first_day),
      last_day_(last_day) {
    draw_outages();
}

double PlantState::clean_share(std::size_t heliostat, std::int64_t day) const {
    std::int64_t washed = first_day_;
    if (config_.has_washing()) {
        const WashingDays days(config_, first_day_);
        const double place = (static_cast<double>(heliostats_[heliostat]) + 0.5) /
                             static_cast<double>(num_in_scenario_);
        washed = days.day(latest_for(place, config_.washed_share, days.latest(day)));
    }
    const double start = config_.has_washing() ? config_.washed_to : 0.0;
    const double soiling = start + config_.soiling_per_day * static_cast<double>(day - washed);
    return 1.0 - std::min(soiling, 1.0);
}

void PlantState::draw_outages() {
    if (!(config_.outage_share > 0.0)) return;
    const double repair = 1.0 / config_.outage_days;
    const double failure = repair * config_.outage_share / (1.0 - config_.outage_share);
    is_out_.reserve(heliostats_.size() * num_days());
    for (const std::size_t heliostat : heliostats_) {
        bool is_out = false;
        for (std::size_t day = 0; day < num_days(); ++day) {
            const double drawn = random_number(config_.outage_seed, heliostat, day);
            if (day == 0) {
                is_out = drawn < config_.outage_share;
            } else {
                is_out = is_out ? drawn >= repair : drawn < failure;
            }
            is_out_.push_back(is_out);
        }
    }
}

bool PlantState::is_available(std::size_t heliostat, std::int64_t day) const {
    if (is_out_.empty()) return true;
    return !is_out_[heliostat * num_days() + static_cast<std::size_t>(day - first_day_)];
}

double PlantState::mean_soiling() const {
    if (!(config_.soiling_per_day > 0.0)) return 0.0;
    double sum = 0.0;
    for (std::size_t i = 0; i < heliostats_.size(); ++i)
        for (std::int64_t day = first_day_; day <= last_day_; ++day)
            sum += 1.0 - clean_share(i, day);
    return sum / static_cast<double>(heliostats_.size() * num_days());
}

double PlantState::outage_share() const {
    if (is_out_.empty()) return 0.0;
    return static_cast<double>(std::count(is_out_.begin(), is_out_.end(), true)) /
           static_cast<double>(is_out_.size());
}

}  // namespace helioray
