// SPDX-License-Identifier: MIT
// Test data of model "artist": vectors as tensors, comparisons, sample scenarios.
#pragma once

#include "raytracer/artist/artist.h"
#include "scenario/reader/scenario_reader.h"
#include "tests/support/catch2.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace helioray::test {

using Json = nlohmann::json;

/// tests/data/vectors/<name>: numbers from running ARTIST 2.0.0.
inline Json load_vectors(const std::string& name) {
    std::ifstream file(source_dir() + "/tests/data/vectors/" + name);
    REQUIRE(file.good());
    return Json::parse(file);
}

inline void flatten(const Json& json, std::vector<double>& values) {
    if (!json.is_array()) return values.push_back(json.get<double>());
    for (const Json& element : json) flatten(element, values);
}

/// Nested arrays of numbers as a float32 tensor of the same shape.
inline at::Tensor to_tensor(const Json& json) {
    std::vector<int64_t> shape;
    for (const Json* level = &json; level->is_array(); level = &level->front()) {
        shape.push_back(static_cast<int64_t>(level->size()));
        if (level->empty()) break;
    }
    std::vector<double> values;
    flatten(json, values);
    return at::tensor(at::ArrayRef<double>(values), at::kFloat).reshape(shape);
}

inline Vec3 to_vec3(const Json& json) {
    return {json[0].get<double>(), json[1].get<double>(), json[2].get<double>()};
}

/// Largest |a - b| over all elements; shapes must agree.
inline double max_difference(const at::Tensor& a, const at::Tensor& b) {
    REQUIRE(a.sizes() == b.sizes());
    if (a.numel() == 0) return 0.0;
    return a.to(at::kDouble).sub(b.to(at::kDouble)).abs().max().item<double>();
}

inline double max_difference(const at::Tensor& a, const Json& b) {
    return max_difference(a, to_tensor(b));
}

/// A sample scenario of ARTIST; nothing where there are none.
inline std::optional<Scenario> sample_scenario(const std::string& file) {
    if (artist_data_dir().empty()) return std::nullopt;
    return read_scenario(std::filesystem::path(artist_data_dir()) / file);
}

/// The scenario with distortions of size 0 and one ray per surface point, as the deterministic
/// vectors have it.
inline Scenario without_distortions(Scenario scenario) {
    scenario.light_sources.front().number_of_rays = 1;
    scenario.light_sources.front().shape = GaussianShape{0.0};
    return scenario;
}

/// The scenario with only the named heliostats.
inline Scenario with_heliostats(Scenario scenario, const std::vector<std::string>& names) {
    std::vector<Heliostat> kept;
    for (const std::string& name : names) {
        const auto index = scenario.find_heliostat(name);
        REQUIRE(index);
        kept.push_back(scenario.heliostats[*index]);
    }
    scenario.heliostats = kept;
    return scenario;
}

/// Sum and largest value of a row's bitmap, in ray magnitudes.
struct RowBitmaps {
    std::vector<at::Tensor> bitmaps;  // float64 [H, W], by row

    /// Lets the run keep every row's bitmap here; call scale_all afterwards.
    void record(ArtistRun& run) {
        bitmaps.resize(run.samples.size());
        run.on_row = [this](int64_t row, const ArtistRow&, const at::Tensor& bitmap) {
            bitmaps[static_cast<size_t>(row)] = bitmap.to(at::kDouble);
        };
    }
    void scale_all(double scale) {
        for (at::Tensor& bitmap : bitmaps) bitmap = bitmap.div(scale);
    }
};

}  // namespace helioray::test
