// SPDX-License-Identifier: MIT
// Integer sums: they add up, and do not depend on threads, instruction sets or the order of units.
#include "kernels/core/out_of_memory.h"
#include "kernels/core/scalar.h"
#include "tests/kernels/scene.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

using namespace helioray::kernels;
using helioray::test::Scene;
using helioray::test::Sums;

namespace {

Scene oblique_scene(SamplingKind sampling, FilterKind filter) {
    Scene scene = helioray::test::paraboloid_scene();
    helioray::test::use_flat_bspline(scene, 7);
    scene.heliostats.push_back(scene.heliostats[0]);
    scene.heliostats[1].translation[0] = 40.0f;
    scene.heliostats[1].random_id = 1;
    for (HeliostatRecord& h : scene.heliostats) {
        h.sun_direction[0] = 0.28f;
        h.sun_direction[2] = -0.96f;
    }
    scene.targets[0] = helioray::test::plane(300.0f, 300.0f);
    scene.sun = {AngularShape::Kind::pillbox, 4.65e-3f};
    scene.slope_error = {AngularShape::Kind::gaussian, 50e-3f};
    scene.reflectivity = 0.87f;
    scene.sampling = sampling;
    scene.filter = filter;
    scene.width = 31;
    scene.height = 17;
    scene.plan(4, 1013);  // not a multiple of the bundle
    return scene;
}

}  // namespace

TEST_CASE("stages only lose power and the map holds what is delivered") {
    for (const auto sampling : {SamplingKind::random, SamplingKind::sobol}) {
        for (const auto filter : {FilterKind::box, FilterKind::bilinear}) {
            const Scene scene = oblique_scene(sampling, filter);
            const Sums sums = scene.trace(1, InstructionSet::automatic, true);
            int64_t all = 0;
            for (size_t h = 0; h < 2; ++h) {
                const int64_t* energy = sums.energy.data() + h * kNumEnergySums;
                CHECK(energy[kIncidentSum] < static_cast<int64_t>(Scene::kQuanta) * scene.rays);
                CHECK(energy[kUnshadedSum] <= energy[kIncidentSum]);
                CHECK(energy[kReflectedSum] < energy[kUnshadedSum]);
                CHECK(energy[kUnblockedSum] <= energy[kReflectedSum]);
                CHECK(energy[kDeliveredSum] < energy[kUnblockedSum]);
                CHECK(energy[kDeliveredSum] > 0);
                const auto pixels = static_cast<long>(scene.width) * scene.height;
                const auto begin = sums.heliostat_flux.begin() + static_cast<long>(h) * pixels;
                CHECK(std::accumulate(begin, begin + pixels, int64_t{0}) == energy[kDeliveredSum]);
                all += energy[kDeliveredSum];
            }
            CHECK(std::accumulate(sums.flux.begin(), sums.flux.end(), int64_t{0}) == all);
        }
    }
}

TEST_CASE("every instruction set gives the same sums") {
    for (const auto sampling : {SamplingKind::random, SamplingKind::sobol}) {
        for (const auto filter : {FilterKind::box, FilterKind::bilinear}) {
            const Scene scene = oblique_scene(sampling, filter);
            const Sums portable = scene.trace(1, InstructionSet::portable);
            for (const InstructionSet set : usable_instruction_sets())
                CHECK((scene.trace(1, set) == portable));
        }
    }
}

TEST_CASE("threads, order and splits of units do not change the sums") {
    Scene scene = oblique_scene(SamplingKind::sobol, FilterKind::box);
    const Sums one = scene.trace(1);
    CHECK((scene.trace(2) == one));
    CHECK((scene.trace(5) == one));
    std::reverse(scene.units.begin(), scene.units.end());
    CHECK((scene.trace(1) == one));

    Sums parts = scene.zero_sums();
    for (const WorkUnit& unit : scene.units)
        trace_flux_cpu(scene.view(), &unit, 1, parts.view(), {});
    CHECK((parts == one));
}

TEST_CASE("maps of single heliostats change no other sum, also where units are shared") {
    Scene scene = oblique_scene(SamplingKind::sobol, FilterKind::bilinear);
    // Units of both heliostats, whose squares are those of both together.
    for (WorkUnit& unit : scene.units) unit.num_heliostats = 2;
    scene.units.resize(scene.units.size() / 2);
    const Sums without = scene.trace();
    for (const int threads : {1, 3}) {
        Sums with = scene.trace(threads, InstructionSet::automatic, true);
        const auto pixels = static_cast<size_t>(scene.width * scene.height);
        REQUIRE(with.heliostat_flux.size() == 2 * pixels);
        for (size_t p = 0; p < pixels; ++p)
            REQUIRE(with.heliostat_flux[p] + with.heliostat_flux[pixels + p] == with.flux[p]);
        with.heliostat_flux.clear();
        CHECK((with == without));
    }
    // The squares of units of one heliostat are others.
    scene.plan(4, 1013);
    CHECK(scene.trace().flux == without.flux);
    CHECK(scene.trace().flux_square != without.flux_square);
    // Differences are the same: pairs of blocks have the same rays in units of any size.
    CHECK(scene.trace().flux_difference == without.flux_difference);
}

TEST_CASE(
    "the differences of the halves are those of the blocks, and the other sums do not need "
    "them") {
    for (const auto filter : {FilterKind::box, FilterKind::bilinear}) {
        Scene scene = oblique_scene(SamplingKind::sobol, filter);
        const Sums all = scene.trace();
        // One unit has the square of its difference, from which its size follows.
        for (const WorkUnit& unit : scene.units) {
            Scene single = scene;
            single.units = {unit};
            const Sums sums = single.trace();
            for (size_t p = 0; p < sums.flux.size(); ++p) {
                const int64_t difference = sums.flux_difference[p];
                REQUIRE(std::abs(difference) <= sums.flux[p]);
                REQUIRE((difference + sums.flux[p]) % 2 == 0);
                REQUIRE(sums.flux_square[p] == scaled_square(difference, Scene::kSquareScale));
            }
        }
        for (const int threads : {1, 3}) {
            for (const bool per_heliostat : {false, true}) {
                Sums sums = scene.zero_sums(per_heliostat);
                SumsView view = sums.view();
                view.flux_difference = nullptr;
                CpuOptions options;
                options.num_threads = threads;
                trace_flux_cpu(
                    scene.view(), scene.units.data(), std::ssize(scene.units), view, options);
                CHECK(sums.flux == all.flux);
                CHECK(sums.flux_square == all.flux_square);
                CHECK(sums.energy == all.energy);
                CHECK(sums.power_square == all.power_square);
                CHECK(sums.flux_difference == scene.zero_sums().flux_difference);
            }
        }
    }
}

TEST_CASE("a failure on any thread ends the trace and reaches the caller") {
    const Scene scene = oblique_scene(SamplingKind::sobol, FilterKind::box);
    for (const int threads : {1, 2, 5}) {
        CpuOptions options;
        options.num_threads = threads;
        std::atomic<int> taken{0};
        const std::vector<int32_t> both{0, 1};
        CHECK_THROWS_AS(trace_heliostats_cpu(scene.view(),
                                             scene.units.data(),
                                             4,
                                             both,
                                             options,
                                             [&](const HeliostatSums&) {
                                                 ++taken;
                                                 throw OutOfMemory(3'000'000);
                                             }),
                        OutOfMemory);
        CHECK(taken >= 1);
        CHECK(taken <= threads);
    }
    // A bitmap of more bytes than any machine has; the threads get theirs one after the other.
    Scene large = scene;
    large.width = large.height = 1 << 22;
    Sums sums = scene.zero_sums();
    CpuOptions options;
    options.num_threads = 2;
    CHECK_THROWS_WITH(
        trace_flux_cpu(
            large.view(), large.units.data(), std::ssize(large.units), sums.view(), options),
        ContainsSubstring("140737488.4 MB more were asked for"));
}

TEST_CASE("without squares the other sums stay the same") {
    for (const auto filter : {FilterKind::box, FilterKind::bilinear}) {
        const Scene scene = oblique_scene(SamplingKind::sobol, filter);
        for (const bool per_heliostat : {false, true}) {
            const Sums all = scene.trace(1, InstructionSet::automatic, per_heliostat);
            for (const int threads : {1, 3}) {
                Sums sums = scene.zero_sums(per_heliostat);
                SumsView view = sums.view();
                view.flux_square = view.flux_difference = nullptr;
                CpuOptions options;
                options.num_threads = threads;
                trace_flux_cpu(
                    scene.view(), scene.units.data(), std::ssize(scene.units), view, options);
                CHECK(sums.flux_square == scene.zero_sums().flux_square);
                sums.flux_square = all.flux_square;
                sums.flux_difference = all.flux_difference;
                CHECK((sums == all));
            }
        }
    }
}

TEST_CASE("seeds differ, and so do heliostats") {
    Scene scene = oblique_scene(SamplingKind::sobol, FilterKind::box);
    const Sums first = scene.trace();
    scene.seed = 43;
    CHECK_FALSE((scene.trace() == first));
    scene.seed = 42;
    scene.heliostats[1].random_id = 7;
    CHECK_FALSE((scene.trace() == first));
}

TEST_CASE("a cancelled trace returns early") {
    const Scene scene = oblique_scene(SamplingKind::sobol, FilterKind::box);
    const std::atomic<bool> cancel{true};
    std::atomic<int64_t> rays_done{0};
    Sums sums = scene.zero_sums();
    CpuOptions options;
    options.cancel = &cancel;
    options.rays_done = &rays_done;
    CHECK(trace_flux_cpu(scene.view(),
                         scene.units.data(),
                         static_cast<int64_t>(scene.units.size()),
                         sums.view(),
                         options) == 0);
    CHECK(rays_done == 0);
    CHECK((sums == scene.zero_sums()));
}

TEST_CASE("a trace that is cancelled on its way has traced the first units and no others") {
    Scene scene = oblique_scene(SamplingKind::sobol, FilterKind::box);
    const std::vector<WorkUnit> units = scene.units;
    while (scene.units.size() < 3000)
        scene.units.insert(scene.units.end(), units.begin(), units.end());
    std::atomic<bool> cancel{false};
    std::atomic<int64_t> rays_done{0};
    Sums sums = scene.zero_sums();
    CpuOptions options;
    options.num_threads = 3;
    options.cancel = &cancel;
    options.rays_done = &rays_done;
    int64_t traced = 0;
    {
        const std::jthread tracer([&] {
            traced = trace_flux_cpu(
                scene.view(), scene.units.data(), std::ssize(scene.units), sums.view(), options);
        });
        while (rays_done == 0) std::this_thread::yield();
        cancel = true;
    }
    REQUIRE(traced > 0);
    REQUIRE(traced <= std::ssize(scene.units));
    scene.units.resize(static_cast<size_t>(traced));
    CHECK((scene.trace() == sums));
}
