// SPDX-License-Identifier: MIT
// Files of series: writes parts and the description of steps, and reads everything except maps.
#include "raytracer/results/axes.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/results/result_file.h"
#include "raytracer/results/result_layout.h"
#include "raytracer/results/series/series_join.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace helioray {

namespace {

/// Reads the unit of the flux on a target and its part of a receiver.
void read_light(const hdf5::Group& group, SeriesTarget& target) {
    target.unit = group.dataset("flux").read_attribute_string("unit");
    Target role;
    read_role(group, role);
    target.receiver = role.receiver;
    target.use = role.use;
}

SeriesStep step_of_part(const hdf5::Group& root) {
    SeriesStep step;
    read_attributes(root, step, step_columns());
    return step;
}

}  // namespace

void fill_series_part(hdf5::Group root, const RunResult& result, const SeriesStep& step) {
    fill_result(root, result);
    // The provenance has direction to the sun, rays and fingerprint already.
    for (const Column<SeriesStep>& column : step_columns())
        if (!root.has_attribute(column.name))
            write_attribute(root, column, row_values(step, column));
}

void write_series_part(const RunResult& result,
                       const SeriesStep& step,
                       const std::filesystem::path& path) {
    write_image(path, [&](hdf5::Group root) { fill_series_part(std::move(root), result, step); });
}

bool is_series_part(const std::filesystem::path& path) {
    if (!std::filesystem::exists(path)) return false;
    try {
        step_of_part(hdf5::File::open(path).root());
        return true;
    } catch (const InputError&) {
        return false;  // incomplete or damaged: the step is traced again
    }
}

void write_series(const std::vector<std::filesystem::path>& parts,
                  Provenance provenance,
                  const std::filesystem::path& path,
                  const std::string& time_zone) {
    std::vector<SeriesStep> steps;
    std::vector<std::string> fingerprints;
    provenance.rays = 0;
    for (const std::filesystem::path& part : parts) {
        steps.push_back(step_of_part(hdf5::File::open(part).root()));
        fingerprints.push_back(steps.back().fingerprint);
        provenance.rays += steps.back().rays;
    }
    require(!steps.empty(), "a series without steps");
    provenance.fingerprint = series_fingerprint(fingerprints);
    provenance.sun_direction = steps.front().sun_direction;
    provenance.temperature_c = steps.front().temperature_c;
    write_image(path, [&](hdf5::Group root) {
        write_provenance(root, provenance);
        root.write_attribute("num_steps", static_cast<int64_t>(steps.size()));
        hdf5::Group group = root.create_group("series");
        write_columns(group, steps, step_columns());
        if (!time_zone.empty()) group.write_attribute("time_zone", time_zone);
        attach_axes(group);
        join_parts(root, parts);
    });
}

std::string read_time_zone(const std::filesystem::path& path) {
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group series = file.root().group("series");
    return series.has_attribute("time_zone") ? series.read_attribute_string("time_zone") : "";
}

SeriesResult series_of_parts(const std::vector<std::filesystem::path>& parts,
                             Provenance provenance) {
    SeriesResult series;
    std::vector<std::string> fingerprints;
    provenance.rays = 0;
    for (const std::filesystem::path& path : parts) {
        const hdf5::File file = hdf5::File::open(path);
        const hdf5::Group root = file.root();
        const hdf5::Group heliostats = root.group("heliostats");
        const hdf5::Group targets = root.group("targets");
        series.steps.push_back(step_of_part(root));
        const SeriesStep& step = series.steps.back();
        fingerprints.push_back(step.fingerprint);
        provenance.rays += step.rays;
        series.trace_seconds += step.trace_seconds;
        if (series.steps.size() == 1) {
            series.heliostats = heliostats.read_strings("name");
            series.heliostat_targets = read_texts(heliostats, "target", series.heliostats.size());
            for (const std::string& name : targets.names()) {
                SeriesTarget& target = series.targets.emplace_back();
                target.name = name;
                read_light(targets.group(name), target);
            }
        }
        for (SeriesTarget& target : series.targets) {
            TargetResult light;
            read_attributes(targets.group(target.name), light, target_columns());
            append_step(target, light);
        }
        const size_t count = series.heliostats.size();
        std::vector<EnergyTerms> own(count);
        for (const EnergyTermInfo& term : energy_term_infos()) {
            if (term.is_of_receivers && !heliostats.contains(term.name)) continue;
            const std::vector<double> values = read_shaped(heliostats, term.name, {count});
            for (size_t i = 0; i < count; ++i) own[i].*term.member = values[i];
        }
        series.energy.insert(series.energy.end(), own.begin(), own.end());
        const std::vector<double> errors =
            read_shaped(heliostats, "target_power_std_error", {count});
        series.target_power_std_error.insert(
            series.target_power_std_error.end(), errors.begin(), errors.end());
    }
    require(!series.steps.empty(), "a series without steps");
    provenance.fingerprint = series_fingerprint(fingerprints);
    provenance.sun_direction = series.steps.front().sun_direction;
    provenance.temperature_c = series.steps.front().temperature_c;
    series.provenance = std::move(provenance);
    return series;
}

namespace {

SeriesTarget read_target(const hdf5::Group& group, const std::string& name, size_t steps) {
    SeriesTarget target;
    target.name = name;
    read_light(group, target);
    const bool has_peak = group.contains("peak_pixel_w_m2");
    for (const Column<SeriesTarget>& column :
         has_peak ? series_target_columns() : columns_without_peak(series_target_columns())) {
        hdf5::Shape shape = column.shape;
        shape.insert(shape.begin(), steps);
        read_list(group, target, column, shape);
    }
    if (has_peak) return target;
    target.peak_pixel_w_m2 = target.peak_flux_w_m2;
    target.peak_flux_w_m2 = target.peak_flux_std_error_w_m2 = target.peak_area_m2 =
        std::vector<double>(steps, std::nan(""));
    return target;
}

}  // namespace

bool is_series(const std::filesystem::path& result) {
    const hdf5::File file = hdf5::File::open(result);
    check_result_format(file.root());
    return count_steps(file.root()) > 0;
}

SeriesResult read_series(const std::filesystem::path& path) {
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group root = file.root();
    check_result_format(root);
    const size_t steps = count_steps(root);
    if (steps == 0) refuse_result(root.where(), "is a single run, not a series");

    SeriesResult series;
    series.provenance = read_provenance(root);
    series.steps.resize(steps);
    read_columns(root.group("series"), series.steps, step_columns());
    const hdf5::Group targets = root.group("targets");
    for (const std::string& name : targets.names())
        series.targets.push_back(read_target(targets.group(name), name, steps));

    const hdf5::Group heliostats = root.group("heliostats");
    series.heliostats = heliostats.read_strings("name");
    const size_t count = series.heliostats.size();
    series.heliostat_targets = read_texts(heliostats, "target", count);
    series.energy.resize(steps * count);
    for (const EnergyTermInfo& term : energy_term_infos()) {
        if (term.is_of_receivers && !heliostats.contains(term.name)) continue;
        const std::vector<double> values = read_shaped(heliostats, term.name, {steps, count});
        for (size_t i = 0; i < values.size(); ++i) series.energy[i].*term.member = values[i];
    }
    series.target_power_std_error =
        read_shaped(heliostats, "target_power_std_error", {steps, count});
    for (const SeriesStep& step : series.steps) series.trace_seconds += step.trace_seconds;
    return series;
}

RunResult read_step(const std::filesystem::path& path, const SeriesResult& series, size_t step) {
    RunResult result = read_result(path, step, HeliostatFlux::skip);
    result.step = fmt::format(
        "{}  ·  DNI {:.4g} W/m²", step_label(series, step), series.steps[step].dni_w_m2);
    if (const auto& temperature = series.steps[step].temperature_c)
        result.step += fmt::format("  ·  {:.3g} °C", *temperature);
    return result;
}

ReadStep step_reader(const std::filesystem::path& path, const SeriesResult& series) {
    return [path, &series](size_t step) { return read_step(path, series, step); };
}

}  // namespace helioray
