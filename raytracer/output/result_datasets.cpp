// SPDX-License-Identifier: MIT
#include "raytracer/output/result_datasets.h"

#include "scenario/error.h"

#include <fmt/format.h>

namespace helioray {

void refuse_result(const std::string& where, const std::string& what, const std::string& why) {
    throw InputError(Problem{where, what, why, "use a result file that HelioRay wrote"});
}

std::vector<double> read_shaped(const hdf5::Group& group,
                                const std::string& name,
                                const hdf5::Shape& shape) {
    const hdf5::Dataset dataset = group.dataset(name);
    if (dataset.shape() != shape) {
        refuse_result(dataset.where(),
                      fmt::format("has shape {}, expected {}",
                                  hdf5::to_string(dataset.shape()),
                                  hdf5::to_string(shape)));
    }
    return dataset.read<double>();
}

std::vector<std::string> read_texts(const hdf5::Group& group,
                                    const std::string& name,
                                    std::size_t count) {
    std::vector<std::string> values = group.read_strings(name);
    if (values.size() != count) {
        refuse_result(group.where_of(name),
                      fmt::format("has {} entries, expected {}", values.size(), count));
    }
    return values;
}

}  // namespace helioray
