// SPDX-License-Identifier: MIT
// Creates the content of the report about mirrors.
#include "app/output/report/reconstruction_report.h"

#include "app/output/plot/reconstruction_plot.h"
#include "app/output/report/report_parts.h"
#include "app/output/summary/reconstruction_summary.h"
#include "scenario/files/number_text.h"
#include "scenario/files/text_encoding.h"

#include <fmt/format.h>

#include <cmath>

namespace helioray {

namespace {

using namespace reconstruction;

constexpr size_t kMostMirrors = 24;
constexpr size_t kMostImages = 12;
constexpr double kMrad = 1e3;

std::string headline(const std::vector<HeliostatMirror>& field) {
    std::vector<ImageAccuracy> fitted, test;
    std::int64_t mirrors = 0, kept = 0;
    size_t rejected = 0;
    double square = 0.0;
    for (const HeliostatMirror& mirror : field) {
        rejected += mirror.rejected.size();
        if (!mirror.found) continue;
        const Reconstruction& found = *mirror.found;
        ++mirrors;
        if (!found.improved) ++kept;
        square += found.slope_deviation * found.slope_deviation;
        fitted.insert(fitted.end(), found.fitted.begin(), found.fitted.end());
        test.insert(test.end(), found.test.begin(), found.test.end());
    }
    std::string out = card("Heliostats",
                           grouped(mirrors),
                           kept == 0 ? "all with a new surface" : grouped(kept) + " keep theirs");
    out += card("Fitted images",
                accuracy_text(fitted),
                fmt::format("flux accuracy of {}, {} records rejected", fitted.size(), rejected));
    if (!test.empty())
        out += card("Test images",
                    accuracy_text(test),
                    fmt::format("flux accuracy of {} that were not fitted", test.size()));
    if (mirrors > 0)
        out += card(
            "Slopes",
            fmt::format("± {:.2f} mrad", kMrad * std::sqrt(square / static_cast<double>(mirrors))),
            "standard deviation of what was found");
    return out;
}

std::string table(const std::vector<HeliostatMirror>& field) {
    std::vector<std::vector<std::string>> rows;
    for (const HeliostatMirror& mirror : field) {
        if (!mirror.found) continue;
        const Reconstruction& found = *mirror.found;
        rows.push_back({mirror.name,
                        std::to_string(found.fitted.size()),
                        std::to_string(found.sun_groups),
                        accuracy_text(found.fitted),
                        accuracy_text(found.test),
                        fmt::format("{:.3f}", found.optics.circumsolar_ratio),
                        fmt::format("{:.2f} mrad", kMrad * found.optics.slope_error),
                        fmt::format("{:.2f} mrad", kMrad * found.slope_deviation),
                        slopes_text(mirror)});
    }
    return table_markup({"Heliostat",
                         "Images",
                         "Places of the sun",
                         "Flux accuracy",
                         "Of test images",
                         "Circumsolar ratio",
                         "Slope error",
                         "Slopes ±",
                         "Slopes against truth"},
                        rows);
}

std::string figures(const HeliostatMirror& mirror, const Scenario& start, const Scenario* truth) {
    const Reconstruction& found = *mirror.found;
    std::string out = "<h2>" + markup_text(mirror.name) + "</h2>\n";
    for (const std::string& remark : reconstruction_remarks(mirror))
        out += "<p>" + markup_text(remark) + "</p>\n";
    if (found.images.size() > kMostImages)
        out += fmt::format("<p>{} of {} images are shown.</p>\n", kMostImages, found.images.size());
    out += panel_figure(reconstruction_images(found, start, kMostImages),
                        "Images of " + mirror.name + ", their models and the differences",
                        PictureFormat::svg);
    return out + panel_figure(reconstruction_slopes(found, start, truth),
                              "Slopes of " + mirror.name,
                              PictureFormat::svg);
}

}  // namespace

std::string reconstruction_report(const std::vector<HeliostatMirror>& field,
                                  const Scenario& start,
                                  const Scenario* truth,
                                  const std::string& output,
                                  const std::optional<std::string>& title) {
    ReportPage page;
    page.title = title.value_or("Mirrors from flux images");
    page.subtitle = output;
    page.cards = headline(field);
    page.body = "<h2>Heliostats</h2>\n" + table(field);
    size_t mirrors = 0;
    std::string drawn;
    std::vector<std::vector<std::string>> rejected;
    for (const HeliostatMirror& mirror : field) {
        for (const RejectedRecord& record : mirror.rejected)
            rejected.push_back({mirror.name, record.record, record.reason});
        if (mirror.found && ++mirrors <= kMostMirrors) drawn += figures(mirror, start, truth);
    }
    if (mirrors > kMostMirrors)
        drawn = fmt::format(
            "<p>The first {} of {} heliostats are drawn.</p>\n{}", kMostMirrors, mirrors, drawn);
    page.body += drawn;
    if (!rejected.empty())
        page.body += "<h2>Rejected records</h2>\n" +
                     table_markup({"Heliostat", "Record", "Reason"}, rejected);
    page.footer =
        "Flux accuracy is the share of light in the same place, of traced rays over 6 x 6 m about "
        "the centre of light.";
    return report_page(page);
}

}  // namespace helioray
