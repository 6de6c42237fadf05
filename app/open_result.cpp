// SPDX-License-Identifier: MIT
#include "app/open_result.h"

#include "app/file_kind.h"
#include "raytracer/annual/annual_output.h"
#include "raytracer/output/result_file.h"
#include "raytracer/output/series_file.h"
#include "scenario/error.h"
#include "scenario/hdf5/file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstddef>
#include <optional>

namespace helioray::app {

namespace {

// A number of at most nine digits counts steps; everything else is a time.
std::size_t chosen_step(const SeriesResult& series, const std::string& time) {
    if (time.empty()) return series.strongest_step();
    const bool is_index =
        time.size() <= 9 && time.find_first_not_of("0123456789") == std::string::npos;
    if (is_index) {
        const std::size_t step = std::stoul(time);
        if (step < series.steps.size()) return step;
        throw InputError(Problem{"--time",
                                 fmt::format("there is no step {}", step),
                                 "",
                                 fmt::format("choose one from 0 to {}", series.steps.size() - 1)});
    }
    const std::optional<std::size_t> step = find_time(series, time);
    if (step) return *step;
    throw InputError(
        Problem{"--time",
                fmt::format("no step has the time {}", time),
                "",
                "'helioray info' lists the steps; write one of their times or numbers"});
}

}  // namespace

bool is_year(const std::filesystem::path& file) {
    return kind_of(file) == FileKind::hdf5 && is_annual(hdf5::File::open(file).root());
}

RunResult open_result(const std::filesystem::path& file, const std::string& time) {
    if (kind_of(file) == FileKind::text) {
        throw InputError(Problem{file.string(),
                                 "this is not a result file",
                                 "results are HDF5 files",
                                 "'helioray raytrace' makes one from a configuration"});
    }
    if (is_year(file)) {
        throw InputError(Problem{file.string(),
                                 "this is the yield of a year",
                                 "it holds energies, no flux maps",
                                 "'helioray info', 'plot', 'export csv' and 'report' show it"});
    }
    if (is_series(file)) {
        const SeriesResult series = read_series(file);
        return read_step(file, series, chosen_step(series, time));
    }
    if (!time.empty()) {
        throw InputError(Problem{"--time",
                                 "the result is a single run, not a series",
                                 "it has no steps to choose from",
                                 "leave --time out"});
    }
    return read_result(file, HeliostatFlux::skip);
}

void refuse_time_of_year() {
    throw InputError(Problem{"--time",
                             "the result is the yield of a year, not a series",
                             "it has no steps to choose from",
                             "leave --time out"});
}

void add_time_option(CLI::App& command, std::string& time) {
    command
        .add_option("--time",
                    time,
                    "Of a series: the step to show, by number from 0 or by time (default: the one "
                    "with the highest power)")
        ->type_name("INDEX|ISO");
}

}  // namespace helioray::app
