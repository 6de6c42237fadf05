// SPDX-License-Identifier: MIT
// The entry itself: splits of the rows, order, callbacks, refusals.
#include "scenario/files/error.h"
#include "tests/raytracer/artist/artist_measures.h"
#include "tests/raytracer/artist/artist_support.h"

#include <ATen/Parallel.h>

using namespace helioray;
using namespace helioray::test;

namespace {

Surface flat_surface() {
    Surface surface;
    for (int k = 0; k < 4; ++k) {
        Facet facet;
        facet.name = std::string("facet_").append(std::to_string(k + 1));
        facet.num_control_points = {4, 4};
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) {
                facet.control_points.insert(facet.control_points.end(),
                                            {-0.8 + 1.6 * i / 3, -0.6 + 1.2 * j / 3, 0.0});
            }
        }
        facet.translation = {k % 2 == 0 ? -0.81 : 0.81, k < 2 ? 0.61 : -0.61, 0.04};
        facet.canting_e = {0.8, 0, 0};
        facet.canting_n = {0, 0.6, 0};
        surface.facets.push_back(facet);
    }
    return surface;
}

// Two rows of heliostats north of a tower, some linear, some ideal; a few stand in each other's
// way.
Scenario small_field() {
    Scenario scenario;
    scenario.targets.push_back({"plane", PlanarTarget{{0, 0, 10}, {0, 1, 0}, 6, 6}});
    CylindricalTarget cylinder;
    cylinder.center = {0, 0, 20};
    cylinder.radius = 4;
    cylinder.height = 6;
    cylinder.opening_angle = 1.2;
    scenario.targets.push_back({"receiver", cylinder});
    scenario.light_sources.push_back({"sun", 3, 0.0, GaussianShape{0.002}});
    const auto surface = std::make_shared<const Surface>(flat_surface());
    const auto kinematics = std::make_shared<const Kinematics>();
    ActuatorPair linear, ideal;
    for (size_t axis = 0; axis < 2; ++axis) {
        linear[axis] = {"axis",
                        ActuatorType::linear,
                        axis == 1,
                        0,
                        80000,
                        154166.67,
                        0.0775,
                        0.338,
                        0.32,
                        axis == 0 ? 0.0 : 0.94};
        ideal[axis].min_motor_position = -3.2;
        ideal[axis].max_motor_position = 3.2;
    }
    const auto linear_pair = std::make_shared<const ActuatorPair>(linear);
    const auto ideal_pair = std::make_shared<const ActuatorPair>(ideal);
    for (int k = 0; k < 7; ++k) {
        Heliostat heliostat;
        heliostat.name = std::string("H").append(std::to_string(k));
        heliostat.position = {-3.0 + 1.3 * k, 30.0 + 3.0 * (k % 3), 1.5};
        heliostat.surface = surface;
        heliostat.kinematics = kinematics;
        heliostat.actuators = k % 3 == 1 ? ideal_pair : linear_pair;
        scenario.heliostats.push_back(heliostat);
    }
    return scenario;
}

ArtistRun small_run(const Scenario& scenario) {
    ArtistRun run;
    for (size_t h = 0; h < scenario.heliostats.size(); ++h) {
        run.samples.push_back({h, h % 2, {0, 0.8, -0.6}, std::nullopt, std::nullopt});
    }
    run.surface_points_per_facet = {9, 9};
    run.bitmap_width = 20;
    run.bitmap_height = 16;
    run.batch_size = 2;
    return run;
}

std::string complaint(const Scenario& scenario, const ArtistRun& run) {
    try {
        trace_artist(scenario, run);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("artist rows: every split gives the same integers, with blocking too") {
    const Scenario scenario = small_field();
    ArtistRun run = small_run(scenario);
    const ArtistResult whole = trace_artist(scenario, run);
    REQUIRE(whole.sums.sum().item<int64_t>() > 0);
    int64_t blocked = 0;
    for (const ArtistRow& row : whole.rows) blocked += row.rays - row.rays_unblocked;
    REQUIRE(blocked > 0);

    for (const std::vector<int64_t>& cuts : {std::vector<int64_t>{0, 3, 7}, {0, 1, 2, 5, 5, 7}}) {
        at::Tensor sums = whole.sums.new_zeros(whole.sums.sizes());
        int64_t rays = 0;
        for (size_t k = 0; k + 1 < cuts.size(); ++k) {
            run.rows = ArtistRows{cuts[k], cuts[k + 1]};
            const ArtistResult part = trace_artist(scenario, run);
            CHECK(part.scale == whole.scale);
            sums.add_(part.sums);
            rays += part.rays;
            for (int64_t row = 0; row < 7; ++row) {
                const ArtistRow& mine = part.rows[static_cast<size_t>(row)];
                const ArtistRow& reference = whole.rows[static_cast<size_t>(row)];
                const bool inside = cuts[k] <= row && row < cuts[k + 1];
                CHECK(mine.bitmap_sum == (inside ? reference.bitmap_sum : 0));
                CHECK(mine.rays_unblocked == (inside ? reference.rays_unblocked : 0));
                CHECK(mine.motor_positions == reference.motor_positions);
            }
        }
        CHECK(at::equal(sums, whole.sums));
        CHECK(rays == whole.rays);
    }
}

TEST_CASE("artist rows: order follows groups, batches cover them") {
    const Scenario scenario = small_field();
    ArtistRun run = small_run(scenario);
    run.samples.push_back({1, 0, {0, 1, 0}, std::nullopt, std::nullopt});
    std::swap(run.samples[0], run.samples[6]);
    // Linear heliostats come first, because the first heliostat is one.
    const std::vector<size_t> order{6, 2, 3, 5, 0, 1, 7, 4};
    CHECK(artist_row_order(scenario, run) == order);
    const std::vector<ArtistRows> batches{{0, 2}, {2, 4}, {4, 5}, {5, 7}, {7, 8}};
    CHECK((artist_batches(scenario, run) == batches));
}

TEST_CASE("artist rows: targets hold their rows' sums, rays end where they aim") {
    const Scenario scenario = small_field();
    ArtistRun run = small_run(scenario);
    run.blocking = false;
    at::Tensor by_target[2];
    run.on_row = [&](int64_t, const ArtistRow& row, const at::Tensor& bitmap) {
        at::Tensor& sum = by_target[run.samples[row.sample].target];
        sum = sum.defined() ? sum.add(bitmap) : bitmap;
        CHECK(bitmap.sum().item<int64_t>() == row.bitmap_sum);
    };
    const ArtistResult result = trace_artist(scenario, run);
    CHECK(result.rays == 7 * 4 * 81 * 3);
    for (int64_t t = 0; t < 2; ++t) CHECK(at::equal(result.sums.select(0, t), by_target[t]));
    const at::Tensor bitmaps = artist_bitmaps(result);
    for (const ArtistRow& row : result.rows) CHECK(row.rays_on_target == row.rays);
    const at::Tensor centre = artist::centre_of_mass(bitmaps);
    CHECK(centre.select(0, 0).select(0, 0).item<double>() == Approx(9.5).margin(0.5));
    CHECK(centre.select(0, 0).select(0, 1).item<double>() == Approx(7.5).margin(0.5));
}

TEST_CASE("artist rows: motor positions instead of aim points give the same bitmap") {
    const Scenario scenario = small_field();
    ArtistRun run = small_run(scenario);
    const ArtistResult aimed = trace_artist(scenario, run);
    for (const ArtistRow& row : aimed.rows)
        run.samples[row.sample].motor_positions = row.motor_positions;
    const ArtistResult driven = trace_artist(scenario, run);
    CHECK(at::equal(aimed.sums, driven.sums));
    // One driven heliostat does not disturb the others.
    run.samples[2].motor_positions = std::array<double, 2>{40000, 40000};
    const ArtistResult moved = trace_artist(scenario, run);
    CHECK_FALSE(at::equal(aimed.sums, moved.sums));
    CHECK(moved.rows[0].motor_positions == aimed.rows[0].motor_positions);
}

TEST_CASE("artist rows: the number of threads does not change the integers") {
    const Scenario scenario = small_field();
    ArtistRun run = small_run(scenario);
    run.surface_points_per_facet = {29, 29};
    run.rays_per_point = 50;  // several chunks per row
    const int before = at::get_num_threads();
    at::set_num_threads(1);
    const ArtistResult alone = trace_artist(scenario, run);
    at::set_num_threads(3);
    const ArtistResult together = trace_artist(scenario, run);
    at::set_num_threads(before);
    CHECK(at::equal(alone.sums, together.sums));
    for (size_t k = 0; k < alone.rows.size(); ++k) {
        CHECK(alone.rows[k].rays == 4 * 841 * 50);
        CHECK(alone.rows[k].rays_unblocked == together.rows[k].rays_unblocked);
    }
}

TEST_CASE("artist rows: seeds and irradiance") {
    const Scenario scenario = small_field();
    ArtistRun run = small_run(scenario);
    run.blocking = false;
    const ArtistResult seven = trace_artist(scenario, run);
    run.seed = 8;
    CHECK_FALSE(at::equal(seven.sums, trace_artist(scenario, run).sums));
    run.seed = 7;
    run.dni = 900.0;
    const ArtistResult watts = trace_artist(scenario, run);
    const double area = (4 * 0.8 + 0.02) * (4 * 0.6 + 0.02);
    const at::Tensor expected = artist_bitmaps(seven).mul(900.0 * area / (4 * 81 * 3));
    CHECK(max_difference(artist_bitmaps(watts), expected) < 1e-4);
}

TEST_CASE("artist rows: progress can stop the trace") {
    const Scenario scenario = small_field();
    ArtistRun run = small_run(scenario);
    run.on_progress = [](int64_t done, int64_t total) {
        CHECK(total == 7);
        return done < 3;
    };
    const ArtistResult result = trace_artist(scenario, run);
    CHECK_FALSE(result.complete);
    CHECK(result.rays == 3 * 4 * 81 * 3);
}

TEST_CASE("artist rows: what ARTIST cannot trace is refused with all problems") {
    const Scenario scenario = small_field();
    const ArtistRun run = small_run(scenario);
    SECTION("repeated heliostats under blocking") {
        ArtistRun twice = run;
        twice.samples.push_back(run.samples.front());
        CHECK_THAT(complaint(scenario, twice), ContainsSubstring("active more than once"));
        twice.blocking = false;
        CHECK(complaint(scenario, twice).empty());
    }
    SECTION("grids that are not square under blocking") {
        ArtistRun oblong = run;
        oblong.surface_points_per_facet = {9, 8};
        CHECK_THAT(complaint(scenario, oblong), ContainsSubstring("P33"));
        oblong.blocking = false;
        CHECK(complaint(scenario, oblong).empty());
    }
    SECTION("kinematics, sun and cylinder together") {
        Scenario other = scenario;
        Kinematics tracker;
        tracker.type = KinematicsType::azimuth_elevation;
        other.heliostats[4].kinematics = std::make_shared<const Kinematics>(tracker);
        other.light_sources[0].shape = PillboxShape{0.00465};
        std::get<CylindricalTarget>(other.targets[1].geometry).side =
            CylindricalTarget::Side::inner;
        const std::string text = complaint(other, run);
        CHECK_THAT(text, ContainsSubstring("heliostats/H4/kinematics"));
        CHECK_THAT(text, ContainsSubstring("lightsources/sun"));
        CHECK_THAT(text, ContainsSubstring("receiver"));
        ArtistRun gaussian = run;
        gaussian.sun_shape = GaussianShape{0.001};
        CHECK(complaint(scenario, gaussian).empty());
    }
    SECTION("facets without control points, unequal facets") {
        Scenario other = scenario;
        Surface shaped = *scenario.heliostats[0].surface;
        shaped.facets[1].shape = FacetShape::flat;
        other.heliostats[2].surface = std::make_shared<const Surface>(shaped);
        Surface fewer = *scenario.heliostats[0].surface;
        fewer.facets.pop_back();
        other.heliostats[3].surface = std::make_shared<const Surface>(fewer);
        const std::string text = complaint(other, run);
        CHECK_THAT(text, ContainsSubstring("facet_2 has no control points"));
        CHECK_THAT(text, ContainsSubstring("heliostats/H3/surface"));
    }
    SECTION("indices and sizes") {
        ArtistRun wrong = run;
        wrong.samples[0].target = 2;
        CHECK_THROWS_AS(trace_artist(scenario, wrong), std::invalid_argument);
        wrong = run;
        wrong.samples[0].incident_direction = {0, 2, 0};
        CHECK_THROWS_AS(trace_artist(scenario, wrong), std::invalid_argument);
        wrong = run;
        wrong.rows = ArtistRows{3, 8};
        CHECK_THROWS_AS(trace_artist(scenario, wrong), std::invalid_argument);
    }
}
