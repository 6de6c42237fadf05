// SPDX-License-Identifier: MIT
// Rows of series and their checks.
#include "raytracer/output/step_rows.h"

#include "raytracer/output/result_file.h"
#include "scenario/error.h"

#include <fmt/format.h>

namespace helioray {

void check_result_format(const hdf5::Group& root) {
    if (!root.has_attribute("format")) {
        refuse_result(root.where(), "is no result file", "it has no attribute 'format'");
    }
    const std::string format = root.read_attribute_string("format");
    if (format == "helioray-annual") {
        refuse_result(
            root.where(), "is the yield of a year, not the result of a run", "it has no flux maps");
    }
    if (format != "helioray-result") {
        refuse_result(root.where() + "@format", "is '" + format + "', not 'helioray-result'");
    }
    const std::int64_t version = root.read_attribute_integer("format_version");
    if (version != kResultFormatVersion) {
        throw InputError(Problem{root.where() + "@format_version",
                                 fmt::format("format version {} is not supported", version),
                                 fmt::format("this program reads version {}", kResultFormatVersion),
                                 "use the HelioRay version that wrote it"});
    }
}

std::size_t num_steps_of(const hdf5::Group& root) {
    if (!root.has_attribute("num_steps")) return 0;
    const std::int64_t steps = root.read_attribute_integer("num_steps");
    if (steps < 1)
        refuse_result(root.where() + "@num_steps", fmt::format("is {}, not above 0", steps));
    return static_cast<std::size_t>(steps);
}

StepRows StepRows::step(const hdf5::Group& root, std::size_t step) {
    const std::size_t steps = num_steps_of(root);
    if (steps == 0) refuse_result(root.where(), "is a single run, not a series");
    if (step >= steps) {
        throw InputError(Problem{root.file(),
                                 fmt::format("there is no step {}", step),
                                 fmt::format("the series has {} steps", steps),
                                 fmt::format("choose one from 0 to {}", steps - 1)});
    }
    return StepRows(step, steps);
}

hdf5::Shape StepRows::shape(const hdf5::Dataset& dataset) const {
    hdf5::Shape shape = dataset.shape();
    if (!step_) return shape;
    if (shape.empty() || shape[0] != num_steps_) {
        refuse_result(dataset.where(),
                      fmt::format("has shape {}, not one row for each of {} steps",
                                  hdf5::to_string(shape),
                                  num_steps_));
    }
    shape.erase(shape.begin());
    return shape;
}

std::vector<double> StepRows::numbers(const hdf5::Group& group,
                                      const std::string& name,
                                      std::size_t count) const {
    const std::vector<double> values =
        step_ ? read<double>(group.dataset(name)) : group.read_attribute_numbers(name);
    if (values.size() != count) {
        refuse_result(step_ ? group.where_of(name) : group.where() + "@" + name,
                      fmt::format("has {} numbers, not {}", values.size(), count));
    }
    return values;
}

double StepRows::number(const hdf5::Group& group, const std::string& name) const {
    return step_ ? numbers(group, name, 1)[0] : group.read_attribute_number(name);
}

Vec3 StepRows::vector(const hdf5::Group& group, const std::string& name) const {
    const std::vector<double> values = numbers(group, name, 3);
    return {values[0], values[1], values[2]};
}

}  // namespace helioray
