// SPDX-License-Identifier: MIT
// The source of the CUDA kernel, run by threads of the CPU: the same sums bit for bit as the CPU's
// own kernel.
#include "tests/kernels/cuda/fake_cuda.h"
#include "tests/kernels/derivatives.h"
#include "tests/kernels/receiver_scenes.h"
#include "tests/support/catch2.h"

using namespace helioray::kernels;
using helioray::test::Derivatives;
using helioray::test::FeatureScene;
using helioray::test::Sums;

namespace {

template <typename Occlusion>
Sums trace_in_blocks(const FeatureScene& f, unsigned blocks, int32_t capacity) {
    Sums sums = f.scene.zero_sums(f.per_heliostat);
    const auto pixels = static_cast<size_t>(f.scene.width) * static_cast<size_t>(f.scene.height);
    std::vector<int64_t> spilled(2 * blocks * pixels);
    const FieldView view = f.view();
    helioray::test::run_blocks(blocks, kThreadsPerBlock, 2 * static_cast<size_t>(capacity), [&] {
        trace_units<Occlusion>(view,
                               f.scene.units.data(),
                               static_cast<int64_t>(f.scene.units.size()),
                               sums.view(),
                               spilled.data(),
                               capacity);
    });
    REQUIRE((spilled == std::vector<int64_t>(spilled.size())));
    return sums;
}

/// A scene as the kernels for receivers take it, with the tables of its surfaces.
class ReceiverView {
  public:
    explicit ReceiverView(const FeatureScene& f)
        : view(f.view()), tables_(std::make_unique<SurfaceTables>(view)) {
        view.surface_tables = tables_.get();
        if (view.reflects == 0) return;
        reflecting_ = std::make_unique<ReflectingTables>(view, tables_->groups());
        view.reflecting_tables = reflecting_.get();
    }

    FieldView view;

  private:
    std::unique_ptr<SurfaceTables> tables_;
    std::unique_ptr<ReflectingTables> reflecting_;
};

}  // namespace

TEST_CASE("the backward CUDA kernel gives the CPU's derivatives with every feature") {
    for (const FeatureScene& f : helioray::test::feature_scenes::all(1, 301, 100)) {
        CAPTURE(f.name);
        const std::vector<float> gradient = helioray::test::wavy_gradient(f);
        const Derivatives wanted = helioray::test::derivatives_on_cpu(f, gradient);
        const FieldView view = f.view();
        Derivatives found(f);
        helioray::test::run_blocks(2, kThreadsPerBlock, 0, [&] {
            const auto kernel =
                f.occlusion ? backward_units<WarpOcclusion> : backward_units<NothingInTheWay>;
            kernel(view,
                   f.scene.units.data(),
                   static_cast<int64_t>(f.scene.units.size()),
                   gradient.data(),
                   found.scale,
                   found.sums());
        });
        CHECK(helioray::test::largest_difference(wanted, found) < 1e-6);
        CHECK(std::abs(wanted.heliostats[kTranslationGradient]) > 0);
    }
}

TEST_CASE("the backward CUDA kernel gives the CPU's derivatives on receivers of several surfaces") {
    for (const FeatureScene& f : helioray::test::receiver_scenes::all(1, 301)) {
        if (!helioray::test::has_derivatives(f)) continue;
        CAPTURE(f.name);
        const std::vector<float> gradient = helioray::test::wavy_gradient(f);
        const std::vector<float> maps = helioray::test::surface_gradient(f, gradient);
        const Derivatives wanted = helioray::test::derivatives_on_cpu(f, gradient);
        const ReceiverView scene(f);
        const FieldView& view = scene.view;
        Derivatives found(f);
        helioray::test::run_blocks(2, kThreadsPerBlock, sizeof(SurfaceViews) / 4, [&] {
            receiver_backward_kernel(view)(view,
                                           f.scene.units.data(),
                                           std::ssize(f.scene.units),
                                           maps.data(),
                                           found.scale,
                                           found.sums());
        });
        CHECK(helioray::test::largest_difference(wanted, found) < 1e-6);
        CHECK(std::abs(wanted.heliostats[kTranslationGradient]) > 0);
    }
}

TEST_CASE("the CUDA kernel gives the CPU's sums with every feature") {
    // Not a multiple of the bundle; batches of several sizes, the last one partial.
    for (const FeatureScene& f : helioray::test::feature_scenes::all(1, 1501, 200)) {
        CAPTURE(f.name);
        const Sums wanted = f.trace_on_cpu();
        const int64_t* energy = wanted.energy.data();
        REQUIRE(energy[kDeliveredSum] > 0);
        if (f.occlusion) {
            REQUIRE(energy[kUnshadedSum] < energy[kIncidentSum]);
            REQUIRE(energy[kUnblockedSum] < energy[kReflectedSum]);
        }
        const Sums sums = f.occlusion ? trace_in_blocks<WarpOcclusion>(f, 2, 700)
                                      : trace_in_blocks<NothingInTheWay>(f, 2, 700);
        CHECK((sums.energy == wanted.energy));
        CHECK((sums == wanted));
    }
}

TEST_CASE("the CUDA kernel gives the CPU's sums on receivers of several surfaces") {
    for (const FeatureScene& f : helioray::test::receiver_scenes::all(1, 1501)) {
        CAPTURE(f.name);
        const Sums wanted = f.trace_on_cpu();
        REQUIRE(wanted.energy[kDeliveredSum] > 0);
        REQUIRE(wanted.shielded[0] > 0);
        if (f.scene.reflects) REQUIRE(wanted.reflected[kEscapedSum] > 0);
        const ReceiverView scene(f);
        const FieldView& view = scene.view;
        Sums sums = f.scene.zero_sums(f.per_heliostat);
        constexpr unsigned kBlocks = 2;
        std::vector<int64_t> spilled(kBlocks * 2 * sums.flux.size());
        std::vector<BatchCarriers> carriers(kBlocks);
        const auto trace = [&](const auto& kernel, const auto&... more) {
            const size_t words = f.scene.reflects ? sizeof(ReflectionMemory) / 4 : 0;
            helioray::test::run_blocks(kBlocks, kThreadsPerBlock, words, [&] {
                kernel(view,
                       f.scene.units.data(),
                       std::ssize(f.scene.units),
                       sums.view(),
                       spilled.data(),
                       more...);
            });
        };
        if (f.scene.reflects) {
            trace(reflecting_kernel(view), carriers.data());
        } else {
            trace(receiver_kernel(view));
        }
        CHECK((sums.energy == wanted.energy));
        CHECK((sums.shielded == wanted.shielded));
        CHECK((sums.reflected == wanted.reflected));
        CHECK((sums.surface_square == wanted.surface_square));
        CHECK((sums == wanted));
        CHECK((spilled == std::vector<int64_t>(spilled.size())));
    }
}

TEST_CASE("units of several heliostats give the CPU's maps of single ones") {
    FeatureScene f = helioray::test::feature_scenes::plain();
    f.per_heliostat = true;
    f.scene.plan(3, 400);
    f.scene.units.resize(3);
    for (WorkUnit& unit : f.scene.units) unit.num_heliostats = 2;
    const Sums wanted = f.trace_on_cpu();
    REQUIRE(wanted.heliostat_flux.size() == 2 * wanted.flux.size());
    for (const int32_t capacity : {1, 300})
        CHECK((trace_in_blocks<NothingInTheWay>(f, 2, capacity) == wanted));
}

TEST_CASE("windows and blocks of any number give the same sums") {
    FeatureScene f = helioray::test::feature_scenes::plain();
    f.scene.plan(3, 4000);
    const Sums wanted = f.trace_on_cpu();
    for (const int32_t capacity : {0, 1, 300, f.scene.width * f.scene.height})
        CHECK((trace_in_blocks<NothingInTheWay>(f, 1, capacity) == wanted));
    CHECK((trace_in_blocks<NothingInTheWay>(f, 5, 300) == wanted));
    // Fewer rays than a bundle, and than warps.
    f.scene.plan(2, 7);
    CHECK((trace_in_blocks<NothingInTheWay>(f, 1, 300) == f.trace_on_cpu()));
    f.scene.plan(2, 100);
    CHECK((trace_in_blocks<NothingInTheWay>(f, 1, 300) == f.trace_on_cpu()));
}
