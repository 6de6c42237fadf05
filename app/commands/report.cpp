// SPDX-License-Identifier: MIT
// The report command: a result as one web page.
#include "app/commands/commands.h"
#include "app/common/input_files.h"
#include "app/report/html_report.h"
#include "app/report/page_file.h"
#include "raytracer/annual/annual_file.h"
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
    return annual_report(read_annual(options.result), options.title, options.result);
}

int run(const ReportOptions& options) {
    check_page_name("--output", options.page);
    check_outputs({{options.page}}, {options.result});
    const std::string page =
        is_year(options.result)
            ? report_of_year(options)
            : html_report(open_result(options.result, options.time), options.title);
    write_page(page, options.page);
    return 0;
}

}  // namespace

void add_report(Command parent, Action& action) {
    const auto options = std::make_shared<ReportOptions>();
    const Command command =
        parent.add_subcommand("report",
                              "Write a result as one web page: flux maps (for a year, months), "
                              "energy, field and heliostats");
    command.add_option("result", options->result, "Result file (HDF5)")
        .required()
        .type_name("RESULT");
    command
        .add_option("-o,--output", options->page, "Page to write (.html); it needs no other file")
        .required()
        .type_name("PAGE");
    command.add_option("--title", options->title, "Title (default: the scenario's name)")
        .type_name("TEXT");
    add_time_option(command, options->time);
    command.footer(
        "Examples:\n"
        "  helioray report quickstart.h5 -o report.html\n"
        "  helioray report annual.h5 -o year.html");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app
