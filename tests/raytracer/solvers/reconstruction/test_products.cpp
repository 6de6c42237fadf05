// SPDX-License-Identifier: MIT
// Products of images against sums in double precision.
#include "raytracer/solvers/reconstruction/fit/products.h"
#include "raytracer/solvers/reconstruction/images/convolution.h"
#include "tests/raytracer/tracing/surface/surface_support.h"
#include "tests/support/catch2.h"

#include <vector>

using namespace helioray;
using namespace helioray::reconstruction;

TEST_CASE("Products of pairs are sums over all pixels, for any number of columns") {
    constexpr size_t kSize = kImagePixels * kImagePixels;
    test::Uniform random(4);
    std::vector<std::vector<float>> images;
    std::vector<const float*> columns;
    for (size_t count = 1; count <= 7; ++count) {
        std::vector<float>& image = images.emplace_back();
        for (size_t i = 0; i < kSize; ++i) image.push_back(static_cast<float>(random(-1.0, 1.0)));
        columns.push_back(image.data());
        const std::vector<double> products = products_of_pairs(columns);
        REQUIRE(products.size() == count * count);
        for (size_t a = 0; a < count; ++a) {
            for (size_t b = 0; b < count; ++b) {
                double sum = 0.0;
                for (size_t i = 0; i < kSize; ++i) {
                    sum += static_cast<double>(columns[a][i]) * static_cast<double>(columns[b][i]);
                }
                CHECK(products[a * count + b] == Approx(sum).margin(1e-4));
                CHECK(products[a * count + b] == products[b * count + a]);
            }
        }
    }
}
