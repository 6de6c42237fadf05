// SPDX-License-Identifier: MIT
// Parts of a series, and joining them.
#include "raytracer/output/hdf5_image.h"
#include "raytracer/output/result_parts.h"
#include "raytracer/output/series_file.h"
#include "scenario/error.h"
#include "scenario/hdf5/file.h"

#include <algorithm>
#include <map>
#include <utility>

namespace helioray {

namespace {

void store(const std::filesystem::path& path, const std::function<void(hdf5::Group)>& fill) {
    std::vector<std::byte> image;
    try {
        image = hdf5_image(path.string(), fill);
    } catch (const InputError& error) {
        // What fails here is memory or this program.
        throw std::runtime_error(error.what());
    }
    AtomicFile file(path);
    file.write(image);
    file.commit();
}

// Maps one by one, in chunks of at most 512 pixels each way; small rows together.
hdf5::Storage storage_of(const hdf5::Shape& shape) {
    constexpr size_t kLongest = 512;
    constexpr size_t kElements = 8192;
    hdf5::Storage storage{shape, 4};
    size_t elements = 1;
    for (size_t i = 1; i < shape.size(); ++i) {
        storage.chunk[i] = std::min(shape[i], kLongest);
        // Of maps of heliostats one each.
        if (shape.size() == 4 && i == 1 && shape[2] > 4) storage.chunk[i] = 1;
        elements *= storage.chunk[i];
    }
    storage.chunk[0] = std::clamp<size_t>(kElements / elements, 1, shape[0]);
    return storage;
}

/// Writes row by row what the parts hold in the same group.
class GroupStack {
  public:
    /// `common`: datasets that all parts share; copied from the first.
    GroupStack(const hdf5::Group& first,
               hdf5::Group group,
               size_t num_steps,
               const std::vector<std::string>& common)
        : group_(std::move(group)), num_steps_(num_steps) {
        for (const std::string& name : first.names()) {
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

SeriesStep read_step(const hdf5::Group& root) {
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
             "Time of each step, ISO 8601; empty where the position was given by angles.");
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
                stack.add_attribute("peak_flux_w_m2", 1, "W/m2", "Largest flux of a pixel.");
                stack.add_attribute(
                    "centroid_m", 3, "m", "Flux-weighted mean position, east-north-up.");
                stacks.emplace_back(path, std::move(stack));
            }
        }
        for (auto& [path, stack] : stacks) stack.write_step(step, part.group(path));
    }
}

}  // namespace

void write_series_part(const RunResult& result,
                       const SeriesStep& step,
                       const std::filesystem::path& path) {
    store(path, [&](hdf5::Group root) {
        fill_result(root, result);
        root.write_attribute("time", step.time);
        root.write_attribute("azimuth_deg", step.azimuth_deg);
        root.write_attribute("elevation_deg", step.elevation_deg);
        root.write_attribute("dni_w_m2", step.dni_w_m2);
        root.write_attribute("trace_seconds", step.trace_seconds);
    });
}

bool is_series_part(const std::filesystem::path& path) {
    if (!std::filesystem::exists(path)) return false;
    try {
        read_step(hdf5::File::open(path).root());
        return true;
    } catch (const InputError&) {
        return false;  // a disk that lost it; it will be made again
    }
}

void write_series(const std::vector<std::filesystem::path>& parts,
                  Provenance provenance,
                  const std::filesystem::path& path) {
    std::vector<SeriesStep> steps;
    std::vector<std::string> fingerprints;
    provenance.rays = 0;
    for (const std::filesystem::path& part : parts) {
        steps.push_back(read_step(hdf5::File::open(part).root()));
        fingerprints.push_back(steps.back().fingerprint);
        provenance.rays += steps.back().rays;
    }
    require(!steps.empty(), "a series without steps");
    provenance.fingerprint = series_fingerprint(fingerprints);
    provenance.sun_direction = steps.front().sun_direction;
    store(path, [&](hdf5::Group root) {
        write_provenance(root, provenance);
        root.write_attribute("num_steps", static_cast<int64_t>(steps.size()));
        write_steps(root.create_group("series"), steps);
        stack_parts(root, parts);
    });
}

}  // namespace helioray
