// SPDX-License-Identifier: MIT
// Passes tables of efficiency to Python, and their formats for plant models.
#include "app/output/export/efficiency_files.h"
#include "app/output/plot/sky_plot.h"
#include "app/output/report/study_report.h"
#include "app/output/summary/summary.h"
#include "raytracer/results/geometry_json.h"
#include "raytracer/studies/efficiency/efficiency_bytes.h"
#include "raytracer/studies/efficiency/efficiency_file.h"
#include "raytracer/studies/efficiency/trace_efficiency.h"
#include "scenario/files/columns.h"
#include "scenario/files/units.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/convert/arrays.h"
#include "python/bindings/convert/bytes.h"
#include "python/bindings/convert/choice.h"
#include "python/bindings/convert/pickle.h"
#include "python/bindings/convert/picture.h"
#include "python/bindings/convert/text.h"
#include "python/bindings/engine.h"
#include "python/bindings/result.h"
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace helioray::python {

namespace nb = nanobind;

namespace {

/// Returns the table with angles in degrees and all numbers by azimuth and elevation.
nb::dict make_table(const EfficiencyTable& table) {
    const std::vector<size_t> shape{table.suns.azimuths().size(), table.suns.elevations().size()};
    const auto degrees = [](std::vector<double> angles) {
        for (double& angle : angles) angle = decimal_degrees(angle);
        const size_t count = angles.size();
        return make_array(std::move(angles), {count});
    };
    nb::dict dict;
    dict["azimuth_deg"] = degrees(table.suns.azimuths());
    dict["elevation_deg"] = degrees(table.suns.elevations());
    for (const Column<EfficiencyTable>& column : efficiency_columns()) {
        auto values = std::get<std::vector<double>>(row_values(table, column));
        if (column.is_optional && values.empty()) continue;
        dict[column.name.c_str()] = make_array(std::move(values), shape);
    }
    return dict;
}

nb::list table_targets(const EfficiencyTable& table) {
    const std::vector<size_t> sky{table.suns.azimuths().size(), table.suns.elevations().size()};
    nb::list targets;
    for (const EfficiencyTarget& target : table.targets) {
        std::vector<size_t> maps = sky;
        maps.push_back(static_cast<size_t>(target.height));
        maps.push_back(static_cast<size_t>(target.width));
        nb::dict dict;
        dict["name"] = target.target.name;
        dict["extent_m"] = surface_extent(target.target);
        for (const Column<EfficiencyTarget>& column : efficiency_target_columns())
            dict[column.name.c_str()] =
                make_array(std::get<std::vector<double>>(row_values(target, column)),
                           column.axes.empty() ? sky : maps);
        targets.append(dict);
    }
    return targets;
}

PlantModelOptions plant_model(const std::string& target,
                              double absorptance,
                              int panels,
                              const std::optional<double>& land_area_m2) {
    return {target, absorptance, panels, land_area_m2};
}

/// Returns the contents of SAM's files by their names.
nb::dict sam_contents(const EfficiencyTable& table, const PlantModelOptions& options) {
    nb::dict dict;
    for (const ExportFile& file : sam_files(table, options))
        dict[file.name.c_str()] = as_bytes(file.content);
    return dict;
}

/// Writes a format of kPlantModels and returns the paths of its files.
std::vector<std::string> export_table(const EfficiencyTable& table,
                                      const std::string& format,
                                      const PlantModelOptions& options,
                                      const std::string& path) {
    const PlantModel model = find_choice("efficiency.export: format", format, kPlantModels);
    std::vector<std::string> paths;
    const auto write = [&] {
        for (const auto& file : write_plant_model(model, table, options, path))
            paths.push_back(file.string());
    };
    if (is_folder(model)) {
        with_files(write);
    } else {
        store(path, write);
    }
    return paths;
}

}  // namespace

void bind_efficiency(nb::module_& m) {
    nb::class_<PlantModelOptions>(m, "PlantModelOptions", "How tables for plant models are made.")
        .def_ro("absorptance", &PlantModelOptions::absorptance);
    m.def("plant_model",
          &plant_model,
          nb::arg("target"),
          nb::arg("absorptance"),
          nb::arg("panels"),
          nb::arg("land_area_m2").none());
    nb::class_<EfficiencyTable> type(
        m, "Efficiency", "A table of efficiency as the program has it.");
    add_pickling(type, [] { return EfficiencyTable(default_rectangle(std::nullopt)); });
    type.def(
            "facts",
            [](const EfficiencyTable& table) { return as_bytes(one_line(efficiency_json(table))); })
        .def("summary",
             [](const EfficiencyTable& table) { return as_bytes(efficiency_text(table)); })
        .def("table", &make_table)
        .def("targets", &table_targets)
        .def("sam", &sam_contents, nb::arg("options"))
        .def("export", &export_table, nb::arg("format"), nb::arg("options"), nb::arg("path"))
        .def(
            "picture",
            [](const EfficiencyTable& table, const std::string& format) {
                std::string bytes;
                {
                    const Unlocked unlocked;
                    bytes = draw(sky_page(table), format);
                }
                return as_bytes(bytes);
            },
            nb::arg("format"))
        .def(
            "report",
            [](const EfficiencyTable& table, const std::optional<std::string>& title) {
                std::string page;
                {
                    const Unlocked unlocked;
                    page = efficiency_report(table, title);
                }
                return as_bytes(page);
            },
            nb::arg("title").none())
        .def(
            "write",
            [](const EfficiencyTable& table, const std::string& file) {
                store(file, [&] { write_efficiency(table, file); });
            },
            nb::arg("file"));
    m.def(
        "read_efficiency",
        [](const std::string& file) { return with_files([&] { return read_efficiency(file); }); },
        nb::arg("file"));
}

}  // namespace helioray::python
