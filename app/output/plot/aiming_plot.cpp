// SPDX-License-Identifier: MIT
// Draws flux maps relative to their limits, and arranges all panels on a page.
#include "app/output/plot/aiming_plot.h"

#include "app/output/plot/field_plot.h"
#include "app/output/plot/maps/joined_maps.h"
#include "app/output/plot/panels/aiming_panels.h"
#include "app/output/plot/panels/flux_panel.h"
#include "app/output/summary/peak_text.h"
#include "app/output/summary/run_context.h"
#include "raytracer/solvers/aiming/model/aim_surface.h"
#include "scenario/files/number_text.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace helioray {

namespace {

using aiming::AimingResult;
using aiming::LimitMap;

constexpr double kNotDrawn = std::numeric_limits<double>::quiet_NaN();
constexpr double kHighestShare = 200.0;  // per cent; colours saturate above it

/// The maps and limits of one target, or of the panels of a receiver side by side.
struct TargetMaps {
    std::vector<size_t> targets;  ///< indices in the scenario, from left to right
    TargetResult before;
    TargetResult after;
    std::optional<LimitMap> limit;  ///< not set if the target has no limits
};

// Returns the map of a target. If no heliostat aims at it, returns a dark map.
TargetResult map_or_dark(const TargetResult* map, const TargetResult& like) {
    if (map) return *map;
    TargetResult dark = like;
    dark.flux.assign(dark.flux.size(), 0.0);
    dark.flux_std_error.clear();
    dark.power_w = dark.power_std_error_w = dark.peak_flux_w_m2 = dark.peak_pixel_w_m2 = 0.0;
    return dark;
}

// Returns the maps of `results` side by side, with the numbers of `values` in place of the flux if
// there are some.
TargetResult join_panels(std::vector<TargetResult> maps,
                         const std::vector<const std::vector<double>*>& values = {}) {
    for (size_t i = 0; i < values.size(); ++i) {
        maps[i].flux = *values[i];
        maps[i].flux_std_error.clear();
        maps[i].flux_noise.clear();
    }
    if (maps.size() == 1) return maps.front();
    std::vector<const TargetResult*> parts;
    for (const TargetResult& map : maps) parts.push_back(&map);
    return join_row(parts);
}

// Returns the limits of panels side by side; none if no panel has a limit.
std::optional<LimitMap> join_limits(const AimingResult& result,
                                    const std::vector<TargetResult>& maps) {
    std::vector<const std::vector<double>*> limits, prices;
    bool is_limited = false;
    for (const TargetResult& map : maps) {
        const auto found = std::ranges::find_if(result.limits, [&](const LimitMap& limit) {
            return !limit.beyond && limit.target == map.target.name &&
                   limit.limit.size() == map.flux.size();
        });
        if (found == result.limits.end()) return std::nullopt;
        is_limited = is_limited ||
                     std::ranges::any_of(found->limit, [](double l) { return std::isfinite(l); });
        limits.push_back(&found->limit);
        if (!found->price.empty()) prices.push_back(&found->price);
    }
    if (!is_limited) return std::nullopt;
    LimitMap joined;
    joined.limit = join_panels(maps, limits).flux;
    if (prices.size() == maps.size()) joined.price = join_panels(maps, prices).flux;
    return joined;
}

std::vector<TargetMaps> collect_target_maps(const AimingResult& result, const Scenario& scenario) {
    // Collects the targets of both results in the scenario's order.
    RunResult all;
    for (const Target& target : scenario.targets) {
        const TargetResult* before = find_target(result.before, target.name);
        const TargetResult* after = find_target(result.after, target.name);
        if (target.use == SurfaceUse::absorber && (before || after))
            all.targets.push_back(after ? *after : map_or_dark(nullptr, *before));
    }
    std::vector<TargetMaps> targets;
    for (const TargetRow& row : joined_targets(all)) {
        std::vector<TargetResult> before, after;
        TargetMaps maps;
        for (const size_t index : row.targets) {
            const TargetResult& own = all.targets[index];
            maps.targets.push_back(*scenario.find_target(own.target.name));
            before.push_back(map_or_dark(find_target(result.before, own.target.name), own));
            after.push_back(own);
        }
        maps.limit = join_limits(result, after);
        maps.before = join_panels(std::move(before));
        maps.after = join_panels(std::move(after));
        maps.before.target.name = maps.after.target.name = row.name;
        targets.push_back(std::move(maps));
    }
    return targets;
}

// Returns the map in per cent of the limit; NaN for cells without a limit.
TargetResult share_map(TargetResult map, const LimitMap& limits) {
    for (size_t i = 0; i < map.flux.size(); ++i) {
        const double limit = limits.limit[i];
        const double factor = std::isfinite(limit) ? 100.0 / limit : kNotDrawn;
        map.flux[i] *= factor;
        if (!map.flux_std_error.empty()) map.flux_std_error[i] *= factor;
    }
    map.unit = std::string("%");
    return map;
}

// Returns the cells above their limit by the same criterion as AimingResult::limits_kept.
std::vector<bool> cells_above(const TargetResult& shares) {
    std::vector<bool> above;
    for (size_t i = 0; i < shares.flux.size(); ++i) {
        const double error = shares.flux_std_error.empty() ? 0.0 : shares.flux_std_error[i];
        above.push_back(shares.flux[i] > 100.0 + aiming::kErrorsAboveLimit * error);
    }
    return above;
}

std::string power_and_peak(const TargetResult& map) {
    return fmt::format("{}  ·  peak {}", power_text(map.power_w), peak_text(map, "kW/m²"));
}

// Returns the style for maps of one target that are drawn beside each other. `full_scale` is the
// top of their colour scale.
FluxPanelStyle map_style(const std::string& title, double full_scale, double shrink) {
    FluxPanelStyle style;
    style.title = title;
    style.full_scale = full_scale;
    style.shrink = shrink;
    style.centroid = false;
    return style;
}

std::unique_ptr<Panel> share_panel(const std::string& title,
                                   const TargetResult& map,
                                   const LimitMap& limits,
                                   double reach,
                                   double shrink,
                                   Canvas& measure) {
    TargetResult shares = share_map(map, limits);
    FluxPanelStyle style = map_style(title, std::min(reach, kHighestShare), shrink);
    style.label = "Flux (% of the limit)";
    if (reach > kHighestShare) style.label = "Flux (% of the limit; brightest: more)";
    style.subtitle =
        power_and_peak(map) + "  ·  " + significant(largest_flux(shares), 4) + " % of the limit";
    style.marked = cells_above(shares);
    const auto above = std::ranges::count(style.marked, true);
    if (above > 0) {
        const double part = static_cast<double>(above) / static_cast<double>(map.flux.size());
        *style.subtitle += fmt::format("  ·  hatched: above the limit ({} % of the cells)",
                                       significant(100.0 * part, 2));
    } else {
        style.marked.clear();
    }
    return std::make_unique<OwnMapPanel>(std::move(shares), std::move(style), measure);
}

std::unique_ptr<Panel> flux_panel(const std::string& title,
                                  const TargetResult& map,
                                  double reach,
                                  double shrink,
                                  Canvas& measure) {
    FluxPanelStyle style = map_style(title, reach, shrink);
    style.subtitle = power_and_peak(map);
    return std::make_unique<OwnMapPanel>(map, std::move(style), measure);
}

std::unique_ptr<Panel> shield_panel(const AimingResult& result,
                                    const TargetResult& map,
                                    double shrink,
                                    Canvas& measure) {
    const auto limits = std::ranges::find_if(result.limits, [&](const LimitMap& limit) {
        return limit.beyond && limit.target == map.target.name;
    });
    const double reach = std::max(100.0, largest_flux(share_map(map, *limits)));
    return share_panel(map.target.name + ": shield, after", map, *limits, reach, shrink, measure);
}

double price_of_cell(const LimitMap& limits, size_t cell) {
    return limits.price.empty() || !std::isfinite(limits.limit[cell])
               ? 0.0
               : limits.price[cell] * limits.limit[cell];
}

// Returns the gain in per cent of power for 1 % more limit, divided by area, so that maps with
// other pixel sizes have equal numbers.
TargetResult price_map(const TargetMaps& maps, double power) {
    TargetResult prices = maps.after;
    const auto [width, height] = surface_extent(prices.target);
    const double cell = width * height / static_cast<double>(prices.flux.size());
    for (size_t i = 0; i < prices.flux.size(); ++i)
        prices.flux[i] = maps.limit ? price_of_cell(*maps.limit, i) / power / cell : 0.0;
    prices.unit = std::string("%");
    return prices;
}

std::unique_ptr<Panel> price_panel(const TargetMaps& maps,
                                   const std::string& title,
                                   double power,
                                   double reach,
                                   double shrink,
                                   Canvas& measure) {
    FluxPanelStyle style = map_style(title, reach, shrink);
    style.subtitle =
        fmt::format("1 % more limit here brings {} more power",
                    price_text(maps.limit ? 100.0 * maps.limit->price_of_percent() / power : 0.0));
    style.label = "Power for 1 % more limit (%/m²)";
    return std::make_unique<OwnMapPanel>(price_map(maps, power), std::move(style), measure);
}

// Returns the fraction that the colours have to reach on all targets: at least the limit itself.
double largest_share(const std::vector<TargetMaps>& targets) {
    double reach = 100.0;
    for (const TargetMaps& t : targets) {
        if (!t.limit) continue;
        for (const TargetResult* map : {&t.before, &t.after})
            reach = std::max(reach, largest_flux(share_map(*map, *t.limit)));
    }
    return reach;
}

double distance_of(const aiming::AimedPoint& point, const Scenario& scenario) {
    return norm(subtract(point.aim.point, scenario.heliostats[point.aim.heliostat].position));
}

// Returns the aim points on one target, or on panels side by side.
std::vector<AimDot> aims_on(const AimingResult& result,
                            const Scenario& scenario,
                            const std::vector<size_t>& targets) {
    std::vector<AimDot> aims;
    for (const aiming::AimedPoint& point : result.points) {
        const auto place = std::ranges::find(targets, point.aim.target);
        if (!point.active || place == targets.end()) continue;
        if (aiming::aim_surface(scenario, point).name != scenario.targets[*place].name) continue;
        const double width = surface_extent(scenario.targets[*place])[0];
        const double shift = static_cast<double>(place - targets.begin()) -
                             0.5 * static_cast<double>(targets.size() - 1);
        aims.push_back({{point.x + shift * width, point.y}, distance_of(point, scenario)});
    }
    return aims;
}

/// A surface that only aim points lie on: the aperture of a cavity, or the face of a billboard.
struct AimFace {
    Target surface;
    std::vector<AimDot> aims;
};

std::vector<AimFace> aim_faces(const AimingResult& result, const Scenario& scenario) {
    std::map<std::string, AimFace> faces;
    for (const aiming::AimedPoint& point : result.points) {
        if (!point.active || !point.receiver) continue;
        const Target surface = aiming::aim_surface(scenario, point);
        if (surface.name == scenario.targets[point.aim.target].name) continue;
        AimFace& face = faces.try_emplace(surface.name, AimFace{surface, {}}).first->second;
        face.aims.push_back({{point.x, point.y}, distance_of(point, scenario)});
    }
    std::vector<AimFace> all;
    for (auto& [name, face] : faces) all.push_back(std::move(face));
    return all;
}

FieldNumbers aim_heights(const AimingResult& result) {
    FieldNumbers numbers;
    numbers.title = "Field";
    numbers.label = "Aim point above the receiver's centre (m)";
    numbers.cross_out = true;
    for (const aiming::AimedPoint& point : result.points)
        numbers.values.push_back(point.active ? point.y : kNotDrawn);
    const auto count = static_cast<int64_t>(result.points.size());
    numbers.subtitle = result.heliostats_off == 0 ? "no heliostat is turned off"
                                                  : fmt::format("×: {} of {} heliostats turned off",
                                                                grouped(result.heliostats_off),
                                                                grouped(count));
    return numbers;
}

std::string figures_text(const AimingResult& result) {
    std::string text = fmt::format("Power {}", power_text(result.power));
    if (result.power > 0.0 && result.power_std_error > 0.0)
        text +=
            fmt::format(" ± {} %", significant(100.0 * result.power_std_error / result.power, 2));
    text +=
        fmt::format(" ({}: {})", before_text(result), power_text(power_on_targets(result.before)));
    if (result.power_bound) text += "  ·  bound " + power_text(*result.power_bound);
    if (const auto gap = result.gap()) text += fmt::format(", gap {:.2f} %", 100.0 * *gap);
    text += fmt::format("  ·  peak {} kW/m²",
                        with_error(result.peak_flux / 1e3, result.peak_flux_std_error / 1e3));
    if (result.worst_limit_share) {
        text += fmt::format("  ·  largest flux {:.1f}", 100.0 * *result.worst_limit_share);
        if (result.worst_limit_share_std_error)
            text += fmt::format(" ± {:.1f}", 100.0 * *result.worst_limit_share_std_error);
        text += " % of its limit";
    }
    if (const double price = price_of_limits(result); price > 0.0)
        text += fmt::format("  ·  1 % more limit: {} more power", price_text(price));
    if (result.heliostats_off > 0) text += "  ·  off: " + grouped(result.heliostats_off);
    return text;
}

// Returns the number of columns. Several receivers get a row each. A single receiver fills a page
// with the proportions of a screen without holes, so that the maps before and after are beside each
// other.
size_t choose_columns(const std::vector<std::unique_ptr<Panel>>& panels) {
    constexpr double kWide = 1.6;
    const bool wide = panels.front()->width() > kWide * panels.front()->height();
    constexpr size_t kAll = 6;
    return panels.size() < 5 || (wide && panels.size() == kAll) ? 2 : 3;
}

}  // namespace

std::string before_text(const AimingResult& result) {
    return result.follows ? "aim points before" : "aimed at the centre";
}

std::string strategy_text(const AimingConfig& config) {
    const auto words = [&]() -> std::string {
        switch (config.strategy) {
            case AimingConfig::Strategy::center:
                return "Aimed at the centre";
            case AimingConfig::Strategy::equator:
                return "Aimed at the equator";
            case AimingConfig::Strategy::image_size:
                return "Aimed by size of image";
            case AimingConfig::Strategy::sigma:
                return fmt::format("Spread to {:.4g} sigma from the edges", config.sigma_factor);
            case AimingConfig::Strategy::optimize:
                break;
        }
        return config.target_map ? "Optimised for a wanted map" : "Optimised for power";
    };
    std::string text = words();
    if (config.flux_limit) {
        text += fmt::format("  ·  limit {:.6g} kW/m²", *config.flux_limit / 1e3);
    } else if (config.flux_limit_file) {
        text += "  ·  limits of " + config.flux_limit_file->filename().string();
    }
    if (config.robust_sigma > 0.0)
        text += fmt::format(" for the mean + {:.4g} sigma", config.robust_sigma);
    if (config.robust_confidence)
        text += fmt::format(" with {:.4g} % confidence", 100.0 * *config.robust_confidence);
    return text;
}

std::string unkept_text(const AimingResult& result) {
    return result.limits_kept ? "Shares are not met" : "Limits are not kept";
}

double price_of_limits(const AimingResult& result) {
    if (!(result.power > 0.0)) return 0.0;
    double watts = 0.0;
    for (const LimitMap& limits : result.limits) watts += limits.price_of_percent();
    return 100.0 * watts / result.power;
}

std::string price_text(double percent) {
    constexpr double kLeast = 1e-3;
    if (percent > 0.0 && percent < kLeast) return "< 0.001 %";
    return significant(percent, 2) + " %";
}

std::vector<AimingPart> aiming_parts(const AimingResult& result, const Scenario& scenario) {
    const std::vector<TargetMaps> targets = collect_target_maps(result, scenario);
    const double share = largest_share(targets);
    const bool priced = price_of_limits(result) > 0.0;
    double price = 0.0;
    for (const TargetMaps& t : targets)
        if (priced) price = std::max(price, largest_flux(price_map(t, result.power)));
    const double shrink = targets.size() == 1 ? 0.85 : 0.62;
    Canvas measure;
    std::vector<AimingPart> parts;
    for (const TargetMaps& t : targets) {
        const std::string& name = t.after.target.name;
        const auto title = [&](const std::string& what) {
            return fmt::format("{}: {}", name, what);
        };
        AimingPart part{"Flux on " + name + " before and after, and aim points", {}};
        const double flux = std::max(largest_flux(t.before), largest_flux(t.after));
        for (const auto& [what, map] :
             {std::pair{"before, " + before_text(result), &t.before}, {"after", &t.after}}) {
            part.panels.push_back(
                t.limit ? share_panel(title(what), *map, *t.limit, share, shrink, measure)
                        : flux_panel(title(what), *map, flux, shrink, measure));
        }
        std::vector<AimDot> aims = aims_on(result, scenario, t.targets);
        if (scenario.targets[t.targets.front()].receiver.empty() || !aims.empty())
            part.panels.push_back(std::make_unique<AimPointsPanel>(
                t.after.target, std::move(aims), title("aim points"), shrink, measure));
        if (priced) {
            part.panels.push_back(
                price_panel(t, title("price of the limit"), result.power, price, shrink, measure));
        }
        parts.push_back(std::move(part));
    }
    for (AimFace& face : aim_faces(result, scenario)) {
        AimingPart part{"Aim points on " + face.surface.name, {}};
        part.panels.push_back(std::make_unique<AimPointsPanel>(face.surface,
                                                               std::move(face.aims),
                                                               face.surface.name + ": aim points",
                                                               shrink,
                                                               measure));
        parts.push_back(std::move(part));
    }
    AimingPart field{result.shields.empty()
                         ? "Field by height of the aim points, and convergence"
                         : "Flux on shields, field by height of the aim points, and convergence",
                     {}};
    for (const TargetResult& map : result.shields)
        field.panels.push_back(shield_panel(result, map, shrink, measure));
    if (!result.before.heliostats.empty()) {
        field.panels.push_back(std::make_unique<FieldPanel>(
            result.before, aim_heights(result), 0.8, measure, read_surroundings(result.before)));
    }
    if (result.rounds.size() > 1)
        field.panels.push_back(std::make_unique<ConvergencePanel>(result, 0.9, measure));
    parts.push_back(std::move(field));
    return parts;
}

void plot_aiming(const AimingResult& result,
                 const RunConfig& config,
                 const Scenario& scenario,
                 const std::filesystem::path& picture) {
    std::vector<AimingPart> parts = aiming_parts(result, scenario);
    PlotPage page;
    page.title = scenario_title(result.after.provenance, "Aiming");
    page.subtitle = strategy_text(config.aiming) + "  ·  " + run_text(result.before) + "\n" +
                    figures_text(result);
    if (!result.violation.empty())
        page.subtitle += fmt::format("\n{}: {}", unkept_text(result), result.violation);
    page.footer = origin_text(result.after.provenance);
    const size_t of_target = parts.front().panels.size();
    const bool several = parts.size() > 2;
    for (AimingPart& part : parts)
        for (auto& panel : part.panels) page.panels.push_back(std::move(panel));
    page.columns = several ? of_target : choose_columns(page.panels);
    constexpr double kPixelsPerPoint = 2.0;
    store_page(page, picture, kPixelsPerPoint);
}

}  // namespace helioray
