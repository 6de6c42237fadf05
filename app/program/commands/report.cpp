// SPDX-License-Identifier: MIT
// The report command: writes a result as one web page.
#include "app/output/report/html_report.h"
#include "app/output/report/page_file.h"
#include "app/output/report/series_report.h"
#include "app/output/report/study_report.h"
#include "app/program/commands/commands.h"
#include "app/program/common/input_files.h"
#include "app/program/common/log.h"
#include "raytracer/results/light_warnings.h"
#include "raytracer/results/result_file.h"
#include "raytracer/studies/annual/annual_file.h"
#include "raytracer/studies/efficiency/efficiency_file.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"

#include <memory>
#include <optional>

namespace helioray::app {

namespace {

struct ReportOptions {
    std::string result;
    std::string page;
    std::string time;
    std::optional<std::string> title;
};

std::string report_of_year(const ReportOptions& options) {
    if (!options.time.empty()) refuse_time_of_year();
    const AnnualYield yield = read_annual(options.result);
    log_warnings(light_warnings(yield));
    return annual_report(yield, options.title, options.result);
}

std::string report_of_run(const ReportOptions& options) {
    if (const auto series = open_series(options.result, options.time)) {
        log_warnings(light_warnings(*series));
        return series_report(*series, step_reader(options.result, *series), options.title);
    }
    const RunResult result = open_result(options.result, options.time);
    log_warnings(light_warnings(result));
    return html_report(result, options.title);
}

/// Returns the page of any kind of result.
std::string make_report(const ReportOptions& options) {
    if (is_year(options.result)) return report_of_year(options);
    const bool is_table = is_efficiency_table(options.result);
    if (!is_table && !is_sweep_table(options.result)) return report_of_run(options);
    if (!options.time.empty())
        throw InputError(Problem{"--time",
                                 "the file is a table, not a series",
                                 "it has no steps to choose from",
                                 "leave --time out"});
    if (is_table) return efficiency_report(read_efficiency(options.result), options.title);
    return sweep_report(sweep::read_sweep(options.result),
                        std::filesystem::path(options.result).stem().string(),
                        options.title);
}

int run(const ReportOptions& options) {
    set_up_log(Verbosity::normal, 0, 1, "");
    check_page_name("--output", options.page);
    check_outputs({{options.page}}, {options.result});
    write_text_file(options.page, make_report(options));
    return 0;
}

}  // namespace

void add_report(Command parent, Action& action) {
    const auto options = std::make_shared<ReportOptions>();
    const Command command = parent.add_subcommand(
        "report",
        "Write a result as one web page: flux maps (for a day, by step; for a "
        "year, months), energy, field and heliostats; also of sweeps and "
        "efficiency tables");
    command.add_option("result", options->result, "Result file (HDF5)")
        .required()
        .type_name("RESULT");
    command
        .add_option("-o,--output", options->page, "Page to write (.html); it needs no other file")
        .required()
        .type_name("PAGE");
    command.add_option("--title", options->title, "Title (default: the scenario's name)")
        .type_name("TEXT");
    add_time_option(command, options->time, "the whole series");
    command.footer(
        "Examples:\n"
        "  helioray report quickstart.h5 -o report.html\n"
        "  helioray report series.h5 -o day.html\n"
        "  helioray report annual.h5 -o year.html\n"
        "  helioray report efficiency.h5 -o sky.html\n"
        "  helioray report slopes.h5 -o slopes.html    # the table of a sweep");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app
