// SPDX-License-Identifier: MIT
// Reads deflectometry files.
#include "scenario/files/hdf5/file.h"
#include "scenario/import/paint/paint.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

namespace {

constexpr const char* kPrefix = "facet";

std::vector<Vec3> read_vectors(const hdf5::Group& group, const std::string& name) {
    const hdf5::Dataset dataset = group.dataset(name);
    if (dataset.shape().size() != 2 || dataset.shape()[1] != 3) {
        throw InputError(
            Problem{group.where_of(name),
                    fmt::format("has the shape [{}]", fmt::join(dataset.shape(), ", ")),
                    "expected are rows of east, north, up: [M, 3]",
                    ""});
    }
    const std::vector<double> numbers = dataset.read<double>();
    std::vector<Vec3> vectors(numbers.size() / 3);
    for (size_t i = 0; i < numbers.size(); ++i) vectors[i / 3][i % 3] = numbers[i];
    return vectors;
}

/// Returns the number of groups facet1 ... facetK; a gap is a problem.
size_t count_facets(const hdf5::Group& root, const std::string& file) {
    const std::vector<std::string> names = root.names();
    const auto count = static_cast<size_t>(std::count_if(
        names.begin(), names.end(), [](const std::string& n) { return n.rfind(kPrefix, 0) == 0; }));
    if (count == 0) {
        throw InputError(Problem{file,
                                 "holds no group 'facet1'",
                                 "deflectometry files have a group for every facet",
                                 "name a file that ends in -deflectometry.h5"});
    }
    return count;
}

}  // namespace

MeasuredSurface read_deflectometry(const std::filesystem::path& path) {
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group root = file.root();
    const size_t count = count_facets(root, path.string());
    ReadLog log;
    MeasuredSurface surface;
    for (size_t i = 1; i <= count; ++i) {
        log.attempt([&] {
            const std::string name = fmt::format("{}{}", kPrefix, i);
            const hdf5::Group group = root.group(name);
            MeasuredFacet facet{root.where_of(name),
                                read_vectors(group, "surface_points"),
                                read_vectors(group, "surface_normals")};
            if (check_samples(facet, log)) surface.facets.push_back(std::move(facet));
        });
    }
    log.throw_if_any();
    return surface;
}

}  // namespace helioray
