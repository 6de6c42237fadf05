// SPDX-License-Identifier: MIT
// Creates tables and JSON of chosen aim points.
#include "app/output/summary/peak_text.h"
#include "app/output/summary/summary.h"
#include "app/output/summary/text_table.h"
#include "raytracer/results/light_warnings.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/solvers/aiming/aim_field.h"
#include "raytracer/solvers/aiming/aim_file.h"
#include "raytracer/solvers/aiming/aim_series.h"
#include "scenario/files/columns_json.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace helioray {

namespace {

/// Returns the largest peak flux of the targets.
std::string find_peak(const RunResult& run) {
    const TargetResult* target = target_with_peak(run);
    return target == nullptr
               ? "-"
               : with_error(target->peak_flux_w_m2 / 1e3, target->peak_flux_std_error_w_m2 / 1e3) +
                     " kW/m2";
}

std::string comparison_table(const aiming::AimingResult& result) {
    TextTable table({{"aim points", Align::left}, {"power"}, {"peak flux"}, {"spillage"}});
    const auto add = [&](const char* name, const RunResult& run) {
        const EnergyTerms energy = total_energy(run);
        const double arriving = energy.spillage_loss + energy.target_power;
        table.add_row({name,
                       power_text(power_on_targets(run)),
                       find_peak(run),
                       arriving > 0.0
                           ? fmt::format("{:.2f} %", 100.0 * energy.spillage_loss / arriving)
                           : "-"});
    };
    add(result.follows ? "before" : "center", result.before);
    add("chosen", result.after);
    return table.str();
}

/// Returns the power in watts gained by raising the limits by one per cent; nothing if shadow
/// prices are unknown.
std::optional<double> price_of_limit(const aiming::AimingResult& result) {
    if (!result.worst_limit_share) return std::nullopt;
    std::optional<double> price;
    for (const aiming::LimitMap& map : result.limits)
        if (!map.price.empty()) price = price.value_or(0.0) + map.price_of_percent();
    return price;
}

std::string bound_text(const aiming::AimingResult& result) {
    const auto gap = result.gap();
    if (!gap) return "";
    const double power = std::max(result.power, 1e-9);
    return fmt::format("{}, no aim points{} bring more; {:.2f} % are missing{}",
                       power_text(*result.power_bound),
                       result.shares.empty() ? "" : " with these targets",
                       100.0 * *gap,
                       result.bound_margin ? fmt::format(", {:.2f} % of it the model's margin",
                                                         100.0 * *result.bound_margin / power)
                                           : "");
}

std::string share_text(const aiming::AimingResult& result) {
    if (!result.worst_limit_share) return "";
    return fmt::format("{:.2f} ± {:.2f} % of its limit, on {}",
                       100.0 * *result.worst_limit_share,
                       100.0 * result.worst_limit_share_std_error.value_or(0.0),
                       result.worst_limit_place);
}

/// Returns flux and power on the shields of each target that has limits there.
std::string shields_text(const aiming::AimingResult& result) {
    std::vector<std::string> texts;
    for (const TargetResult& map : result.shields)
        texts.push_back(fmt::format("{} beside {}, peak {}",
                                    power_text(map.power_w),
                                    map.target.name,
                                    peak_text(map, "kW/m2")));
    return fmt::format("{}", fmt::join(texts, "; "));
}

/// Lists the power of each target beside its required fraction.
std::string target_shares_text(const aiming::AimingResult& result) {
    std::vector<std::string> texts;
    for (const aiming::TargetShare& share : result.shares)
        texts.push_back(fmt::format(
            "{} {:.2f} % of {:.4g} %", share.target, 100.0 * share.reached, 100.0 * share.wanted));
    return fmt::format("{}", fmt::join(texts, ", "));
}

nlohmann::json target_shares_json(const aiming::AimingResult& result) {
    nlohmann::json out;
    for (const aiming::TargetShare& share : result.shares)
        out[share.target] = {{"wanted", share.wanted}, {"reached", share.reached}};
    return out;
}

nlohmann::json shields_json(const aiming::AimingResult& result) {
    nlohmann::json out = nlohmann::json::object();
    for (const TargetResult& map : result.shields) {
        nlohmann::json& shield = out[map.target.name] = json_of(map, target_columns());
        shield.erase("centroid_m");
    }
    return out;
}

std::string price_text(const aiming::AimingResult& result) {
    const auto price = price_of_limit(result);
    if (!price || result.power <= 0.0) return "";
    return fmt::format(
        "1 % more brings {} ({} of the power)", power_text(*price), percent(*price / result.power));
}

std::string robust_text(const aiming::AimingResult& result) {
    if (!result.robust_price || result.power <= 0.0) return "";
    const aiming::AimErrors& errors = result.errors;
    return fmt::format(
        "room for {} of {:.2f} mrad, {:.2f} standard deviations, lowers the bound by about {} ({} "
        "of the power)",
        !errors.calibrated ? "tracking errors"
        : errors.tracking  ? "aim errors of calibration and tracking"
                           : "aim errors of the calibration",
        1e3 * errors.rms(),
        result.robust_factor.value_or(0.0),
        power_text(*result.robust_price),
        percent(*result.robust_price / result.power));
}

std::string distance_text(const aiming::AimingResult& result) {
    if (!result.map_distance) return "";
    return fmt::format("distance {} from it, {} before",
                       significant(*result.map_distance, 3),
                       significant(*result.map_distance_before, 3));
}

}  // namespace

std::string aiming_text(const aiming::AimingResult& result,
                        const OutputFiles& files,
                        double seconds) {
    const Provenance& p = result.after.provenance;
    std::string out = comparison_table(result) + "\n" + targets_table(result.after) + "\n";
    return out + key_value_lines({
                     {"bound", bound_text(result)},
                     {"shares", target_shares_text(result)},
                     {"worst pixel", share_text(result)},
                     {"shields", shields_text(result)},
                     {"limits", price_text(result)},
                     {"robustness", robust_text(result)},
                     {"wanted map", distance_text(result)},
                     {"turned off",
                      fmt::format("{} of {} heliostats",
                                  grouped(result.heliostats_off),
                                  grouped(std::ssize(result.points)))},
                     {"work",
                      fmt::format("{} iterations, {} traces of the field",
                                  grouped(result.iterations),
                                  grouped(result.traces))},
                     {"time",
                      fmt::format("{}, {} in all",
                                  duration_text(seconds),
                                  duration_text(result.after.total_seconds))},
                     {"fingerprint", p.fingerprint},
                     {"aim points", files.aims ? files.aims->string() : ""},
                     {"result", files.result ? files.result->string() : ""},
                     {"image", files.image ? files.image->string() : ""},
                     {"report", files.report ? files.report->string() : ""},
                 });
}

nlohmann::json aiming_json(const aiming::AimingResult& result,
                           const OutputFiles& files,
                           double seconds) {
    using nlohmann::json;
    const auto or_null = [](const auto& value) { return value ? json(*value) : json(nullptr); };
    json out = summary_json(result.after, files);
    out["aims"] = files.aims ? json(files.aims->string()) : json(nullptr);
    out.update(json_of(result, aiming::aiming_columns()));
    out["power_before_w"] = power_on_targets(result.before);
    out["peak_flux_before_w_m2"] = peak_on_targets(result.before);
    if (!result.worst_limit_share) out["worst_limit_place"] = nullptr;
    out["shields"] = shields_json(result);
    out["limit_price_w_per_percent"] = or_null(price_of_limit(result));
    out["target_shares"] = target_shares_json(result);
    out["violation"] = result.violation.empty() ? json(nullptr) : json(result.violation);
    out["aim_errors"] = result.errors.any() ? json{{"rms_mrad", 1e3 * result.errors.rms()},
                                                   {"calibration", result.errors.calibrated},
                                                   {"tracking", result.errors.tracking}}
                                            : json(nullptr);
    out["seconds"] = seconds;
    return out;
}

namespace {

std::string format_steps(const aiming::AimSeries& series) {
    const bool timed = series.is_timed();
    std::vector<TableColumn> columns{{timed ? "time" : "step", Align::left},
                                     {"power"},
                                     {"missing"},
                                     {"peak flux"},
                                     {"of its limit"},
                                     {"off"},
                                     {"traces"},
                                     {"seconds"}};
    for (const aiming::TargetShare& share : series.shown.shares) columns.push_back({share.target});
    TextTable table(columns);
    for (size_t i = 0; i < series.steps.size(); ++i) {
        const aiming::AimingResult& step = series.steps[i].aiming;
        const auto gap = step.gap();
        const char* mark = step.limits_kept ? "" : " !";
        std::vector<std::string> cells{
            timed ? series.steps[i].sun.time : std::to_string(i),
            power_text(step.power),
            gap ? fmt::format("{:.2f} %", 100.0 * *gap) : "-",
            with_error(step.peak_flux / 1e3, step.peak_flux_std_error / 1e3) + " kW/m2",
            step.worst_limit_share
                ? fmt::format("{:.2f} %{}", 100.0 * *step.worst_limit_share, mark)
                : "-",
            grouped(step.heliostats_off),
            grouped(step.traces),
            fmt::format("{:.1f}", series.steps[i].seconds)};
        for (const aiming::TargetShare& share : step.shares)
            cells.push_back(fmt::format("{:.2f} %", 100.0 * share.reached));
        table.add_row(std::move(cells));
    }
    return table.str();
}

}  // namespace

std::string aim_series_text(const aiming::AimSeries& series,
                            const OutputFiles& files,
                            double seconds) {
    const auto path = [](const std::optional<std::filesystem::path>& file) {
        return file ? file->string() : std::string();
    };
    return format_steps(series) + "\n" +
           key_value_lines({
               {"limits", series.violation()},
               {"heliostats", grouped(std::ssize(series.shown.points))},
               {"most power", series.steps[series.strongest].label(series.strongest)},
               {"time", duration_text(seconds)},
               {"fingerprint", series.fingerprint()},
               {"aim points", path(files.aims)},
               {"result", path(files.result)},
               {"image", path(files.image)},
               {"report", path(files.report)},
           });
}

nlohmann::json aim_series_json(const aiming::AimSeries& series,
                               const OutputFiles& files,
                               double seconds) {
    using nlohmann::json;
    const auto path = [](const std::optional<std::filesystem::path>& file) {
        return file ? json(file->string()) : json(nullptr);
    };
    using Step = aiming::AimedStep;
    std::vector<SeriesStep> suns;
    for (const Step& step : series.steps) suns.push_back(step.facts());
    json out = json_columns(suns, sun_columns());
    for (json& time : out.at("time"))
        if (time.get_ref<const std::string&>().empty()) time = nullptr;
    for (const Step& step : series.steps) {
        const json numbers = json_of(step.aiming, aiming::aiming_step_columns());
        for (const auto& [name, value] : numbers.items()) out[name].push_back(value);
        out["seconds"].push_back(step.seconds);
        out["fingerprint"].push_back(step.aiming.after.provenance.fingerprint);
    }
    const std::string violation = series.violation();
    out["num_steps"] = series.steps.size();
    out["steps_done_before"] = series.steps_done_before;
    out["heliostats"] = series.shown.points.size();
    out["limits_kept"] = std::all_of(series.steps.begin(),
                                     series.steps.end(),
                                     [](const Step& step) { return step.aiming.limits_kept; });
    json shares;
    for (const Step& step : series.steps) {
        for (const aiming::TargetShare& share : step.aiming.shares) {
            shares[share.target]["wanted"] = share.wanted;
            shares[share.target]["reached"].push_back(share.reached);
        }
    }
    out["target_shares"] = shares;
    out["warnings"] = json::array();
    for (size_t i = 0; i < series.steps.size(); ++i) {
        for (const std::string& warning : result_warnings(series.steps[i].aiming.after))
            out["warnings"].push_back(fmt::format("{}: {}", series.steps[i].label(i), warning));
    }
    out["violation"] = violation.empty() ? json(nullptr) : json(violation);
    out["series_fingerprint"] = series.fingerprint();
    out["total_seconds"] = seconds;
    out["aims"] = path(files.aims);
    out["output"] = path(files.result);
    out["image"] = path(files.image);
    out["report"] = path(files.report);
    return out;
}

}  // namespace helioray
