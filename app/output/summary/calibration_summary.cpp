// SPDX-License-Identifier: MIT
// Creates tables and JSON of a calibration.
#include "app/output/summary/calibration_summary.h"

#include "app/output/summary/text_table.h"
#include "scenario/files/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace helioray {

namespace {

using namespace calibration;
using Json = nlohmann::ordered_json;

// Quantiles of the sum of squares of two normally distributed numbers (chi-square).
constexpr double kChiSquare68 = 2.2789;
constexpr double kChiSquare95 = 5.9915;

Json figures_json(const std::vector<Comparison>& list) {
    const ComparisonFigures figures = compute_figures(list);
    if (figures.count == 0) return {{"median", nullptr}, {"mean", nullptr}};
    return {{"median", 1e3 * figures.median}, {"mean", 1e3 * figures.mean}};
}

Json coverage_json(const std::vector<Comparison>& list) {
    const ComparisonFigures figures = compute_figures(list);
    if (figures.count == 0) return nullptr;
    return {{"records", figures.count}, {"p68", figures.inside_68}, {"p95", figures.inside_95}};
}

Json comparison_json(const Comparison& c) {
    Json json{{"record", c.record}};
    if (c.predicted) {
        json["error_m"] = c.error_m;
    } else {
        json["error_m"] = nullptr;
    }
    json["error_mrad"] = 1e3 * c.error;
    json["sigma_m"] = {{c.covariance[0], c.covariance[1]}, {c.covariance[2], c.covariance[3]}};
    json["offset_m"] = c.offset_m;
    json["spot_m"] = c.predicted ? Json(*c.predicted) : Json(nullptr);
    json["measured_m"] = c.measured;
    json["sun_distance_deg"] =
        std::isfinite(c.sun_distance) ? Json(c.sun_distance / kRadiansPerDegree) : Json(nullptr);
    return json;
}

Json heliostat_json(const HeliostatCalibration& heliostat) {
    Json json{
        {"records", heliostat.records}, {"used", heliostat.used}, {"rejected", Json::array()}};
    for (const Rejection& rejection : heliostat.rejected) {
        json["rejected"].push_back({{"record", rejection.record}, {"reason", rejection.reason}});
    }
    json["epochs"] = heliostat.epochs.size() + 1;
    json["epoch_starts"] = Json::array();
    for (const EpochStart& epoch : heliostat.epochs) {
        json["epoch_starts"].push_back({{"record", epoch.record},
                                        {"last_before", epoch.last_before},
                                        {"reason", epoch_reason(epoch)},
                                        {"stroke_m", epoch.stroke_m},
                                        {"tilt_mrad", 1e3 * epoch.tilt}});
    }
    json["parameters"] = Json::object();
    for (const FittedNumber& number : fitted_numbers(heliostat))
        json["parameters"][number.name] = {number.value, number.sigma};
    json["level_weights"] = heliostat.level_weights;
    json["nominal_mrad"] = figures_json(heliostat.before);
    json["residual_mrad"] = figures_json(heliostat.fitted);
    json["left_out_mrad"] = figures_json(heliostat.left_out);
    json["coverage"] = coverage_json(heliostat.left_out);
    json["bending_mrad"] = 1e3 * heliostat.bending;
    json["aim_error_mrad"] = 1e3 * heliostat.aim_error;
    if (heliostat.next) {
        json["next"] = {{"sun_azimuth_deg", heliostat.next->sun_azimuth / kRadiansPerDegree},
                        {"sun_elevation_deg", heliostat.next->sun_elevation / kRadiansPerDegree},
                        {"target", heliostat.next->target},
                        {"aim_error_mrad", 1e3 * heliostat.next->aim_error}};
    }
    json["left_out"] = Json::array();
    for (const Comparison& c : heliostat.left_out) json["left_out"].push_back(comparison_json(c));
    json["test"] = Json::array();
    for (const Comparison& c : heliostat.test) json["test"].push_back(comparison_json(c));
    json["remarks"] = heliostat.remarks;
    return json;
}

}  // namespace

std::vector<Comparison> all_left_out(const std::vector<HeliostatCalibration>& field) {
    std::vector<Comparison> all;
    for (const HeliostatCalibration& heliostat : field) {
        all.insert(all.end(), heliostat.left_out.begin(), heliostat.left_out.end());
    }
    return all;
}

std::vector<SunClass> by_sun_distance(const std::vector<Comparison>& all) {
    std::vector<SunClass> classes{
        {0, 5, {}}, {5, 10, {}}, {10, 20, {}}, {20, 40, {}}, {40, 180, {}}};
    for (const Comparison& c : all) {
        for (SunClass& sun_class : classes) {
            const double degrees = c.sun_distance / kRadiansPerDegree;
            if (degrees >= sun_class.from && degrees < sun_class.to) sun_class.list.push_back(c);
        }
    }
    std::erase_if(classes, [](const SunClass& sun_class) { return sun_class.list.empty(); });
    return classes;
}

std::vector<FittedNumber> fitted_numbers(const HeliostatCalibration& heliostat) {
    std::array<double, kColumns> values{};
    converted_record<double>(heliostat.kinematics, [&](size_t column, double value) {
        values[column] = value;
        return value;
    });
    if (heliostat.kinematics.drives[0].is_linear) {
        // Files contain the angle of axis 1 for a mirror that lies flat.
        values[RecordColumns::drives + 4] += std::numbers::pi / 2;
    }
    std::vector<FittedNumber> numbers;
    for (size_t i = 0; i < kColumns; ++i) {
        const double variance = heliostat.column_covariance(i, i);
        if (!(variance > 0)) continue;
        numbers.push_back({column_names()[i], values[i], std::sqrt(variance)});
    }
    return numbers;
}

std::string epoch_reason(const EpochStart& epoch) {
    return fmt::format(
        "drives were set to zero anew between {} and {}: spindle starts moved by {:+.2f} and "
        "{:+.2f} mm, the normal by {:.1f} mrad",
        epoch.last_before,
        epoch.record,
        1e3 * epoch.stroke_m[0],
        1e3 * epoch.stroke_m[1],
        1e3 * epoch.tilt);
}

std::vector<const HeliostatCalibration*> most_useful_first(
    const std::vector<HeliostatCalibration>& field) {
    std::vector<const HeliostatCalibration*> list;
    for (const HeliostatCalibration& heliostat : field)
        if (heliostat.next && heliostat.next->aim_error < heliostat.aim_error)
            list.push_back(&heliostat);
    const auto lowered = [](const HeliostatCalibration* heliostat) {
        return heliostat->aim_error * heliostat->aim_error -
               heliostat->next->aim_error * heliostat->next->aim_error;
    };
    std::stable_sort(list.begin(), list.end(), [&](const auto* a, const auto* b) {
        return lowered(a) > lowered(b);
    });
    return list;
}

ComparisonFigures compute_figures(const std::vector<Comparison>& list) {
    ComparisonFigures figures;
    figures.count = list.size();
    if (list.empty()) return figures;
    std::vector<double> errors;
    for (const Comparison& c : list) {
        errors.push_back(c.error);
        figures.mean += c.error;
        if (c.mahalanobis < kChiSquare68) figures.inside_68 += 1.0;
        if (c.mahalanobis < kChiSquare95) figures.inside_95 += 1.0;
    }
    for (double* sum : {&figures.mean, &figures.inside_68, &figures.inside_95})
        *sum /= static_cast<double>(list.size());
    std::sort(errors.begin(), errors.end());
    const size_t middle = errors.size() / 2;
    figures.median =
        errors.size() % 2 ? errors[middle] : 0.5 * (errors[middle - 1] + errors[middle]);
    return figures;
}

std::string mrad_text(double radians) {
    return fmt::format("{:.2f}", 1e3 * radians);
}

std::vector<std::string> heliostat_cells(const HeliostatCalibration& heliostat) {
    return {heliostat.name,
            std::to_string(heliostat.records),
            std::to_string(heliostat.used),
            std::to_string(heliostat.epochs.size() + 1),
            median_text(heliostat.before),
            median_text(heliostat.fitted),
            median_text(heliostat.left_out),
            mrad_text(heliostat.aim_error)};
}

std::string median_text(const std::vector<Comparison>& list) {
    return list.empty() ? "-" : mrad_text(compute_figures(list).median);
}

nlohmann::ordered_json calibration_json(const std::vector<HeliostatCalibration>& field,
                                        const std::vector<std::string>& remarks,
                                        double seconds) {
    const std::vector<Comparison> all = all_left_out(field);
    Json json{{"seconds", seconds},
              {"remarks", remarks},
              {"left_out_mrad", figures_json(all)},
              {"coverage", coverage_json(all)},
              {"left_out_by_sun_distance", Json::array()}};
    for (const SunClass& sun_class : by_sun_distance(all)) {
        const ComparisonFigures figures = compute_figures(sun_class.list);
        json["left_out_by_sun_distance"].push_back({{"from_deg", sun_class.from},
                                                    {"to_deg", sun_class.to},
                                                    {"records", figures.count},
                                                    {"median", 1e3 * figures.median},
                                                    {"mean", 1e3 * figures.mean}});
    }
    if (const auto next = most_useful_first(field); !next.empty())
        json["next_heliostat"] = next.front()->name;
    json["heliostats"] = Json::object();
    for (const HeliostatCalibration& heliostat : field) {
        json["heliostats"][heliostat.name] = heliostat_json(heliostat);
    }
    return json;
}

namespace {

/// Returns a line for each rejected record, start of an epoch, remark and predicted record of a
/// heliostat.
std::string heliostat_notes(const HeliostatCalibration& heliostat) {
    std::string notes;
    for (const Rejection& rejection : heliostat.rejected) {
        notes += fmt::format(
            "  {} {} rejected: {}\n", heliostat.name, rejection.record, rejection.reason);
    }
    for (const EpochStart& epoch : heliostat.epochs) {
        notes += fmt::format("  {}: {}\n", heliostat.name, epoch_reason(epoch));
    }
    for (const std::string& remark : heliostat.remarks) {
        notes += fmt::format("  {}: {}\n", heliostat.name, remark);
    }
    for (const Comparison& c : heliostat.test) {
        notes += fmt::format("  {} {} predicted: {:.2f} m off ({} mrad)\n",
                             heliostat.name,
                             c.record,
                             c.error_m,
                             mrad_text(c.error));
    }
    return notes;
}

/// Returns the table of heliostats, and counts those that it leaves out.
std::string heliostat_table(const std::vector<HeliostatCalibration>& field) {
    constexpr size_t kMostRows = 40;
    TextTable table({{"heliostat", Align::left},
                     {"records"},
                     {"used"},
                     {"epochs"},
                     {"nominal"},
                     {"fitted"},
                     {"left out"},
                     {"aim error"}});
    size_t listed = 0, idle = 0, more = 0;
    for (const HeliostatCalibration& heliostat : field) {
        // Skip heliostats without records, which would hide the others of a large field.
        if (heliostat.records == 0 && field.size() > kMostRows) {
            ++idle;
        } else if (listed == kMostRows) {
            ++more;
        } else {
            ++listed;
            table.add_row(heliostat_cells(heliostat));
        }
    }
    std::string text = table.str();
    if (more > 0) text += fmt::format("  and {} more\n", more);
    if (idle > 0) {
        text += fmt::format("  {} heliostat(s) without records keep their kinematics\n", idle);
    }
    return text;
}

/// Returns the figures of the whole field, by their names.
std::vector<std::pair<std::string, std::string>> field_lines(
    const std::vector<HeliostatCalibration>& field) {
    size_t records = 0, used = 0;
    for (const HeliostatCalibration& heliostat : field) {
        records += heliostat.records;
        used += heliostat.used;
    }
    const std::vector<Comparison> all = all_left_out(field);
    const ComparisonFigures figures = compute_figures(all);
    std::string suns;
    for (const SunClass& sun_class : by_sun_distance(all)) {
        const ComparisonFigures these = compute_figures(sun_class.list);
        suns += fmt::format("{}{:.0f} to {:.0f} deg: {} ({})",
                            suns.empty() ? "" : ", ",
                            sun_class.from,
                            sun_class.to,
                            mrad_text(these.median),
                            these.count);
    }
    std::vector<std::pair<std::string, std::string>> lines{
        {"records", fmt::format("{}, {} used", records, used)}};
    if (figures.count > 0) {
        lines.emplace_back("left out",
                           fmt::format("median {} mrad, mean {} mrad",
                                       mrad_text(figures.median),
                                       mrad_text(figures.mean)));
        lines.emplace_back("by distance of suns", suns);
        lines.emplace_back("inside of ellipses",
                           fmt::format("{:.0f} % in those of 68 %, {:.0f} % in those of 95 %",
                                       100 * figures.inside_68,
                                       100 * figures.inside_95));
    }
    if (records > 0) {
        lines.emplace_back(
            "bending",
            fmt::format("{} mrad far from fitted suns, besides the parameters' uncertainty",
                        mrad_text(field.front().bending)));
    }
    if (const auto useful = most_useful_first(field); !useful.empty()) {
        const HeliostatCalibration& next = *useful.front();
        lines.emplace_back("measure next",
                           fmt::format("{} on {}, sun at azimuth {:.0f}, elevation {:.0f} deg: aim "
                                       "error {} to {} mrad",
                                       next.name,
                                       next.next->target,
                                       next.next->sun_azimuth / kRadiansPerDegree,
                                       next.next->sun_elevation / kRadiansPerDegree,
                                       mrad_text(next.aim_error),
                                       mrad_text(next.next->aim_error)));
    }
    return lines;
}

}  // namespace

std::string calibration_text(const std::vector<HeliostatCalibration>& field, double seconds) {
    std::string text =
        "Tilt of the normal in mrad: median before and after, and of records predicted "
        "from the others.\n\n" +
        heliostat_table(field);
    std::string notes;
    for (const HeliostatCalibration& heliostat : field) notes += heliostat_notes(heliostat);
    if (!notes.empty()) text += "\n" + notes;
    auto lines = field_lines(field);
    lines.emplace_back("time", fmt::format("{:.3f} s", seconds));
    return text + "\n" + key_value_lines(lines);
}

std::string states_text(const std::vector<HeliostatState>& states) {
    size_t records = 0, calibrated = 0;
    std::vector<double> errors;
    std::optional<double> last_day;
    for (const HeliostatState& state : states) {
        records += state.records;
        if (state.records == 0) continue;
        ++calibrated;
        errors.push_back(state.aim_error);
        if (state.last_day)
            last_day = std::max(last_day.value_or(*state.last_day), *state.last_day);
    }
    std::sort(errors.begin(), errors.end());
    return key_value_lines(
        {{"heliostats", fmt::format("{}, {} of them with records", states.size(), calibrated)},
         {"records", std::to_string(records)},
         {"latest record", last_day ? fmt::format("Julian day {:.3f}", *last_day) : ""},
         {"aim error",
          errors.empty() ? ""
                         : fmt::format("median {}, largest {} mrad; robust limits of helioray aim "
                                       "count it",
                                       mrad_text(errors[errors.size() / 2]),
                                       mrad_text(errors.back()))},
         {"update", "helioray calibrate --update takes in new records"}});
}

nlohmann::ordered_json update_json(const std::vector<calibration::UpdatedRecord>& updates,
                                   const std::vector<HeliostatState>& states,
                                   double seconds) {
    Json json{{"seconds", seconds}, {"heliostats", Json::object()}};
    for (const HeliostatState& state : states) {
        const auto is_own = [&](const UpdatedRecord& record) {
            return record.heliostat == state.name;
        };
        if (std::none_of(updates.begin(), updates.end(), is_own)) continue;
        json["heliostats"][state.name] = {{"records", state.records},
                                          {"used", state.records},
                                          {"rejected", Json::array()},
                                          {"epochs", state.epochs},
                                          {"test", Json::array()},
                                          {"updates", Json::array()}};
    }
    for (const UpdatedRecord& record : updates) {
        Json& heliostat = json["heliostats"][record.heliostat];
        Json entry = comparison_json(record.update.predicted);
        if (record.is_test) {
            heliostat["test"].push_back(entry);
        } else if (record.update.rejected) {
            heliostat["rejected"].push_back(
                {{"record", record.record}, {"reason", *record.update.rejected}});
            heliostat["records"] = heliostat["records"].get<size_t>() + 1;
        }
        entry["rejected"] = record.update.rejected ? Json(*record.update.rejected) : Json(nullptr);
        entry["milliseconds"] = 1e3 * record.seconds;
        heliostat["updates"].push_back(std::move(entry));
    }
    return json;
}

std::string update_text(const std::vector<calibration::UpdatedRecord>& updates, double seconds) {
    TextTable table({{"heliostat", Align::left},
                     {"record", Align::left},
                     {"off by m"},
                     {"mrad"},
                     {"ms"},
                     {"", Align::left}});
    for (const UpdatedRecord& record : updates) {
        const std::string reason = record.update.rejected.value_or("");
        table.add_row({record.heliostat,
                       record.record,
                       fmt::format("{:.3f}", record.update.predicted.error_m),
                       mrad_text(record.update.predicted.error),
                       fmt::format("{:.2f}", 1e3 * record.seconds),
                       record.is_test || reason.empty() ? reason : "rejected: " + reason});
    }
    return table.str() + "\n" + key_value_lines({{"time", fmt::format("{:.3f} s", seconds)}});
}

}  // namespace helioray
