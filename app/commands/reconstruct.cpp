// SPDX-License-Identifier: MIT
// The reconstruct command: mirror surfaces from flux images.
#include "raytracer/reconstruction/reconstruct.h"

#include "app/commands/commands.h"
#include "app/common/log.h"
#include "app/common/standard_streams.h"
#include "app/plot/plot_page.h"
#include "app/plot/reconstruction_plot.h"
#include "app/summary/text_table.h"
#include "kernels/parallel_for.h"
#include "kernels/processor_cores.h"
#include "raytracer/run/clock.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/writer/scenario_writer.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace helioray::app {

namespace {

using namespace reconstruction;

constexpr double kMrad = 1e3;

struct ReconstructOptions {
    std::string scenario, output, truth, image;
    std::vector<std::string> measured, test, heliostats;
    ImageKind kind = ImageKind::flux_centered;
    int threads = 0;
    bool json = false;
};

/// What is known of a heliostat's records, whether its mirror could be fitted or not.
struct Outcome {
    std::vector<FluxRecord> fitted, test;
    std::vector<RejectedRecord> rejected;
    std::optional<Reconstruction> found;
    std::optional<std::array<double, 2>> slopes;  ///< before, after; radians
};

using Outcomes = std::map<std::string, Outcome>;

void check_heliostats(const Scenario& scenario, const std::vector<std::string>& names) {
    std::vector<std::string> all;
    for (const Heliostat& heliostat : scenario.heliostats) all.push_back(heliostat.name);
    std::vector<Problem> problems;
    for (const std::string& name : names) {
        if (scenario.find_heliostat(name)) continue;
        problems.push_back({"--heliostat",
                            fmt::format("there is no heliostat '{}' in the scenario", name),
                            "",
                            suggest(name, all)});
    }
    if (!problems.empty()) throw InputError(std::move(problems));
}

Outcomes read_records(const Scenario& scenario, const ReconstructOptions& options) {
    FluxRecords measured =
        read_flux_records(scenario, options.measured, options.kind, options.heliostats);
    FluxRecords test = read_flux_records(scenario, options.test, options.kind, options.heliostats);
    Outcomes outcomes;
    std::set<std::filesystem::path> held_out;
    for (FluxRecord& record : test.records) {
        held_out.insert(std::filesystem::weakly_canonical(record.file));
        outcomes[scenario.heliostats[record.heliostat].name].test.push_back(std::move(record));
    }
    for (FluxRecord& record : measured.records) {
        if (held_out.contains(std::filesystem::weakly_canonical(record.file))) continue;
        outcomes[scenario.heliostats[record.heliostat].name].fitted.push_back(std::move(record));
    }
    // A record that is both measured and test is rejected once.
    std::set<std::pair<std::string, std::string>> known;
    for (FluxRecords* records : {&measured, &test}) {
        for (RejectedRecord& record : records->rejected) {
            if (known.emplace(record.heliostat, record.record).second)
                outcomes[record.heliostat].rejected.push_back(std::move(record));
        }
    }
    return outcomes;
}

/// Throws where no mirror has an image to be fitted to.
void require_images(const Outcomes& outcomes, const ReconstructOptions& options) {
    std::vector<Problem> problems;
    for (const auto& [name, outcome] : outcomes) {
        if (!outcome.fitted.empty()) return;
        for (const RejectedRecord& record : outcome.rejected)
            problems.push_back({fmt::format("{} {}", name, record.record), record.reason, "", ""});
    }
    problems.push_back({"--measured",
                        "no image can be fitted",
                        "",
                        options.kind == ImageKind::flux_centered
                            ? "name records with images, or try --image-kind flux"
                            : "name records with images, or try --image-kind flux-centered"});
    throw InputError(std::move(problems));
}

void fit_all(const Scenario& scenario, const Scenario* truth, int threads, Outcomes& outcomes) {
    std::vector<Outcome*> work;
    for (auto& [name, outcome] : outcomes)
        if (!outcome.fitted.empty()) work.push_back(&outcome);
    // One heliostat alone is traced on all threads.
    const int inner = work.size() == 1 ? threads : 1;
    parallel_for(work.size(), threads, [&](size_t i) {
        Outcome& outcome = *work[i];
        outcome.found = reconstruct_mirror(scenario, outcome.fitted, outcome.test, inner);
        for (const RejectedRecord& record : outcome.found->rejected)
            outcome.rejected.push_back(record);
        const Heliostat& heliostat = scenario.heliostats[outcome.found->heliostat];
        const auto known = truth != nullptr ? truth->find_heliostat(heliostat.name) : std::nullopt;
        if (!known) return;
        const Surface& real = *truth->heliostats[*known].surface;
        outcome.slopes = {slope_difference(*heliostat.surface, real),
                          slope_difference(*outcome.found->surface, real)};
    });
}

double mean(const std::vector<ImageAccuracy>& images, double ImageAccuracy::*which) {
    double sum = 0.0;
    for (const ImageAccuracy& image : images) sum += image.*which;
    return sum / static_cast<double>(images.size());
}

std::string accuracy_text(const std::vector<ImageAccuracy>& images) {
    if (images.empty()) return "-";
    return fmt::format("{:.3f} -> {:.3f}",
                       mean(images, &ImageAccuracy::before),
                       mean(images, &ImageAccuracy::after));
}

std::string text_of(const Outcomes& outcomes, const ReconstructOptions& options, double seconds) {
    TextTable table({{"heliostat", Align::left},
                     {"images"},
                     {"flux accuracy"},
                     {"on test images"},
                     {"slope error"},
                     {"slopes, std"},
                     {"slopes against truth"}});
    std::string rejected, remarks;
    for (const auto& [name, outcome] : outcomes) {
        for (const RejectedRecord& record : outcome.rejected)
            rejected += fmt::format("  {} {}: {}\n", name, record.record, record.reason);
        if (!outcome.found) continue;
        const Reconstruction& found = *outcome.found;
        table.add_row({name,
                       fmt::format("{}", found.fitted.size()),
                       accuracy_text(found.fitted),
                       accuracy_text(found.test),
                       fmt::format("{:.2f} mrad", kMrad * found.optics.slope_error),
                       fmt::format("{:.2f} mrad", kMrad * found.slope_deviation),
                       outcome.slopes ? fmt::format("{:.2f} -> {:.2f} mrad",
                                                    kMrad * (*outcome.slopes)[0],
                                                    kMrad * (*outcome.slopes)[1])
                                      : "-"});
        if (!found.improved)
            remarks += fmt::format("  {} keeps its surface: no other one agrees better\n", name);
        if (found.sun_groups < 3)
            remarks += fmt::format("  {}: {} of the sun, the shape is weakly determined\n",
                                   name,
                                   found.sun_groups == 1 ? "one place" : "two places");
    }
    std::string text = table.str();
    if (!remarks.empty()) text += "\nRemarks\n" + remarks;
    if (!rejected.empty()) text += "\nRejected records\n" + rejected;
    return text + fmt::format("\n{} written in {:.1f} s\n", options.output, seconds);
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

nlohmann::json json_of(const Outcomes& outcomes,
                       const ReconstructOptions& options,
                       double seconds) {
    nlohmann::json out{
        {"seconds", seconds}, {"output", options.output}, {"heliostats", nlohmann::json::object()}};
    for (const auto& [name, outcome] : outcomes) {
        nlohmann::json& one = out["heliostats"][name];
        one["images"] = outcome.found ? outcome.found->fitted.size() : 0;
        one["test"] = nlohmann::json::array();
        one["rejected"] = nlohmann::json::array();
        for (const RejectedRecord& record : outcome.rejected)
            one["rejected"].push_back({{"record", record.record}, {"reason", record.reason}});
        if (!outcome.found) continue;
        const Reconstruction& found = *outcome.found;
        one["test"] = accuracies_json(found.test);
        one["fitted"] = accuracies_json(found.fitted);
        one["improved"] = found.improved;
        one["sun_groups"] = found.sun_groups;
        one["circumsolar_ratio"] = found.optics.circumsolar_ratio;
        one["slope_error_mrad"] = kMrad * found.optics.slope_error;
        one["slope_sigma_mrad"] = kMrad * found.slope_deviation;
        if (outcome.slopes) {
            one["slopes_mrad"] = {{"before", kMrad * (*outcome.slopes)[0]},
                                  {"after", kMrad * (*outcome.slopes)[1]}};
        }
    }
    return out;
}

int run(const ReconstructOptions& options) {
    const auto begin = Clock::now();
    set_up_log(Verbosity::normal, 0, 1, "");
    std::vector<OutputFile> outputs{{options.output}};
    if (!options.image.empty()) {
        picture_format(options.image);
        outputs.push_back({options.image});
    }
    std::vector<std::filesystem::path> inputs{options.scenario};
    if (!options.truth.empty()) inputs.push_back(options.truth);
    check_outputs(outputs, inputs);
    Scenario scenario = read_scenario(options.scenario);
    std::optional<Scenario> truth;
    if (!options.truth.empty()) truth = read_scenario(options.truth);
    check_heliostats(scenario, options.heliostats);
    Outcomes outcomes = read_records(scenario, options);
    require_images(outcomes, options);

    const int threads = options.threads > 0 ? options.threads : kernels::usable_cores();
    const Scenario* real = truth ? &*truth : nullptr;
    fit_all(scenario, real, threads, outcomes);

    std::vector<Reconstruction> found;
    for (const auto& [name, outcome] : outcomes)
        if (outcome.found) found.push_back(*outcome.found);
    if (!options.image.empty()) plot_reconstructions(found, scenario, real, options.image);
    for (const Reconstruction& one : found)
        scenario.heliostats[one.heliostat].surface = one.surface;
    write_scenario(scenario, options.output);
    const double seconds = seconds_since(begin);
    if (options.json) {
        print_json(json_of(outcomes, options, seconds));
    } else {
        fmt::print("{}", text_of(outcomes, options, seconds));
    }
    return 0;
}

}  // namespace

void add_reconstruct(CLI::App& parent, Action& action) {
    const auto options = std::make_shared<ReconstructOptions>();
    CLI::App& command =
        *parent.add_subcommand("reconstruct", "Find the shape of mirrors from flux images");
    command.add_option("scenario", options->scenario, "Scenario file (HDF5) to start from")
        ->required()
        ->type_name("SCENARIO");
    command
        .add_option("--measured",
                    options->measured,
                    "Records of the PAINT database with their images: "
                    "<id>-calibration-properties.json, <id>-flux-centered.png, or a folder with "
                    "such files anywhere below it; the folder above a record names its heliostat")
        ->required()
        ->type_name("FILE");
    command
        .add_option("--test",
                    options->test,
                    "Records that are not fitted and only predicted, also where --measured holds "
                    "them")
        ->type_name("FILE");
    command
        .add_option("--truth",
                    options->truth,
                    "Scenario with measured surfaces, which slopes are compared with")
        ->type_name("FILE");
    command
        .add_option("--heliostat", options->heliostats, "Heliostats to reconstruct (default: all)")
        ->type_name("NAME");
    command.add_option("-o,--output", options->output, "Scenario file to write (HDF5)")
        ->required()
        ->type_name("FILE");
    command
        .add_option(
            "--image", options->image, "Draw images, models and slopes (.png, .svg or .pdf)")
        ->type_name("FILE");
    command
        .add_option(
            "--image-kind",
            options->kind,
            "Pictures that are fitted: 6 x 6 m about the spot (default) or the whole target")
        ->transform(CLI::CheckedTransformer(
                        std::map<std::string, ImageKind>{
                            {to_string(ImageKind::flux_centered), ImageKind::flux_centered},
                            {to_string(ImageKind::flux), ImageKind::flux}})
                        .description(""))
        ->type_name("flux-centered|flux");
    command.add_option("--threads", options->threads, "Threads (default: all cores)")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    command.add_flag("--json", options->json, "Print one JSON object");
    command.footer(
        "Mirrors are aimed at the measured spots, so nominal kinematics are enough. Traced flux "
        "of\n"
        "the start and of the result is compared with every image: flux accuracy is 1 where both\n"
        "are equal and 0 where they have no light in common.\n"
        "\n"
        "Example:\n"
        "  helioray reconstruct juelich.h5 --measured paint/AA39 --test 270398-flux-centered.png "
        "\\\n"
        "      -o mirrors.h5 --image mirrors.png");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app
