// SPDX-License-Identifier: MIT
// Writes and reads the absorption of surfaces and the light on them before it is absorbed.
#include "raytracer/results/incident_light.h"

#include "raytracer/results/axes.h"
#include "scenario/files/error.h"
#include "scenario/types/type_names.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace helioray {

namespace {

constexpr const char* kMap = "incident_flux";
constexpr const char* kErrorMap = "incident_flux_std_error";

}  // namespace

const Columns<IncidentLight>& incident_columns() {
    using I = IncidentLight;
    static const Columns<I> all{
        column({"incident_power_w", "W", "Power on the surface before absorption."}, &I::power_w),
        column({"incident_power_std_error_w", "W", "Standard error of incident_power_w."},
               &I::power_std_error_w),
        column({"incident_peak_flux_w_m2", "W/m2", "Largest incident flux without noise."},
               &I::peak_flux_w_m2),
        column({"incident_peak_flux_std_error_w_m2",
                "W/m2",
                "Standard error of incident_peak_flux_w_m2."},
               &I::peak_flux_std_error_w_m2)};
    return all;
}

const Columns<ReceiverResult>& incident_receiver_columns() {
    using R = ReceiverResult;
    static const Columns<R> all{
        column({"incident_power_w",
                "W",
                "Power on the absorbing surfaces before absorption, again after every reflection."},
               &R::incident_power_w),
        column({"incident_peak_flux_w_m2",
                "W/m2",
                "Largest peak of the incident flux on the absorbing surfaces."},
               &R::incident_peak_flux_w_m2)};
    return all;
}

void write_absorption(hdf5::Group& group, const SurfaceAbsorption& surface) {
    group.write_attribute("absorptance", surface.absorptance);
    group.write_attribute("absorptance_law", to_string(surface.law));
    group.write_attribute("martin_ruiz_coefficient", surface.martin_ruiz_coefficient);
    group.write_attribute("specular_fraction", surface.specular_fraction);
    group.write_attribute("bounces", surface.bounces);
    if (surface.slope_error > 0.0) group.write_attribute("slope_error", surface.slope_error);
    if (surface.table.empty()) return;
    std::vector<double> table;
    for (const auto& row : surface.table) table.insert(table.end(), row.begin(), row.end());
    group.write_attribute("absorptance_table", table);
}

std::optional<SurfaceAbsorption> read_absorption(const hdf5::Group& group) {
    if (!group.has_attribute("absorptance")) return std::nullopt;
    SurfaceAbsorption surface;
    surface.absorptance = group.read_attribute_number("absorptance");
    surface.law = from_string<AbsorptanceLaw>(group.read_attribute_string("absorptance_law"))
                      .value_or(surface.law);
    surface.martin_ruiz_coefficient = group.read_attribute_number("martin_ruiz_coefficient");
    surface.specular_fraction = group.read_attribute_number("specular_fraction");
    surface.bounces = group.read_attribute_integer("bounces");
    if (group.has_attribute("slope_error"))
        surface.slope_error = group.read_attribute_number("slope_error");
    if (!group.has_attribute("absorptance_table")) return surface;
    const std::vector<double> table = group.read_attribute_numbers("absorptance_table");
    for (size_t i = 0; i + 1 < table.size(); i += 2)
        surface.table.push_back({table[i], table[i + 1]});
    return surface;
}

void write_incident(hdf5::Group& group, const TargetResult& target) {
    if (!target.incident) return;
    const IncidentLight& light = *target.incident;
    const hdf5::Shape shape{static_cast<size_t>(target.height), static_cast<size_t>(target.width)};
    annotate(group.write_array<double>(kMap, light.flux, shape),
             target.unit,
             "Flux incident on the surface before absorption, also after reflections; same layout "
             "as flux.");
    annotate(group.write_array<double>(kErrorMap, light.flux_std_error, shape),
             target.unit,
             "Standard error of incident_flux from the finite number of rays.");
    write_attributes(group, light, incident_columns());
}

void read_incident(const hdf5::Group& group, const StepRows& rows, TargetResult& target) {
    if (!group.contains(kMap)) return;
    IncidentLight light;
    light.flux = rows.read<double>(group.dataset(kMap));
    light.flux_std_error = rows.read<double>(group.dataset(kErrorMap));
    if (light.flux.size() != target.flux.size() ||
        light.flux_std_error.size() != target.flux.size())
        refuse_result(group.where() + "/" + kMap, "has another shape than the flux");
    if (group.has_attribute("incident_power_w")) {
        read_attributes(group, light, incident_columns());
    } else {
        const auto [width, height] = surface_extent(target.target);
        light.power_w = std::accumulate(light.flux.begin(), light.flux.end(), 0.0) * width *
                        height / static_cast<double>(light.flux.size());
        light.power_std_error_w = light.peak_flux_w_m2 = light.peak_flux_std_error_w_m2 =
            std::numeric_limits<double>::quiet_NaN();
    }
    target.incident = std::move(light);
}

}  // namespace helioray
