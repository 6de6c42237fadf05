// SPDX-License-Identifier: MIT
// Passes the files of series to Python.
#include "app/output/plot/series_plot.h"
#include "app/output/report/series_report.h"
#include "app/output/summary/summary.h"
#include "raytracer/results/result_file.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/convert/bytes.h"
#include "python/bindings/convert/picture.h"
#include "python/bindings/convert/text.h"
#include "python/bindings/engine.h"
#include "python/bindings/result.h"
#include <optional>
#include <string>
#include <vector>

namespace helioray::python {

namespace nb = nanobind;

namespace {

/// Returns the bytes of a picture of a whole series.
std::string series_picture(const std::string& file,
                           const std::string& format,
                           const std::vector<std::string>& targets,
                           bool logarithmic,
                           bool contours) {
    const SeriesResult series = read_series(file);
    return draw(
        series_page(
            series, step_reader(file, series), plot_options(targets, logarithmic, contours)),
        format);
}

std::string series_page_text(const std::string& file, const std::optional<std::string>& title) {
    const SeriesResult series = read_series(file);
    return series_report(series, step_reader(file, series), title);
}

}  // namespace

void bind_series(nb::module_& m) {
    m.def(
        "series_facts",
        [](const std::string& file) {
            return as_bytes(with_files([&] {
                nlohmann::json facts = series_json(read_series(file), {});
                facts["time_zone"] = read_time_zone(file);
                return one_line(facts);
            }));
        },
        nb::arg("file"));
    m.def(
        "series_summary",
        [](const std::string& file) {
            return as_bytes(with_files([&] {
                const SeriesResult series = read_series(file);
                return describe_series(series, read_step(file, series, series.strongest_step()));
            }));
        },
        nb::arg("file"));
    m.def(
        "series_picture",
        [](const std::string& file,
           const std::string& format,
           const std::vector<std::string>& targets,
           bool logarithmic,
           bool contours) {
            return as_bytes(with_files(
                [&] { return series_picture(file, format, targets, logarithmic, contours); }));
        },
        nb::arg("file"),
        nb::arg("format"),
        nb::arg("targets"),
        nb::arg("logarithmic"),
        nb::arg("contours"));
    m.def(
        "series_report",
        [](const std::string& file, const std::optional<std::string>& title) {
            return as_bytes(with_files([&] { return series_page_text(file, title); }));
        },
        nb::arg("file"),
        nb::arg("title").none());
}

}  // namespace helioray::python
