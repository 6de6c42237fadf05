// SPDX-License-Identifier: MIT
// Bitmaps of a CUDA thread block, run by CPU threads: the same sums for every window.
#include "tests/kernels/cuda/fake_cuda.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace helioray::kernels;

namespace {

constexpr int kThreads = 4;

struct Deposit {
    int half;
    int32_t pixel;
    int32_t quanta;
};

struct Maps {
    std::vector<int64_t> flux, square, difference, heliostat;
    explicit Maps(int64_t pixels)
        : flux(static_cast<size_t>(pixels)), square(flux), difference(flux), heliostat(flux) {}
    bool operator==(const Maps&) const = default;
};

constexpr double kScale = 0x1p-20;

Maps expected(const std::vector<Deposit>& deposits, int64_t pixels) {
    std::vector<int64_t> half[2];
    for (auto& one : half) one.resize(static_cast<size_t>(pixels));
    for (const Deposit& d : deposits) half[d.half][static_cast<size_t>(d.pixel)] += d.quanta;
    Maps maps(pixels);
    for (size_t p = 0; p < half[0].size(); ++p) {
        maps.flux[p] = maps.heliostat[p] = half[0][p] + half[1][p];
        maps.difference[p] = half[0][p] - half[1][p];
        const auto difference = static_cast<double>(maps.difference[p]);
        maps.square[p] = std::llrint(kScale * difference * difference);
    }
    return maps;
}

/// The memory of one block; traced() runs a unit of it on several threads.
class FakeBlock {
  public:
    FakeBlock(int64_t pixels, int32_t capacity)
        : low_(2 * static_cast<size_t>(capacity)), spilled_(2 * static_cast<size_t>(pixels)) {
        tile_ = {low_.data(), spilled_.data(), &range_, pixels, nullptr};
    }

    Maps traced(const std::vector<Deposit>& deposits, const PixelWindow& window) {
        Maps maps(tile_.num_pixels);
        const TileSums sums{kScale, maps.flux.data(), maps.square.data(), maps.difference.data()};
        tile_.heliostat_flux = maps.heliostat.data();
        helioray::test::run_blocks(1, kThreads, 0, [&] {
            for (size_t i = threadIdx.x; i < deposits.size(); i += kThreads) {
                const Deposit& d = deposits[i];
                add_to_tile<CudaMachine>(tile_, window, d.half, d.pixel, d.quanta);
            }
            __syncthreads();
            flush_tile<CudaMachine>(tile_, window, sums, CudaBlock());
        });
        return maps;
    }

    bool clear() const {
        return low_ == std::vector<uint32_t>(low_.size()) &&
               spilled_ == std::vector<int64_t>(spilled_.size()) && range_.first > range_.last;
    }

  private:
    std::vector<uint32_t> low_;
    std::vector<int64_t> spilled_;
    PixelRange range_ = PixelRange::none();
    BlockTile tile_{};
};

/// Moments of hits at (across, up) +- (spread_across, spread_up).
ImageMoments image(float across, float up, float spread_across, float spread_up) {
    ImageMoments moments{};
    for (const float i : {-1.0f, 1.0f}) {
        for (const float j : {-1.0f, 1.0f}) {
            const ImageMoments one = hit_moments(across + i * spread_across, up + j * spread_up);
            for (int k = 0; k < ImageMoments::kNumSums; ++k) moments.sum[k] += one.sum[k];
        }
    }
    return moments;
}

}  // namespace

TEST_CASE("a window's positions and the bitmap's pixels are each other's inverse") {
    for (const int32_t width : {2, 3, 17, 31, 255, 256, 257, 360, 1000, 1625}) {
        const int32_t height = 1 + 200000 / width;
        const PixelWindow window = choose_window(ImageMoments{}, width, height, 5000);
        REQUIRE(window.size() > 0);
        int32_t inside = 0;
        for (int32_t p = 0; p < width * height; ++p) {
            const int32_t row = p / width;
            const int32_t column = p % width;
            const bool wanted = row >= window.row && row < window.row + window.rows &&
                                column >= window.column && column < window.column + window.columns;
            const int32_t i = window.index(p);
            CAPTURE(width, p);
            REQUIRE((i >= 0) == wanted);
            if (!wanted) continue;
            REQUIRE(i < window.size());
            REQUIRE(window.pixel(i) == p);
            ++inside;
        }
        CHECK(inside == window.size());
    }
}

TEST_CASE("windows lie within the bitmap, about the image, and use what there is") {
    // An image that is twice as wide as high, right of and above the middle.
    const PixelWindow window = choose_window(image(0.2f, 0.1f, 0.1f, 0.05f), 256, 256, 5000);
    CHECK(window.size() <= 5000);
    CHECK(window.size() > 4800);
    CHECK(window.columns == Approx(2.0 * window.rows).epsilon(0.03));
    CHECK(window.column + 0.5 * window.columns == Approx(0.7 * 256).margin(1.0));
    CHECK(window.row + 0.5 * window.rows == Approx(0.4 * 256).margin(1.0));

    std::mt19937 generator(5);
    std::uniform_real_distribution<float> place(-0.5f, 0.5f), spread(0.0f, 0.3f);
    std::uniform_int_distribution<int32_t> size(2, 600), room(1, 9000);
    for (int i = 0; i < 2000; ++i) {
        const int32_t width = size(generator), height = size(generator);
        const int32_t capacity = room(generator);
        const PixelWindow w = choose_window(
            image(place(generator), place(generator), spread(generator), spread(generator)),
            width,
            height,
            capacity);
        CAPTURE(width, height, capacity, w.row, w.column, w.rows, w.columns);
        REQUIRE(w.rows >= 1);
        REQUIRE(w.columns >= 1);
        REQUIRE(w.size() <= capacity);
        REQUIRE(w.row >= 0);
        REQUIRE(w.column >= 0);
        REQUIRE(w.row + w.rows <= height);
        REQUIRE(w.column + w.columns <= width);
        if (capacity >= width * height) REQUIRE(w.size() == width * height);
    }
}

TEST_CASE("bitmaps without a window: too large for its arithmetic, no room") {
    CHECK(choose_window(ImageMoments{}, 4096, 4096, 5000).size() == 0);
    CHECK(choose_window(ImageMoments{}, 256, 256, 0).size() == 0);
    CHECK(choose_window(ImageMoments{}, 256, 256, 0).index(77) == -1);
    CHECK(choose_window(ImageMoments{}, 1, 256, 100).size() == 0);
}

TEST_CASE("a tile adds up exactly whatever its window, also where counters overflow") {
    constexpr int32_t kWidth = 37, kHeight = 23;
    constexpr int64_t kPixels = kWidth * kHeight;
    std::mt19937 generator(3);
    std::normal_distribution<double> column(20.0, 6.0), row(9.0, 3.0);
    std::uniform_int_distribution<int32_t> quanta(0, (1 << 23) - 1);
    std::vector<Deposit> deposits;
    for (int i = 0; i < 40000; ++i) {
        const auto x = std::clamp(static_cast<int32_t>(column(generator)), 0, kWidth - 1);
        const auto y = std::clamp(static_cast<int32_t>(row(generator)), 0, kHeight - 1);
        deposits.push_back({i % 2, y * kWidth + x, quanta(generator)});
        // One pixel gets more than 32 bits hold, several times over.
        if (i % 8 == 0) deposits.push_back({(i / 8) % 2, 9 * kWidth + 20, (1 << 23) - 1});
    }
    const Maps wanted = expected(deposits, kPixels);
    REQUIRE(wanted.flux[9 * kWidth + 20] > (int64_t{4} << 32));

    for (const int32_t capacity : {0, 1, 100, 400, static_cast<int32_t>(kPixels)}) {
        FakeBlock block(kPixels, capacity);
        const PixelWindow window =
            choose_window(image(0.05f, 0.1f, 0.15f, 0.12f), kWidth, kHeight, capacity);
        CAPTURE(capacity, window.row, window.column, window.rows, window.columns);
        // The second unit finds the memory as the first one did, with another window.
        CHECK((block.traced(deposits, window) == wanted));
        CHECK(block.clear());
        const PixelWindow other = choose_window(ImageMoments{}, kWidth, kHeight, capacity / 2);
        CHECK((block.traced(deposits, other) == wanted));
        CHECK(block.clear());
    }
}
