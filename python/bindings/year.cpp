// SPDX-License-Identifier: MIT
// Passes the yield of a year to Python.
#include "app/output/plot/annual_plot.h"
#include "app/output/plot/field_plot.h"
#include "app/output/report/html_report.h"
#include "app/output/summary/summary.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/studies/annual/annual_file.h"

#include <nanobind/stl/optional.h>

#include "python/bindings/convert/arrays.h"
#include "python/bindings/convert/bytes.h"
#include "python/bindings/convert/columns.h"
#include "python/bindings/convert/pickle.h"
#include "python/bindings/convert/picture.h"
#include "python/bindings/convert/text.h"
#include "python/bindings/engine.h"
#include "python/bindings/result.h"
#include <algorithm>
#include <optional>
#include <string>

namespace helioray::python {

namespace nb = nanobind;

namespace {

nb::dict make_nodes(const AnnualYield& yield) {
    const size_t count = yield.nodes.size();
    nb::dict dict;
    dict["azimuth"] = collect_numbers(yield.nodes, [](const auto& node) { return node.azimuth; });
    dict["elevation"] =
        collect_numbers(yield.nodes, [](const auto& node) { return node.elevation; });
    dict["weight"] = make_array(yield.weights, {count});
    dict["field_efficiency"] = make_array(yield.field_efficiency, {count});
    return dict;
}

/// Returns the bytes of a picture of a year: its months, or with a `quantity` the field's plan.
std::string year_picture(const AnnualYield& yield,
                         const std::string& format,
                         const std::string& quantity) {
    const auto field = [&] {
        const HeliostatQuantity& drawn =
            heliostat_quantity(quantity, "year.plot: quantity", annual_quantities());
        const bool is_energy = drawn.name.ends_with("_energy");
        return field_page(find_plan(yield, "year.plot"),
                          drawn,
                          is_energy ? FieldUnit::power : FieldUnit::percent);
    };
    return draw(quantity.empty() ? months_page(yield) : field(), format);
}

nb::dict year_heliostats(const AnnualYield& yield) {
    // Months, and columns that files of earlier versions lack, are not in the frame.
    Columns<AnnualHeliostat> columns = annual_heliostat_columns();
    std::erase_if(columns, [](const ColumnInfo& column) {
        return column.is_optional || !column.shape.empty();
    });
    return make_columns(yield.heliostats, columns);
}

}  // namespace

void bind_year(nb::module_& m) {
    nb::class_<AnnualYield> type(m, "Year", "The yield of a year as the program has it.");
    add_pickling(type);
    type.def("facts",
             [](const AnnualYield& yield) { return as_bytes(one_line(annual_json(yield))); })
        .def("summary", [](const AnnualYield& yield) { return as_bytes(annual_text(yield)); })
        .def("heliostats", &year_heliostats)
        .def("nodes", &make_nodes)
        .def(
            "picture",
            [](const AnnualYield& yield, const std::string& format, const std::string& quantity) {
                std::string bytes;
                {
                    const Unlocked unlocked;
                    bytes = year_picture(yield, format, quantity);
                }
                return as_bytes(bytes);
            },
            nb::arg("format"),
            nb::arg("quantity"))
        .def(
            "report",
            [](const AnnualYield& yield, const std::optional<std::string>& title) {
                return as_bytes(annual_report(yield, title, "year"));
            },
            nb::arg("title").none())
        .def(
            "write",
            [](const AnnualYield& yield, const std::string& file) {
                store(file, [&] { write_annual(yield, file); });
            },
            nb::arg("file"));
    m.def(
        "read_year",
        [](const std::string& file) { return with_files([&] { return read_annual(file); }); },
        nb::arg("file"));
}

}  // namespace helioray::python
