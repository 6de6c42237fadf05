// SPDX-License-Identifier: MIT
// Files of series: joining their parts, and reading all but their maps.
#include "raytracer/results/axes.h"
#include "raytracer/results/result_file.h"
#include "raytracer/results/result_layout.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace helioray {

namespace {

// Maps one by one, in chunks of at most 512 pixels each way; small rows together.
hdf5::Storage storage_of(const hdf5::Shape& shape) {
    constexpr size_t kLongest = 512;
    constexpr size_t kElements = 8192;
    hdf5::Storage storage{shape, 4};
    size_t elements = 1;
    for (size_t i = 1; i < shape.size(); ++i) {
        storage.chunk[i] = std::min(shape[i], kLongest);
        // Maps of single heliostats: one per chunk.
        if (shape.size() == 4 && i == 1 && shape[2] > 4) storage.chunk[i] = 1;
        elements *= storage.chunk[i];
    }
    storage.chunk[0] = std::clamp<size_t>(kElements / elements, 1, shape[0]);
    return storage;
}

/// A group of the series, written step by step from the same group of the parts.
class GroupStack {
  public:
    /// `common`: datasets that all parts share; copied from the first.
    GroupStack(const hdf5::Group& first,
               hdf5::Group group,
               size_t num_steps,
               const std::vector<std::string>& common)
        : group_(std::move(group)), num_steps_(num_steps) {
        for (const std::string& name : first.names()) {
            if (is_made_axis(name)) continue;
            const hdf5::Dataset from = first.dataset(name);
            const bool is_common = std::find(common.begin(), common.end(), name) != common.end();
            if (is_common) {
                copy(from, name);
            } else {
                create(from, name, from.shape());
            }
        }
    }

    /// A number, or three, of each part's attribute.
    void add_attribute(const std::string& name,
                       size_t count,
                       const std::string& unit,
                       const std::string& description) {
        const hdf5::Shape shape =
            count == 1 ? hdf5::Shape{num_steps_} : hdf5::Shape{num_steps_, count};
        hdf5::Dataset to = group_.create_dataset<double>(name, shape, storage_of(shape));
        annotate(to, unit, description);
        attributes_.emplace(name, std::move(to));
    }

    /// After everything is added.
    void attach_axes() const { helioray::attach_axes(group_); }

    void write_step(size_t step, const hdf5::Group& from) {
        for (auto& [name, to] : datasets_) {
            const hdf5::Dataset rows = from.dataset(name);
            if (rows.kind() == hdf5::ElementKind::integer) {
                to.write_rows<int64_t>(step, rows.read<int64_t>());
            } else {
                to.write_rows<double>(step, rows.read<double>());
            }
        }
        for (auto& [name, to] : attributes_) {
            to.write_rows<double>(step, from.read_attribute_numbers(name));
        }
    }

  private:
    void copy(const hdf5::Dataset& from, const std::string& name) {
        hdf5::Dataset to =
            from.kind() == hdf5::ElementKind::string
                ? group_.write_strings(name, from.read_strings())
                : group_.write_array<double>(name, from.read<double>(), from.shape());
        annotate_as(from, to);
    }

    void create(const hdf5::Dataset& from, const std::string& name, hdf5::Shape shape) {
        shape.insert(shape.begin(), num_steps_);
        const hdf5::Storage storage = storage_of(shape);
        hdf5::Dataset to = from.kind() == hdf5::ElementKind::integer
                               ? group_.create_dataset<int64_t>(name, shape, storage)
                           : name == "flux" && shape.size() == 4
                               ? group_.create_dataset<float>(name, shape, storage)
                               : group_.create_dataset<double>(name, shape, storage);
        annotate_as(from, to);
        datasets_.emplace(name, std::move(to));
    }

    static void annotate_as(const hdf5::Dataset& from, const hdf5::Dataset& to) {
        annotate(to, from.read_attribute_string("unit"), from.read_attribute_string("description"));
    }

    hdf5::Group group_;
    size_t num_steps_;
    std::map<std::string, hdf5::Dataset> datasets_, attributes_;
};

SeriesStep step_of_part(const hdf5::Group& root) {
    SeriesStep step;
    step.time = root.read_attribute_string("time");
    step.azimuth_deg = root.read_attribute_number("azimuth_deg");
    step.elevation_deg = root.read_attribute_number("elevation_deg");
    step.dni_w_m2 = root.read_attribute_number("dni_w_m2");
    step.trace_seconds = root.read_attribute_number("trace_seconds");
    step.rays = root.read_attribute_integer("rays");
    step.fingerprint = root.read_attribute_string("fingerprint");
    const std::vector<double> sun = root.read_attribute_numbers("sun_direction");
    require(sun.size() == 3, root.where() + ": sun_direction has not three numbers");
    std::copy_n(sun.begin(), 3, step.sun_direction.begin());
    return step;
}

void write_steps(hdf5::Group group, const std::vector<SeriesStep>& steps) {
    std::vector<std::string> times, fingerprints;
    std::vector<int64_t> rays;
    std::vector<double> directions;
    for (const SeriesStep& step : steps) {
        times.push_back(step.time);
        fingerprints.push_back(step.fingerprint);
        rays.push_back(step.rays);
        directions.insert(directions.end(), step.sun_direction.begin(), step.sun_direction.end());
    }
    const auto column = [&](const char* name,
                            double SeriesStep::*member,
                            const char* unit,
                            const char* description) {
        std::vector<double> values;
        for (const SeriesStep& step : steps) values.push_back(step.*member);
        annotate(group.write_array<double>(name, values, {values.size()}), unit, description);
    };
    annotate(group.write_strings("time", times),
             "",
             "Time of each step, ISO 8601; empty where angles without a time gave the position.");
    column("azimuth_deg", &SeriesStep::azimuth_deg, "deg", "Sun's azimuth, clockwise from north.");
    column("elevation_deg",
           &SeriesStep::elevation_deg,
           "deg",
           "Sun's elevation above the horizon, with refraction where it follows from a time.");
    column("dni_w_m2", &SeriesStep::dni_w_m2, "W/m2", "Direct normal irradiance.");
    annotate(group.write_array<double>("sun_direction", directions, {steps.size(), 3}),
             "1",
             "Unit vector to the sun, east-north-up.");
    annotate(group.write_array<int64_t>("rays", rays, {rays.size()}), "1", "Rays of each step.");
    annotate(group.write_strings("fingerprint", fingerprints),
             "",
             "Hash of each step's exact integer sums.");
    column("trace_seconds", &SeriesStep::trace_seconds, "s", "Time that tracing took.");
    attach_axes(group);
}

void stack_parts(hdf5::Group root, const std::vector<std::filesystem::path>& paths) {
    std::vector<std::pair<std::string, GroupStack>> stacks;
    for (size_t step = 0; step < paths.size(); ++step) {
        const hdf5::File file = hdf5::File::open(paths[step]);
        const hdf5::Group part = file.root();
        if (step == 0) {
            stacks.emplace_back("heliostats",
                                GroupStack(part.group("heliostats"),
                                           root.create_group("heliostats"),
                                           paths.size(),
                                           {"name", "target"}));
            for (const std::string& name : part.group("targets").names()) {
                const std::string path = "targets/" + name;
                const hdf5::Group from = part.group(path);
                hdf5::Group to = root.create_group(path);
                for (const char* attribute : {"kind", "geometry"})
                    to.write_attribute(attribute, from.read_attribute_string(attribute));
                GroupStack stack(from, to, paths.size(), {"width_m", "height_m"});
                stack.add_attribute("power_w", 1, "W", "Power on the target.");
                stack.add_attribute("power_std_error_w", 1, "W", "Standard error of power_w.");
                stack.add_attribute(
                    "peak_flux_w_m2", 1, "W/m2", "Largest mean flux over peak_area_m2.");
                stack.add_attribute(
                    "peak_flux_std_error_w_m2", 1, "W/m2", "Standard error of peak_flux_w_m2.");
                stack.add_attribute(
                    "peak_area_m2", 1, "m2", "Area that peak_flux_w_m2 is a mean over.");
                stack.add_attribute("peak_pixel_w_m2",
                                    1,
                                    "W/m2",
                                    "Largest flux of a pixel, raised by the noise of the rays.");
                stack.add_attribute(
                    "centroid_m", 3, "m", "Flux-weighted mean position, east-north-up.");
                stacks.emplace_back(path, std::move(stack));
            }
        }
        for (auto& [path, stack] : stacks) stack.write_step(step, part.group(path));
    }
    for (const auto& [path, stack] : stacks) stack.attach_axes();
}

}  // namespace

void fill_series_part(hdf5::Group root, const RunResult& result, const SeriesStep& step) {
    fill_result(root, result);
    root.write_attribute("time", step.time);
    root.write_attribute("azimuth_deg", step.azimuth_deg);
    root.write_attribute("elevation_deg", step.elevation_deg);
    root.write_attribute("dni_w_m2", step.dni_w_m2);
    root.write_attribute("trace_seconds", step.trace_seconds);
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
                  const std::filesystem::path& path) {
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
    write_image(path, [&](hdf5::Group root) {
        write_provenance(root, provenance);
        root.write_attribute("num_steps", static_cast<int64_t>(steps.size()));
        write_steps(root.create_group("series"), steps);
        stack_parts(root, parts);
    });
}

namespace {

std::vector<Vec3> vectors(const hdf5::Group& group, const std::string& name, size_t count) {
    const std::vector<double> values = read_shaped(group, name, {count, 3});
    std::vector<Vec3> found(count);
    for (size_t i = 0; i < count; ++i)
        found[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
    return found;
}

std::vector<SeriesStep> read_steps(const hdf5::Group& group, size_t count) {
    std::vector<SeriesStep> steps(count);
    const auto column = [&](const char* name, auto set) {
        const std::vector<double> values = read_shaped(group, name, {count});
        for (size_t i = 0; i < count; ++i) set(steps[i], values[i]);
    };
    column("azimuth_deg", [](SeriesStep& s, double value) { s.azimuth_deg = value; });
    column("elevation_deg", [](SeriesStep& s, double value) { s.elevation_deg = value; });
    column("dni_w_m2", [](SeriesStep& s, double value) { s.dni_w_m2 = value; });
    column("trace_seconds", [](SeriesStep& s, double value) { s.trace_seconds = value; });
    column("rays", [](SeriesStep& s, double value) { s.rays = static_cast<int64_t>(value); });
    const std::vector<std::string> times = read_texts(group, "time", count);
    const std::vector<std::string> fingerprints = read_texts(group, "fingerprint", count);
    const std::vector<Vec3> directions = vectors(group, "sun_direction", count);
    for (size_t i = 0; i < count; ++i) {
        steps[i].time = times[i];
        steps[i].fingerprint = fingerprints[i];
        steps[i].sun_direction = directions[i];
    }
    return steps;
}

SeriesTarget read_target(const hdf5::Group& group, const std::string& name, size_t steps) {
    // Versions up to 0.4 stored the largest pixel under the name of the peak.
    const bool has_peak = group.contains("peak_pixel_w_m2");
    const std::vector<double> unknown(steps, std::nan(""));
    const auto peak = [&](const char* attribute) {
        return has_peak ? read_shaped(group, attribute, {steps}) : unknown;
    };
    return {name,
            group.dataset("flux").read_attribute_string("unit"),
            read_shaped(group, "power_w", {steps}),
            read_shaped(group, "power_std_error_w", {steps}),
            peak("peak_flux_w_m2"),
            peak("peak_flux_std_error_w_m2"),
            peak("peak_area_m2"),
            read_shaped(group, has_peak ? "peak_pixel_w_m2" : "peak_flux_w_m2", {steps}),
            vectors(group, "centroid_m", steps)};
}

}  // namespace

bool is_series(const std::filesystem::path& result) {
    const hdf5::File file = hdf5::File::open(result);
    check_result_format(file.root());
    return num_steps_of(file.root()) > 0;
}

SeriesResult read_series(const std::filesystem::path& path) {
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group root = file.root();
    check_result_format(root);
    const size_t steps = num_steps_of(root);
    if (steps == 0) refuse_result(root.where(), "is a single run, not a series");

    SeriesResult series;
    series.provenance = read_provenance(root);
    series.steps = read_steps(root.group("series"), steps);
    const hdf5::Group targets = root.group("targets");
    for (const std::string& name : targets.names())
        series.targets.push_back(read_target(targets.group(name), name, steps));

    const hdf5::Group heliostats = root.group("heliostats");
    series.heliostats = heliostats.read_strings("name");
    const size_t count = series.heliostats.size();
    series.heliostat_targets = read_texts(heliostats, "target", count);
    series.energy.resize(steps * count);
    for (const EnergyTermInfo& term : energy_term_infos()) {
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
    result.step = step_label(series, step);
    return result;
}

}  // namespace helioray
