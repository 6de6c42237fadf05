// SPDX-License-Identifier: MIT
// Creates the content of the report about a calibration.
#include "app/output/report/calibration_report.h"

#include "app/output/plot/calibration_plot.h"
#include "app/output/report/report_parts.h"
#include "app/output/summary/calibration_summary.h"
#include "scenario/files/number_text.h"
#include "scenario/files/text_encoding.h"
#include "scenario/files/units.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

namespace {

using namespace calibration;

constexpr size_t kMostUseful = 20;
constexpr size_t kMostWithParameters = 100;

using Rows = std::vector<std::vector<std::string>>;

std::string headline(const std::vector<HeliostatCalibration>& field) {
    std::int64_t calibrated = 0;
    size_t records = 0, used = 0, rejected = 0;
    std::vector<double> errors;
    for (const HeliostatCalibration& heliostat : field) {
        records += heliostat.records;
        used += heliostat.used;
        rejected += heliostat.rejected.size();
        if (heliostat.used == 0) continue;
        ++calibrated;
        errors.push_back(heliostat.aim_error);
    }
    std::string out = card("Heliostats",
                           grouped(calibrated),
                           fmt::format("of {} have records that counted", field.size()));
    out += card("Records",
                grouped(static_cast<std::int64_t>(used)),
                fmt::format("of {} counted, {} rejected", records, rejected));
    const ComparisonFigures figures = compute_figures(all_left_out(field));
    if (figures.count > 0) {
        out +=
            card("Left-out records",
                 mrad_text(figures.median) + " mrad",
                 fmt::format("median tilt of the normal, mean {} mrad", mrad_text(figures.mean)));
        out += card(
            "Inside of ellipses",
            fmt::format("{:.0f} % / {:.0f} %", 100 * figures.inside_68, 100 * figures.inside_95),
            "of left-out spots, in those of 68 % and 95 %");
    }
    if (!errors.empty()) {
        std::sort(errors.begin(), errors.end());
        out += card(
            "Expected aim error",
            mrad_text(errors[errors.size() / 2]) + " mrad",
            "median of heliostats with records, largest " + mrad_text(errors.back()) + " mrad");
    }
    return out;
}

/// Returns a section with a table, or an empty text without rows.
std::string section(const std::string& title,
                    const std::vector<std::string>& headers,
                    const Rows& rows) {
    if (rows.empty()) return "";
    return "<h2>" + markup_text(title) + "</h2>\n" + table_markup(headers, rows);
}

std::string sun_table(const std::vector<HeliostatCalibration>& field) {
    Rows rows;
    for (const SunClass& sun_class : by_sun_distance(all_left_out(field))) {
        const ComparisonFigures figures = compute_figures(sun_class.list);
        rows.push_back({fmt::format("{:.0f} to {:.0f} deg", sun_class.from, sun_class.to),
                        std::to_string(figures.count),
                        mrad_text(figures.median),
                        mrad_text(figures.mean)});
    }
    return section("Left-out records by the distance to the nearest sun that was fitted",
                   {"Nearest other sun", "Records", "Median (mrad)", "Mean (mrad)"},
                   rows);
}

std::string heliostat_table(const std::vector<HeliostatCalibration>& field) {
    Rows rows;
    for (const HeliostatCalibration& heliostat : field) {
        rows.push_back(heliostat_cells(heliostat));
    }
    return section("Heliostats, with the tilt of the normal in mrad",
                   {"Heliostat",
                    "Records",
                    "Counted",
                    "Epochs",
                    "Nominal",
                    "Fitted",
                    "Left out",
                    "Expected aim error"},
                   rows);
}

/// Returns a collapsible section for each heliostat.
std::string parameter_tables(const std::vector<HeliostatCalibration>& field) {
    std::string out;
    size_t listed = 0, calibrated = 0;
    for (const HeliostatCalibration& heliostat : field) {
        if (heliostat.used == 0) continue;
        if (++calibrated > kMostWithParameters) continue;
        ++listed;
        Rows rows;
        for (const FittedNumber& number : fitted_numbers(heliostat)) {
            const std::string& name = number.name;
            const bool steps = name.find("increment") != std::string::npos;
            const bool angle =
                name.find("tilt") != std::string::npos || name.find("angle") != std::string::npos;
            const double unit = steps ? 1.0 : 1e-3;
            rows.push_back({name,
                            fmt::format("{:.3f}", number.value / unit),
                            fmt::format("{:.3f}", number.sigma / unit),
                            steps   ? "steps/m"
                            : angle ? "mrad"
                                    : "mm"});
        }
        out += "<details><summary>" + markup_text(heliostat.name) + "</summary>\n" +
               table_markup({"Parameter", "Value", "±", "Unit"}, rows) + "</details>\n";
    }
    if (out.empty()) return "";
    if (calibrated > listed)
        out = fmt::format(
                  "<p>The first {} of {} heliostats with records.</p>\n", listed, calibrated) +
              out;
    return "<h2>Parameters with their standard deviations</h2>\n" + out;
}

std::string test_table(const std::vector<HeliostatCalibration>& field) {
    Rows rows;
    for (const HeliostatCalibration& heliostat : field) {
        for (const Comparison& c : heliostat.test) {
            rows.push_back({heliostat.name,
                            c.record,
                            c.target,
                            c.predicted ? fmt::format("{:.3f}", c.error_m) : "misses the target",
                            mrad_text(c.error),
                            fmt::format("{:.1f}", c.sun_distance / kRadiansPerDegree)});
        }
    }
    return section("Records that were only predicted",
                   {"Heliostat", "Record", "Target", "Off by (m)", "(mrad)", "Nearest sun (deg)"},
                   rows);
}

std::string rejected_table(const std::vector<HeliostatCalibration>& field) {
    Rows rows;
    for (const HeliostatCalibration& heliostat : field)
        for (const Rejection& rejection : heliostat.rejected)
            rows.push_back({heliostat.name, rejection.record, rejection.reason});
    return section("Rejected records", {"Heliostat", "Record", "Reason"}, rows);
}

std::string remark_table(const std::vector<HeliostatCalibration>& field) {
    Rows rows;
    for (const HeliostatCalibration& heliostat : field) {
        for (const EpochStart& epoch : heliostat.epochs)
            rows.push_back({heliostat.name, epoch_reason(epoch)});
        for (const std::string& remark : heliostat.remarks)
            rows.push_back({heliostat.name, remark});
    }
    return section("Changes in time and remarks", {"Heliostat", "Remark"}, rows);
}

std::string next_table(const std::vector<HeliostatCalibration>& field) {
    Rows rows;
    for (const HeliostatCalibration* heliostat : most_useful_first(field)) {
        if (rows.size() == kMostUseful) break;
        rows.push_back({heliostat->name,
                        heliostat->next->target,
                        fmt::format("{:.0f}", heliostat->next->sun_azimuth / kRadiansPerDegree),
                        fmt::format("{:.0f}", heliostat->next->sun_elevation / kRadiansPerDegree),
                        mrad_text(heliostat->aim_error),
                        mrad_text(heliostat->next->aim_error)});
    }
    return section("Measure next",
                   {"Heliostat",
                    "Target",
                    "Sun's azimuth (deg)",
                    "Elevation (deg)",
                    "Aim error now (mrad)",
                    "Afterwards (mrad)"},
                   rows);
}

}  // namespace

std::string calibration_report(const std::vector<HeliostatCalibration>& field,
                               const Scenario& scenario,
                               const std::string& output,
                               const std::optional<std::string>& title) {
    ReportPage page;
    page.title = title.value_or("Kinematics from measured spots");
    page.subtitle = output;
    page.cards = headline(field);
    page.body = "<h2>Spots and errors</h2>\n";
    page.body +=
        // Thousands of arrows are much smaller as pixels than as outlines.
        panel_figure(residual_arrows(field, scenario),
                     "Arrows from measured to predicted spots on the targets, before and after",
                     PictureFormat::png);
    page.body +=
        panel_figure(expected_errors(field, scenario),
                     "Errors against the distance of suns, and expected aim errors of the field",
                     PictureFormat::png);
    page.body += sun_table(field) + heliostat_table(field) + next_table(field) +
                 rejected_table(field) + remark_table(field) + test_table(field) +
                 parameter_tables(field);
    page.footer =
        "A tilt of the normal is half of the angle between predicted and measured spot, as seen "
        "from the mirror. The expected aim error is the standard deviation of the normal about "
        "each axis over the suns of the year.";
    return report_page(page);
}

}  // namespace helioray
