// SPDX-License-Identifier: MIT
// Creates tables, remarks and JSON of reconstructed mirrors.
#include "app/output/summary/reconstruction_summary.h"

#include "app/output/summary/text_table.h"

#include <fmt/format.h>

namespace helioray {

namespace {

using namespace reconstruction;

constexpr double kMrad = 1e3;

double mean(const std::vector<ImageAccuracy>& images, double ImageAccuracy::*which) {
    double sum = 0.0;
    for (const ImageAccuracy& image : images) sum += image.*which;
    return sum / static_cast<double>(images.size());
}

nlohmann::json accuracies_json(const std::vector<ImageAccuracy>& images) {
    nlohmann::json list = nlohmann::json::array();
    for (const ImageAccuracy& image : images) {
        list.push_back({{"record", image.record},
                        {"flux_accuracy_before", image.before},
                        {"flux_accuracy", image.after}});
    }
    return list;
}

}  // namespace

std::string accuracy_text(const std::vector<ImageAccuracy>& images) {
    if (images.empty()) return "-";
    return fmt::format("{:.3f} -> {:.3f}",
                       mean(images, &ImageAccuracy::before),
                       mean(images, &ImageAccuracy::after));
}

std::string slopes_text(const HeliostatMirror& mirror) {
    if (!mirror.slopes) return "-";
    return fmt::format(
        "{:.2f} -> {:.2f} mrad", kMrad * (*mirror.slopes)[0], kMrad * (*mirror.slopes)[1]);
}

std::vector<std::string> reconstruction_remarks(const HeliostatMirror& mirror) {
    std::vector<std::string> remarks;
    if (!mirror.found) return remarks;
    if (!mirror.found->improved)
        remarks.push_back(fmt::format(
            "{} keeps its surface: no other one explains the images better", mirror.name));
    if (mirror.found->sun_groups < kFewestSunGroups)
        remarks.push_back(fmt::format("{}: {} of the sun, the shape is weakly determined",
                                      mirror.name,
                                      mirror.found->sun_groups == 1 ? "one place" : "two places"));
    if (mirror.found->maxima > 1)
        remarks.push_back(
            fmt::format("{}: {} shapes explain the images about as well, the result "
                        "is their weighted mean",
                        mirror.name,
                        mirror.found->maxima));
    return remarks;
}

nlohmann::json reconstruction_json(const std::vector<HeliostatMirror>& field,
                                   const std::string& output,
                                   double seconds) {
    nlohmann::json out{
        {"seconds", seconds}, {"output", output}, {"heliostats", nlohmann::json::object()}};
    for (const HeliostatMirror& mirror : field) {
        nlohmann::json& entry = out["heliostats"][mirror.name];
        entry["images"] = mirror.found ? mirror.found->fitted.size() : 0;
        entry["test"] = nlohmann::json::array();
        entry["rejected"] = nlohmann::json::array();
        for (const RejectedRecord& record : mirror.rejected)
            entry["rejected"].push_back({{"record", record.record}, {"reason", record.reason}});
        if (!mirror.found) continue;
        const Reconstruction& found = *mirror.found;
        entry["test"] = accuracies_json(found.test);
        entry["fitted"] = accuracies_json(found.fitted);
        for (size_t i = 0; i < found.images.size(); ++i)
            entry["fitted"][i]["slope_error_mrad"] = kMrad * found.images[i].slope_error;
        entry["improved"] = found.improved;
        entry["sun_groups"] = found.sun_groups;
        entry["common_tilt"] = found.tilt_shown ? "motor positions" : "not shown";
        entry["maxima"] = found.maxima;
        entry["circumsolar_ratio"] = found.optics.circumsolar_ratio;
        entry["slope_error_mrad"] = kMrad * found.optics.slope_error;
        entry["slope_sigma_mrad"] = kMrad * found.slope_deviation;
        if (mirror.slopes) {
            entry["slopes_mrad"] = {{"before", kMrad * (*mirror.slopes)[0]},
                                    {"after", kMrad * (*mirror.slopes)[1]}};
        }
    }
    return out;
}

std::string reconstruction_text(const std::vector<HeliostatMirror>& field,
                                const std::string& output,
                                double seconds) {
    TextTable table({{"heliostat", Align::left},
                     {"images"},
                     {"flux accuracy"},
                     {"on test images"},
                     {"slope error"},
                     {"slopes, std"},
                     {"slopes against truth"}});
    std::string rejected, remarks;
    for (const HeliostatMirror& mirror : field) {
        for (const RejectedRecord& record : mirror.rejected)
            rejected += fmt::format("  {} {}: {}\n", mirror.name, record.record, record.reason);
        for (const std::string& remark : reconstruction_remarks(mirror))
            remarks += fmt::format("  {}\n", remark);
        if (!mirror.found) continue;
        const Reconstruction& found = *mirror.found;
        table.add_row({mirror.name,
                       fmt::format("{}", found.fitted.size()),
                       accuracy_text(found.fitted),
                       accuracy_text(found.test),
                       fmt::format("{:.2f} mrad", kMrad * found.optics.slope_error),
                       fmt::format("{:.2f} mrad", kMrad * found.slope_deviation),
                       slopes_text(mirror)});
    }
    std::string text = table.str();
    if (!remarks.empty()) text += "\nRemarks\n" + remarks;
    if (!rejected.empty()) text += "\nRejected records\n" + rejected;
    return text + fmt::format("\n{} written in {:.1f} s\n", output, seconds);
}

}  // namespace helioray
