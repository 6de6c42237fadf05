// SPDX-License-Identifier: MIT
// Passes results to Python as arrays that share the result's memory, and the program's pictures and
// pages.
#include "python/bindings/result.h"

#include "app/output/export/efficiency_files.h"
#include "app/output/plot/annual_plot.h"
#include "app/output/plot/field_plot.h"
#include "app/output/plot/flux_plot.h"
#include "app/output/plot/series_plot.h"
#include "app/output/plot/sky_plot.h"
#include "app/output/report/html_report.h"
#include "app/output/report/series_report.h"
#include "app/output/report/study_report.h"
#include "app/output/summary/summary.h"
#include "raytracer/results/geometry_json.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/results/incident_light.h"
#include "raytracer/results/light_warnings.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/results/result_file.h"
#include "raytracer/studies/annual/annual_file.h"
#include "raytracer/studies/efficiency/efficiency_bytes.h"
#include "raytracer/studies/efficiency/efficiency_file.h"
#include "raytracer/studies/efficiency/trace_efficiency.h"
#include "raytracer/tracing/job/result.h"
#include "scenario/files/columns.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/files/units.h"
#include "scenario/types/type_names.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "python/bindings/arrays.h"
#include "python/bindings/bytes.h"
#include "python/bindings/choice.h"
#include "python/bindings/engine.h"
#include "python/bindings/pickle.h"
#include "python/bindings/text.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace helioray::python {

namespace nb = nanobind;

namespace {

/// Returns a read-only array that keeps its owner alive.
template <typename T>
nb::object view(const T* data, std::vector<size_t> shape, nb::handle owner) {
    return nb::cast(nb::ndarray<nb::numpy, const T>(data, shape.size(), shape.data(), owner));
}

/// Returns the columns of a table by their names: lists of texts and arrays of numbers. Columns
/// that some rows do not have are left out.
template <typename Row>
nb::dict make_columns(const std::vector<Row>& rows, const Columns<Row>& columns) {
    nb::dict dict;
    for (const Column<Row>& column : columns) {
        hdf5::Shape shape = column.shape;
        shape.insert(shape.begin(), rows.size());
        std::visit(
            [&]<typename T>(std::vector<T>&& values) {
                if (values.size() != hdf5::num_elements(shape)) return;
                if constexpr (std::is_same_v<T, std::string>) {
                    nb::list list;
                    for (const std::string& text : values) list.append(text);
                    dict[column.name.c_str()] = list;
                } else {
                    dict[column.name.c_str()] = make_array(std::move(values), shape);
                }
            },
            collect_values(rows, column));
    }
    return dict;
}

/// Returns the units of columns with one floating-point number, by their names.
template <typename Row>
nb::dict make_units(const Columns<Row>& columns) {
    nb::dict dict;
    for (const Column<Row>& column : columns)
        if (is_number(column)) dict[column.name.c_str()] = column.unit;
    return dict;
}

nb::dict make_provenance(const RunResult& result) {
    const Provenance& from = result.provenance;
    nb::dict dict;
    dict["helioray_version"] = from.helioray_version;
    dict["git_commit"] = from.git_commit;
    dict["created"] = from.created;
    dict["config"] = from.config;
    dict["scenario_file"] = from.scenario_file;
    dict["scenario_sha256"] = from.scenario_sha256;
    dict["seed"] = from.seed;
    dict["rays"] = from.rays;
    dict["world_size"] = from.world_size;
    dict["backend"] = from.backend;
    dict["device"] = from.device;
    dict["launcher"] = from.launcher;
    dict["fingerprint"] = from.fingerprint;
    dict["sun_direction"] =
        nb::make_tuple(from.sun_direction[0], from.sun_direction[1], from.sun_direction[2]);
    return dict;
}

nb::dict make_target(const TargetResult& target, nb::handle owner) {
    const std::vector<size_t> shape{static_cast<size_t>(target.height),
                                    static_cast<size_t>(target.width)};
    const auto extent = surface_extent(target.target);
    nb::dict dict;
    dict["name"] = target.target.name;
    dict["kind"] = target_kind(target.target);
    dict["geometry"] = geometry_to_json(target.target);
    if (!target.target.receiver.empty()) {
        dict["receiver"] = target.target.receiver;
        dict["use"] = to_string(target.target.use);
    }
    dict["extent_m"] = nb::make_tuple(extent[0], extent[1]);
    dict["unit"] = target.unit;
    dict["flux"] = view(target.flux.data(), shape, owner);
    dict["flux_std_error"] = target.flux_std_error.empty()
                                 ? nb::none()
                                 : view(target.flux_std_error.data(), shape, owner);
    for (const Column<TargetResult>& column : target_columns()) {
        const auto values = std::get<std::vector<double>>(row_values(target, column));
        dict[column.name.c_str()] = column.shape.empty() ? nb::object(nb::float_(values.at(0)))
                                                         : nb::tuple(nb::cast(values));
    }
    if (!target.incident) return dict;
    dict["incident_flux"] = view(target.incident->flux.data(), shape, owner);
    dict["incident_flux_std_error"] = view(target.incident->flux_std_error.data(), shape, owner);
    for (const Column<IncidentLight>& column : incident_columns())
        dict[column.name.c_str()] =
            std::get<std::vector<double>>(row_values(*target.incident, column)).at(0);
    return dict;
}

/// Returns the light on receivers of several surfaces, by name.
nb::list make_receivers(const RunResult& result) {
    nb::list receivers;
    for (const ReceiverResult& receiver : receiver_results(result)) {
        nb::dict dict;
        nb::list surfaces;
        for (const size_t index : receiver.surfaces)
            surfaces.append(result.targets[index].target.name);
        dict["name"] = receiver.name;
        dict["surfaces"] = surfaces;
        dict["power_w"] = receiver.power_w;
        dict["power_std_error_w"] = receiver.power_std_error_w;
        dict["peak_flux_w_m2"] = receiver.peak_flux_w_m2;
        dict["incident_power_w"] = receiver.incident_power_w;
        dict["incident_peak_flux_w_m2"] = receiver.incident_peak_flux_w_m2;
        receivers.append(dict);
    }
    return receivers;
}

nb::list make_targets(nb::handle self) {
    nb::list targets;
    for (const TargetResult& target : nb::cast<const RunResult&>(self).targets)
        targets.append(make_target(target, self));
    return targets;
}

/// Returns the maps of single heliostats by name, for those that have one.
nb::dict heliostat_maps(nb::handle self) {
    const auto& result = nb::cast<const RunResult&>(self);
    nb::dict maps;
    for (const HeliostatResult& heliostat : result.heliostats) {
        const TargetResult* target = find_target(result, heliostat.target);
        if (heliostat.flux.empty() || target == nullptr) continue;
        maps[nb::cast(heliostat.name)] =
            view(heliostat.flux.data(),
                 {static_cast<size_t>(target->height), static_cast<size_t>(target->width)},
                 self);
    }
    return maps;
}

nb::dict make_energy(const RunResult& result) {
    const EnergyTerms total = total_energy(result);
    nb::dict energy;
    for (const EnergyTermInfo& term : energy_terms_of(result))
        energy[term.name] = total.*term.member;
    return energy;
}

nb::object make_accuracy(const RunResult& result) {
    if (!result.accuracy) return nb::none();
    nb::dict dict;
    dict["wanted"] = result.accuracy->wanted;
    dict["reached"] = result.accuracy->reached;
    dict["target"] = result.accuracy->target;
    dict["rays_per_heliostat"] = result.accuracy->rays_per_heliostat;
    return dict;
}

PlotOptions plot_options(const std::vector<std::string>& targets, bool logarithmic, bool contours) {
    PlotOptions options;
    options.targets = targets;
    options.logarithmic = logarithmic;
    options.contours = contours;
    return options;
}

/// Returns a page's bytes in the format of an ending: "png".
std::string draw(const PlotPage& page, const std::string& format) {
    return draw_page(page, picture_format("picture." + format), PlotOptions().pixels_per_point);
}

/// Returns a picture's bytes. An empty `quantity` gives flux maps, otherwise the plan of the field
/// with this quantity.
std::string make_picture(const RunResult& result,
                         const std::string& format,
                         const std::string& quantity,
                         const std::vector<std::string>& targets,
                         bool logarithmic,
                         bool contours,
                         bool cuts) {
    PlotOptions options = plot_options(targets, logarithmic, contours);
    options.cuts = cuts;
    check_targets(result, targets, "targets");
    return draw(
        quantity.empty()
            ? flux_page(result, options)
            : field_page(result, heliostat_quantity(quantity, "quantity"), FieldUnit::percent),
        format);
}

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

void bind_run_result(nb::module_& m) {
    nb::class_<RunResult> type(m, "Result", "A result as the program has it.");
    add_pickling(type);
    type.def_prop_ro("provenance", &make_provenance)
        .def_prop_ro("timing",
                     [](const RunResult& result) {
                         nb::dict dict;
                         dict["trace_seconds"] = result.trace_seconds;
                         dict["total_seconds"] = result.total_seconds;
                         dict["rays_per_second"] = result.rays_per_second;
                         return dict;
                     })
        .def_prop_ro("error_uncertainty",
                     [](const RunResult& result) { return result.error_uncertainty; })
        .def_prop_ro("energy_unit", [](const RunResult& result) { return energy_unit(result); })
        .def("accuracy", &make_accuracy)
        .def_prop_ro("warnings", [](const RunResult& result) { return result_warnings(result); })
        .def("targets", &make_targets)
        .def("receivers", &make_receivers)
        .def("heliostats",
             [](const RunResult& result) {
                 Columns<HeliostatResult> columns = heliostat_columns(result);
                 return make_columns(result.heliostats, columns);
             })
        .def("heliostat_units",
             [](const RunResult& result) { return make_units(heliostat_columns(result)); })
        .def("target_units", [](const RunResult&) { return make_units(target_columns()); })
        .def("heliostat_maps", &heliostat_maps)
        .def("energy", &make_energy)
        .def("summary", [](const RunResult& result) { return as_bytes(summary_text(result)); })
        .def(
            "picture",
            [](const RunResult& result,
               const std::string& format,
               const std::string& quantity,
               const std::vector<std::string>& targets,
               bool logarithmic,
               bool contours,
               bool cuts) {
                std::string bytes;
                {
                    const Unlocked unlocked;
                    bytes = make_picture(
                        result, format, quantity, targets, logarithmic, contours, cuts);
                }
                return as_bytes(bytes);
            },
            nb::arg("format"),
            nb::arg("quantity"),
            nb::arg("targets"),
            nb::arg("logarithmic"),
            nb::arg("contours"),
            nb::arg("cuts"))
        .def(
            "report",
            [](const RunResult& result, const std::optional<std::string>& title) {
                return as_bytes(html_report(result, title));
            },
            nb::arg("title").none())
        .def(
            "write",
            [](const RunResult& result, const std::string& file) {
                store(file, [&] { write_result(result, file); });
            },
            nb::arg("file"));
}

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
}

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

nb::list table_targets(const nb::object& owner) {
    const auto& table = nb::cast<const EfficiencyTable&>(owner);
    const std::vector<size_t> sky{table.suns.azimuths().size(), table.suns.elevations().size()};
    nb::list targets;
    for (const EfficiencyTarget& target : table.targets) {
        std::vector<size_t> maps = sky;
        maps.push_back(static_cast<size_t>(target.height));
        maps.push_back(static_cast<size_t>(target.width));
        nb::dict dict;
        dict["name"] = target.target.name;
        dict["extent_m"] = surface_extent(target.target);
        dict["efficiency"] = view(target.efficiency.data(), sky, owner);
        dict["efficiency_std_error"] = view(target.efficiency_std_error.data(), sky, owner);
        dict["interpolation_error"] = view(target.interpolation_error.data(), sky, owner);
        dict["flux_share"] = view(target.flux_share.data(), maps, owner);
        dict["flux_share_std_error"] = view(target.flux_share_std_error.data(), maps, owner);
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
        .def("targets", [](const nb::object& owner) { return table_targets(owner); })
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
}

}  // namespace

void bind_result(nb::module_& m) {
    bind_run_result(m);
    bind_year(m);
    bind_efficiency(m);
    m.def(
        "check_picture",
        [](const std::string& file) { static_cast<void>(picture_format(file)); },
        nb::arg("file"),
        "Throws InputError for a file whose ending is that of no picture.");
    m.def(
        "kind_of_file",
        [](const std::string& file) {
            return with_files([&] {
                const hdf5::Group root = hdf5::File::open(file).root();
                if (is_annual(root)) return "year";
                if (is_efficiency(root)) return "efficiency";
                return is_series(file) ? "series" : "run";
            });
        },
        nb::arg("file"));
    m.def(
        "read_result",
        [](const std::string& file, const std::optional<std::size_t>& step) {
            return with_files([&] { return step ? read_result(file, *step) : read_result(file); });
        },
        nb::arg("file"),
        nb::arg("step").none());
    // Maps of single heliostats that stay in the file until they are needed.
    m.def(
        "read_result_alone",
        [](const std::string& file) {
            return with_files([&] { return read_result(file, HeliostatFlux::skip); });
        },
        nb::arg("file"));
    m.def(
        "heliostat_flux_bytes",
        [](const std::string& file) {
            return with_files([&] { return heliostat_flux_bytes(file); });
        },
        nb::arg("file"));
    m.def(
        "read_heliostat_flux",
        [](const std::string& file, const std::string& fingerprint, std::size_t heliostat) {
            std::vector<float> pixels =
                with_files([&] { return read_heliostat_flux(file, fingerprint, heliostat); });
            const std::size_t count = pixels.size();
            return make_array(std::move(pixels), {count});
        },
        nb::arg("file"),
        nb::arg("fingerprint"),
        nb::arg("heliostat"));
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
    m.def(
        "read_year",
        [](const std::string& file) { return with_files([&] { return read_annual(file); }); },
        nb::arg("file"));
    m.def(
        "read_efficiency",
        [](const std::string& file) { return with_files([&] { return read_efficiency(file); }); },
        nb::arg("file"));
}

}  // namespace helioray::python
