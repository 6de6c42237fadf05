// SPDX-License-Identifier: MIT
// Passes results of runs to Python as arrays that share the result's memory.
#include "python/bindings/result.h"

#include "app/output/plot/field_plot.h"
#include "app/output/report/html_report.h"
#include "app/output/summary/summary.h"
#include "raytracer/results/geometry_json.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/results/incident_light.h"
#include "raytracer/results/light_warnings.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/results/result_file.h"
#include "raytracer/results/result_layout.h"
#include "raytracer/studies/annual/annual_file.h"
#include "raytracer/studies/efficiency/efficiency_file.h"
#include "raytracer/tracing/job/result.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/types/type_names.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/convert/arrays.h"
#include "python/bindings/convert/bytes.h"
#include "python/bindings/convert/columns.h"
#include "python/bindings/convert/pickle.h"
#include "python/bindings/convert/picture.h"
#include "python/bindings/convert/text.h"
#include "python/bindings/engine.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray::python {

namespace nb = nanobind;

namespace {

/// Returns a read-only array that keeps its owner alive.
template <typename T>
nb::object view(const T* data, std::vector<size_t> shape, nb::handle owner) {
    return nb::cast(nb::ndarray<nb::numpy, const T>(data, shape.size(), shape.data(), owner));
}

nb::dict make_provenance(const RunResult& result) {
    nb::dict dict;
    add_values(dict, result.provenance, origin_columns());
    dict["seed"] = result.provenance.seed;
    add_values(dict, result.provenance, process_columns());
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
    add_values(dict, target, target_columns());
    if (const auto* mesh = std::get_if<MeshTarget>(&target.target.geometry)) {
        const size_t count = num_triangles(*mesh);
        dict["triangles"] = make_array(triangle_corners(*mesh), {count, 3, 3});
        dict["triangle_area"] = make_array(triangle_areas(*mesh), {count});
        dict["triangle_flux"] = view(target.flux.data(), {count}, owner);
    }
    if (!target.incident) return dict;
    dict["incident_flux"] = view(target.incident->flux.data(), shape, owner);
    dict["incident_flux_std_error"] = view(target.incident->flux_std_error.data(), shape, owner);
    add_values(dict, *target.incident, incident_columns());
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
        add_values(dict, receiver, receiver_columns());
        add_values(dict, receiver, incident_receiver_columns());
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
        .def("receiver_units",
             [](const RunResult&) {
                 Columns<ReceiverResult> columns = receiver_columns();
                 const auto& more = incident_receiver_columns();
                 columns.insert(columns.end(), more.begin(), more.end());
                 return make_units(columns);
             })
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

/// Adds the functions that read the files of runs.
void bind_run_files(nb::module_& m) {
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
}

}  // namespace

void bind_result(nb::module_& m) {
    bind_run_result(m);
    bind_run_files(m);
}

}  // namespace helioray::python
