// SPDX-License-Identifier: MIT
// A field that followed changes is the field that would be made anew: all integer sums, forward and
// backward, after hundreds of random sequences of changes.
#include "app/validation/speed_fields.h"
#include "kernels/core/sums_layout.h"
#include "kernels/host/partition.h"
#include "kernels/trace_flux.h"
#include "raytracer/tracing/physical/prepared_field.h"
#include "raytracer/tracing/physical/traced_field.h"
#include "tests/raytracer/tracing/physical/field_changes.h"
#include "tests/support/catch2.h"

#include <unistd.h>

#include <fstream>
#include <random>
#include <thread>

#ifdef __SANITIZE_ADDRESS__
// Of its runtime; GCC has no header for it.
extern "C" size_t __sanitizer_get_current_allocated_bytes();
#endif

using namespace helioray;
using namespace helioray::physical;
using helioray::test::Changes;

namespace {

std::vector<int64_t> traced(const Field& field, int num_threads) {
    const kernels::SumsLayout layout = field.sums_layout();
    std::vector<int64_t> sums(static_cast<size_t>(layout.total_size()), 0);
    kernels::CpuOptions options;
    options.num_threads = num_threads;
    const auto& units = field.plan().units;
    kernels::trace_flux_cpu(
        field.view(), units.data(), std::ssize(units), layout.view(sums.data()), options);
    sums[static_cast<size_t>(layout.rays_index())] = field.num_rays();
    return sums;
}

/// The sums of ranks that trace every num_ranks-th unit each, added up.
std::vector<int64_t> traced_by_ranks(const Field& field, int64_t num_ranks) {
    const kernels::SumsLayout layout = field.sums_layout();
    std::vector<int64_t> total(static_cast<size_t>(layout.total_size()), 0);
    for (int64_t rank = 0; rank < num_ranks; ++rank) {
        std::vector<kernels::WorkUnit> units;
        for (const int64_t i : partition_in_turn(std::ssize(field.plan().units), rank, num_ranks))
            units.push_back(field.plan().units[static_cast<size_t>(i)]);
        std::vector<int64_t> sums(total.size(), 0);
        kernels::trace_flux_cpu(
            field.view(), units.data(), std::ssize(units), layout.view(sums.data()), {});
        for (size_t i = 0; i < total.size(); ++i) total[i] += sums[i];
    }
    total[static_cast<size_t>(layout.rays_index())] = field.num_rays();
    return total;
}

/// Derivatives of a loss in quanta: by heliostat, then by control point, heliostat by heliostat.
std::vector<int64_t> derivatives(const Field& field, int num_threads) {
    std::vector<float> gradient(static_cast<size_t>(field.sums_layout().flux_size()));
    for (size_t p = 0; p < gradient.size(); ++p)
        gradient[p] = static_cast<float>(p % 17) / 17.0f - 0.4f;
    const validation::BackwardSums backward =
        validation::backward_sums(field, gradient, num_threads);
    std::vector<int64_t> sums = backward.heliostats;
    for (const kernels::HeliostatRecord& record : field.heliostats()) {
        for (int32_t f = 0; f < record.num_facets; ++f) {
            const kernels::FacetRecord& facet =
                field.facets().facets()[static_cast<size_t>(record.first_facet + f)];
            if (facet.kind != kernels::FacetKind::bspline) continue;
            const auto first = backward.floats.begin() + facet.control_points;
            sums.insert(sums.end(),
                        first,
                        first + 3 * facet.num_control_points[0] * facet.num_control_points[1]);
        }
    }
    return sums;
}

struct Counts {
    size_t updates = 0;
    size_t partial = 0;  ///< updates that did not concern everybody
    size_t traced = 0;   ///< heliostats in these
    size_t active = 0;   ///< heliostats that a trace of the whole field would have taken
};

/// One sequence of changes, compared after every update. Returns the first difference, empty if
/// there is none; threads may call it at once, which Catch's own checks do not allow.
std::string follow(unsigned seed, Counts& counts, bool with_receivers = false) {
    std::mt19937 random(seed);
    validation::Scene scene = test::dense_scene(random);
    if (with_receivers) test::add_dense_receiver(scene);
    PreparedField prepared(scene.config, scene.scenario);
    TracedField sums(prepared.field());
    kernels::CpuOptions options;
    sums.follow({true, {}}, options);
    Changes changes(scene, prepared, random);
    for (int update = 0; update < 6; ++update) {
        const size_t before = random() % 3;
        for (size_t i = 0; i <= before; ++i) changes.make_one();
        const int num_threads = 1 + static_cast<int>(random() % 3);
        const FieldUpdate changed = prepared.update(num_threads);
        options.num_threads = num_threads;
        const size_t num_traced = sums.follow(changed, options);
        ++counts.updates;
        if (!changed.everything) {
            ++counts.partial;
            counts.traced += num_traced;
            counts.active += prepared.field().aimed().size();
        }

        const PreparedField anew(scene.config, scene.scenario);
        const std::vector<int64_t> expected = traced(anew.field(), 1);
        const std::pair<const char*, bool> checks[] = {
            {"a trace", traced(prepared.field(), num_threads) == expected},
            {"a trace of three ranks", traced_by_ranks(prepared.field(), 3) == expected},
            {"sums that follow", sums.sums() == expected},
            {"derivatives",
             derivatives(prepared.field(), num_threads) == derivatives(anew.field(), 1)},
            {"the scale", prepared.field().quanta_per_watt() == anew.field().quanta_per_watt()}};
        for (const auto& [what, is_equal] : checks) {
            if (is_equal) continue;
            return fmt::format("{} of seed {} after update {} on {} threads ({})",
                               what,
                               seed,
                               update,
                               num_threads,
                               changed.everything ? "everything" : "a part");
        }
    }
    return "";
}

}  // namespace

TEST_CASE("a field that follows changes equals one made anew") {
    Counts counts;
    for (unsigned seed = 0; seed < 100; ++seed) CHECK(follow(seed, counts) == "");
    CHECK(counts.updates == 600);
    // The comparison says something about parts of a field, and parts are smaller than the whole.
    CHECK(counts.partial > 200);
    CHECK(2 * counts.traced < counts.active);
}

TEST_CASE("a field with a receiver of several surfaces follows changes, too") {
    Counts counts;
    for (unsigned seed = 200; seed < 215; ++seed) CHECK(follow(seed, counts, true) == "");
    CHECK(counts.partial > 20);
}

TEST_CASE("ten thousand updates need no more memory than the first thousand") {
    std::mt19937 random(5);
    validation::Scene scene = test::dense_scene(random);
    PreparedField prepared(scene.config, scene.scenario);
    Changes changes(scene, prepared, random);
    const auto bytes_in_use = [] {
#ifdef __SANITIZE_ADDRESS__
        // It keeps freed memory for a while, which the process's size includes.
        return static_cast<long>(__sanitizer_get_current_allocated_bytes());
#else
        std::ifstream statm("/proc/self/statm");
        long total = 0, resident = 0;
        statm >> total >> resident;
        return resident * sysconf(_SC_PAGESIZE);
#endif
    };
    // Tables for the sun and the angle of incidence, and two B-spline facets on every heliostat.
    constexpr size_t kMostFloats =
        2 * (kernels::kRadialTableSize + 1) + kernels::kIncidenceTableSize + 1 +
        test::kDenseHeliostats * 2 * (4 * 5 * 3 + 2 * (kernels::kSamplingTableSize + 1));
    size_t most_candidates = 0;
    long bytes_before = 0;
    for (int update = 1; update <= 10'000; ++update) {
        changes.make_one();
        prepared.update();
        const Field& field = prepared.field();
        REQUIRE(field.facets().floats().size() <= kMostFloats);
        if (update <= 1000) {
            most_candidates = std::max(most_candidates, field.occlusion().candidates().size());
        } else {
            REQUIRE(field.occlusion().candidates().size() <= 2 * most_candidates);
        }
        if (update == 1000) bytes_before = bytes_in_use();
    }
    CHECK(bytes_in_use() - bytes_before < 4 << 20);
}

TEST_CASE("two fields follow changes on two threads at once") {
    std::vector<Counts> counts(2);
    std::vector<std::string> differences(2);
    {
        std::vector<std::jthread> threads;
        for (unsigned t = 0; t < 2; ++t)
            threads.emplace_back([&, t] { differences[t] = follow(1000 + t, counts[t]); });
    }
    CHECK(differences == std::vector<std::string>{"", ""});
    CHECK(counts[0].updates + counts[1].updates == 12);
}
