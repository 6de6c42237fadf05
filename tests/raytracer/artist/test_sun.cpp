// SPDX-License-Identifier: MIT
// Random distortions: the same stream as ARTIST's, however it is cut into pieces.
#include "raytracer/artist/row_rays.h"
#include "tests/raytracer/artist/artist_support.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/normal.h>

#include <cmath>

using namespace helioray;
using namespace helioray::test;

namespace {

// [rows, rays, points] of component 0 (up) or 1 (east).
at::Tensor draw(uint64_t seed, std::vector<int64_t> shape, int64_t component) {
    shape.push_back(2);
    const int64_t total = shape[0] * shape[1] * shape[2] * 2;
    artist::DistortionStream stream(seed, total, 0.0, std::sqrt(4.3681e-06));
    return stream.take(total).reshape(shape).select(3, component);
}

}  // namespace

TEST_CASE("artist sun: raw numbers of the generator") {
    const Json v = load_vectors("scenario_flux_random_seed7.json");
    const at::Generator generator = at::detail::createCPUGenerator(7);
    auto* cpu = at::get_generator_or_default<at::CPUGeneratorImpl>(
        generator, at::detail::getDefaultCPUGenerator());
    for (const Json& raw : v["seed7_first_raw_uint32"]) CHECK(cpu->random() == raw.get<uint32_t>());
}

TEST_CASE("artist sun: distortion tensors of seed 7") {
    const Json v = load_vectors("scenario_flux_random_seed7.json");
    CHECK(max_difference(draw(7, {2, 10, 5}, 0), v["distortions_up"]) < 1e-9);
    CHECK(max_difference(draw(7, {2, 10, 5}, 1), v["distortions_east"]) < 1e-9);
}

TEST_CASE("artist sun: totals that are no multiple of 16") {
    const Json v = load_vectors("scenario_flux_random_seed7.json")["case_n42_rays7_points3"];
    CHECK(max_difference(draw(7, {1, 7, 3}, 0), v["up"]) < 1e-9);
    CHECK(max_difference(draw(7, {1, 7, 3}, 1), v["east"]) < 1e-9);
}

TEST_CASE("artist sun: pieces, skips and forks do not change the numbers") {
    // Just above a whole number of refills, and not a multiple of 16.
    for (const int64_t total : {(int64_t{1} << 18) + 7, (int64_t{1} << 19) + 16, int64_t{9}}) {
        at::Generator generator = at::detail::createCPUGenerator(11);
        const at::Tensor whole = at::normal(0.0, 1.0, {total}, generator);
        artist::DistortionStream stream(11, total, 0.0, 1.0);
        const int64_t first = total / 3, second = total - total / 3;
        artist::DistortionStream skipped = stream.fork();
        skipped.skip(first);
        const at::Tensor head = stream.take(first);
        CHECK(at::equal(head, whole.narrow(0, 0, first)));
        artist::DistortionStream forked = stream.fork();
        CHECK(at::equal(stream.take(second), whole.narrow(0, first, second)));
        CHECK(at::equal(forked.take(second), whole.narrow(0, first, second)));
        CHECK(at::equal(skipped.take(second), whole.narrow(0, first, second)));
        CHECK_THROWS_AS(stream.take(1), std::logic_error);
    }
}

TEST_CASE("artist sun: mean and standard deviation") {
    artist::DistortionStream stream(3, 100000, 0.5, 0.01);
    const at::Tensor values = stream.take(100000).to(at::kDouble);
    CHECK(values.mean().item<double>() == Approx(0.5).margin(2e-4));
    CHECK(values.std().item<double>() == Approx(0.01).epsilon(0.01));
}
