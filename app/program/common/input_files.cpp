// SPDX-License-Identifier: MIT
// Detects kinds of files, and chooses a step of a series.
#include "app/program/common/input_files.h"

#include "raytracer/results/result_file.h"
#include "raytracer/studies/annual/annual_file.h"
#include "raytracer/studies/efficiency/efficiency_file.h"
#include "raytracer/studies/sweep/sweep_reader.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"

#include <fmt/format.h>

#include <cstddef>
#include <fstream>
#include <optional>

namespace helioray::app {

namespace fs = std::filesystem;

FileKind detect_file_kind(const fs::path& file) {
    std::error_code error;
    if (fs::is_directory(file, error)) {
        throw InputError(Problem{file.string(), "is a folder", "", "name a file"});
    }
    // Reading would consume the contents of a pipe; HDF5 files cannot be pipes anyway.
    if (fs::exists(file, error) && !fs::is_regular_file(file, error)) return FileKind::text;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        throw InputError(
            Problem{file.string(),
                    fs::exists(file, error) ? "the file cannot be read" : "there is no such file",
                    "",
                    "check the path"});
    }
    std::string signature(4, '\0');
    stream.read(signature.data(), 4);
    return signature == "\x89HDF" ? FileKind::hdf5 : FileKind::text;
}

namespace {

// Returns the index of the chosen step. A number of at most nine digits is an index; any other text
// is a time.
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
    return detect_file_kind(file) == FileKind::hdf5 && is_annual(hdf5::File::open(file).root());
}

bool is_efficiency_table(const std::filesystem::path& file) {
    return detect_file_kind(file) == FileKind::hdf5 && is_efficiency(hdf5::File::open(file).root());
}

bool is_sweep_table(const std::filesystem::path& file) {
    return detect_file_kind(file) == FileKind::hdf5 &&
           sweep::is_sweep(hdf5::File::open(file).root());
}

RunResult open_result(const std::filesystem::path& file, const std::string& time) {
    if (detect_file_kind(file) == FileKind::text) {
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
    if (is_efficiency_table(file)) {
        throw InputError(
            Problem{file.string(),
                    "this is an efficiency table",
                    "it holds efficiencies and normalised flux maps by sun position",
                    "'helioray info', 'plot', 'report' and 'export sam', 'solarpilot', "
                    "'solartherm' or 'netcdf' read it"});
    }
    if (is_sweep_table(file)) {
        throw InputError(Problem{file.string(),
                                 "this is the table of a sweep",
                                 "it holds numbers of variants, no flux maps",
                                 "'helioray info' and 'report' show it; raytrace with --set makes "
                                 "the result of one variant"});
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

std::optional<SeriesResult> open_series(const std::filesystem::path& file,
                                        const std::string& time) {
    if (!time.empty() || detect_file_kind(file) == FileKind::text) return std::nullopt;
    const hdf5::File opened = hdf5::File::open(file);
    const hdf5::Group root = opened.root();
    const bool is_other = is_annual(root) || is_efficiency(root) || sweep::is_sweep(root);
    if (is_other || !is_series(file)) return std::nullopt;
    return read_series(file);
}

void refuse_time_of_year() {
    throw InputError(Problem{"--time",
                             "the result is the yield of a year, not a series",
                             "it has no steps to choose from",
                             "leave --time out"});
}

void add_time_option(Command command, std::string& time, const std::string& otherwise) {
    command
        .add_option(
            "--time",
            time,
            fmt::format("Step of a series to show, by number from 0 or by time (default: {})",
                        otherwise))
        .type_name("INDEX|ISO");
}

}  // namespace helioray::app
