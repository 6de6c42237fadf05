// SPDX-License-Identifier: MIT
// Compares the flux maps of two results pixel by pixel.
#include "app/output/plot/flux_difference.h"

#include "app/output/plot/drawing/flux_image.h"
#include "app/output/plot/flux_plot.h"
#include "app/output/plot/panels/flux_panel.h"
#include "app/output/summary/text_table.h"
#include "scenario/files/error.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

/// Returns true if two surfaces are equal except for rounding, since the files may come from
// different builds.
bool same_surface(const Target& a, const Target& b) {
    if (a.geometry.index() != b.geometry.index()) return false;
    const auto first = surface_extent(a);
    const auto second = surface_extent(b);
    constexpr double kHair = 1e-9;
    return std::abs(first[0] - second[0]) <= kHair * first[0] &&
           std::abs(first[1] - second[1]) <= kHair * first[1];
}

std::optional<Problem> mismatch(const TargetResult& a,
                                const TargetResult& b,
                                const std::string& where) {
    const std::string name = "target '" + a.target.name + "'";
    if (!same_surface(a.target, b.target)) {
        const auto [width, height] = surface_extent(a.target);
        const auto [other_width, other_height] = surface_extent(b.target);
        return Problem{where,
                       fmt::format("{} is {} m x {} m here and {} m x {} m there",
                                   name,
                                   significant(width, 6),
                                   significant(height, 6),
                                   significant(other_width, 6),
                                   significant(other_height, 6)),
                       "only equal surfaces can be compared pixel by pixel",
                       "compare results of one scenario"};
    }
    if (a.width != b.width || a.height != b.height) {
        return Problem{where,
                       fmt::format("{} has {} x {} pixels here and {} x {} there",
                                   name,
                                   a.width,
                                   a.height,
                                   b.width,
                                   b.height),
                       "maps are compared pixel by pixel",
                       "trace both with the same bitmap.width and bitmap.height"};
    }
    if (a.unit != b.unit) {
        return Problem{where,
                       fmt::format("{} is in {} here and in {} there", name, a.unit, b.unit),
                       "",
                       "compare results of one model"};
    }
    return std::nullopt;
}

FluxDifference difference(const TargetResult& a, const TargetResult& b) {
    FluxDifference d;
    d.map = a;
    d.map.power_w = a.power_w - b.power_w;
    d.map.power_std_error_w = std::hypot(a.power_std_error_w, b.power_std_error_w);
    const bool errors = !a.flux_std_error.empty() && !b.flux_std_error.empty();
    d.map.flux_std_error.assign(a.flux.size(), std::nan(""));
    double squares = 0.0;
    double known_squares = 0.0;
    double error_squares = 0.0;
    for (size_t i = 0; i < a.flux.size(); ++i) {
        const double delta = a.flux[i] - b.flux[i];
        const double error = errors ? std::hypot(a.flux_std_error[i], b.flux_std_error[i]) : 0.0;
        d.map.flux[i] = delta;
        if (errors) d.map.flux_std_error[i] = error;
        squares += delta * delta;
        const bool known = error > 0.0;
        if (known) {
            ++d.pixels_with_error;
            known_squares += delta * delta;
            error_squares += error * error;
        }
        if (std::abs(delta) > std::abs(d.largest)) {
            d.largest = delta;
            d.largest_in_std_errors = known ? std::optional(delta / error) : std::nullopt;
        }
    }
    d.rms = std::sqrt(squares / static_cast<double>(a.flux.size()));
    if (d.pixels_with_error > 0) d.rms_in_std_errors = std::sqrt(known_squares / error_squares);
    d.map.peak_flux_w_m2 = d.map.peak_flux_std_error_w_m2 = d.map.peak_area_m2 = std::nan("");
    d.map.peak_pixel_w_m2 = d.largest;
    return d;
}

std::string signed_text(double value, int digits) {
    return (value < 0.0 ? "−" : "+") + significant(std::abs(value), digits);
}

}  // namespace

std::vector<FluxDifference> flux_differences(const RunResult& first,
                                             const RunResult& second,
                                             const std::vector<std::string>& targets,
                                             const std::string& first_name,
                                             const std::string& second_name) {
    check_targets(first, targets, first_name);
    check_targets(second, targets, second_name);
    const auto wanted = [&](const std::string& name) {
        return targets.empty() || std::count(targets.begin(), targets.end(), name) > 0;
    };
    std::vector<Problem> problems;
    const auto missing = [&](const std::string& file, const std::string& name) {
        problems.push_back({file,
                            "there is no target '" + name + "', the other result has one",
                            "only targets of both can be compared",
                            "choose some with --target"});
    };
    std::vector<FluxDifference> differences;
    for (const TargetResult& a : first.targets) {
        if (!wanted(a.target.name)) continue;
        const TargetResult* b = find_target(second, a.target.name);
        if (b == nullptr) {
            missing(second_name, a.target.name);
        } else if (auto problem = mismatch(a, *b, first_name)) {
            problems.push_back(std::move(*problem));
        } else {
            differences.push_back(difference(a, *b));
        }
    }
    for (const TargetResult& b : second.targets) {
        if (wanted(b.target.name) && find_target(first, b.target.name) == nullptr) {
            missing(first_name, b.target.name);
        }
    }
    if (problems.empty() && differences.empty()) {
        problems.push_back(
            {first_name, "the results have no targets", "", "compare results of runs"});
    }
    if (!problems.empty()) throw InputError(problems);
    return differences;
}

PlotPage difference_page(const std::vector<FluxDifference>& differences,
                         const RunResult& first,
                         const RunResult& second) {
    PlotPage page;
    const std::string a = scenario_title(first.provenance, "Flux");
    const std::string b = scenario_title(second.provenance, "flux");
    page.title = a == b ? "Difference of two runs of " + a : a + " minus " + b;
    page.subtitle = "First minus second result";
    page.footer = origin_text(first.provenance);
    if (!second.provenance.fingerprint.empty()) {
        page.footer += "  −  " + second.provenance.fingerprint;
    }
    // One scale, so that colours of different targets can be compared.
    double reach = 0.0;
    for (const FluxDifference& d : differences) reach = std::max(reach, std::abs(d.largest));
    Canvas measure;
    for (const FluxDifference& d : differences) {
        const FluxUnit unit = flux_unit(d.map);
        FluxPanelStyle style;
        style.scale = FluxPanelStyle::Scale::difference;
        style.full_scale = reach;
        style.shrink = differences.size() == 1 ? 1.0 : 0.72;
        std::string text = fmt::format("rms {}, largest {} {}",
                                       significant(d.rms / unit.factor, 3),
                                       signed_text(d.largest / unit.factor, 3),
                                       unit.name);
        if (d.rms_in_std_errors) {
            text += fmt::format("  ·  rms {}", significant(*d.rms_in_std_errors, 3));
            if (d.largest_in_std_errors) {
                text += ", largest " + signed_text(*d.largest_in_std_errors, 3);
            }
            text += " standard errors";
        }
        style.subtitle = text;
        page.panels.push_back(std::make_unique<FluxPanel>(d.map, style, measure));
    }
    return page;
}

std::string difference_table(const std::vector<FluxDifference>& differences) {
    TextTable table({{"target", Align::left},
                     {"power"},
                     {"± std error"},
                     {"rms"},
                     {"largest"},
                     {"unit", Align::left},
                     {"rms in std errors"},
                     {"largest in std errors"}});
    constexpr std::size_t kTargetWidth = 20;
    for (const FluxDifference& d : differences) {
        const FluxUnit unit = flux_unit(d.map);
        const bool physical = d.map.unit == "W/m2";
        table.add_row({shortened(d.map.target.name, kTargetWidth),
                       physical ? power_text(d.map.power_w) : "-",
                       physical ? power_text(d.map.power_std_error_w) : "-",
                       significant(d.rms / unit.factor, 4),
                       significant(d.largest / unit.factor, 4),
                       unit.name,
                       d.rms_in_std_errors ? significant(*d.rms_in_std_errors, 3) : "-",
                       d.largest_in_std_errors ? significant(*d.largest_in_std_errors, 3) : "-"});
    }
    return table.str();
}

}  // namespace helioray
