// SPDX-License-Identifier: MIT
// Rays of a stored run, traced again.
#include "raytracer/run/result_paths.h"
#include "raytracer/run/session.h"
#include "raytracer/run/trace.h"
#include "raytracer/tracing/geometry/frames.h"
#include "scenario/files/error.h"
#include "tests/raytracer/run/small_run.h"
#include "tests/support/catch2.h"

#include <array>
#include <cmath>

using namespace helioray;
using namespace helioray::test;

namespace {

/// A run in which light is shaded, blocked and spilled: a wall before a mirror, a narrow aperture.
RunResult run_with_losses(const std::vector<std::string>& overrides = {}) {
    std::vector<std::string> all{
        "tracing.shading=true",
        "optics.slope_error_mrad=4",
        "optics.reflectivity=0.9",
        "optics.attenuation={model: mirval}",
        "obstacles=[{type: box, center: [-22, 22, 3], size_m: [2, 0.5, 6]}, "
        "{type: cylinder, base: [0, 0, 0], radius_m: 4, height_m: 30}]"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    run::Session session([&] { return run::prepare(small_config(all)); }, alone());
    RunResult result = run::trace(session).value();
    session.close();
    return result;
}

}  // namespace

TEST_CASE("powers of traced paths agree with the energy terms") {
    const RunResult result = run_with_losses();
    const EnergyTerms total = total_energy(result);
    constexpr std::int64_t kPaths = 6000;
    const std::vector<TracedPath> paths = run::trace_paths(result, kPaths);
    REQUIRE(paths.size() == kPaths);
    const std::array<double, 4> terms{
        total.shading_loss, total.blocking_loss, total.spillage_loss, total.target_power};
    std::array<double, 4> sums{};
    std::array<double, 4> squares{};
    for (const TracedPath& path : paths) {
        sums[static_cast<size_t>(path.end)] += path.power_w;
        squares[static_cast<size_t>(path.end)] += path.power_w * path.power_w;
    }
    for (size_t i = 0; i < terms.size(); ++i) {
        INFO(ray_end_info(static_cast<kernels::RayEnd>(i)).name);
        CHECK(terms[i] > 0.0);
        // A sum of independent terms, each of them 0 unless the ray has this end.
        CHECK(std::abs(sums[i] - terms[i]) < 4.0 * std::sqrt(squares[i]) + 1e-6 * terms[i]);
    }
}

namespace {

/// Compares the energy of paths with that of the run, by their ends.
void check_ends(const std::vector<TracedPath>& paths,
                const std::vector<std::pair<kernels::RayEnd, double>>& terms) {
    for (const auto& [end, term] : terms) {
        double sum = 0.0;
        double square = 0.0;
        for (const TracedPath& path : paths) {
            if (path.end != end) continue;
            sum += path.power_w;
            square += path.power_w * path.power_w;
        }
        INFO(ray_end_info(end).name);
        CHECK(term > 0.0);
        CHECK(std::abs(sum - term) < 4.0 * std::sqrt(square) + 1e-3 * term);
    }
}

size_t most_reflections(const std::vector<TracedPath>& paths) {
    size_t reflections = 0;
    for (const TracedPath& path : paths)
        reflections = std::max(reflections, path.reflections.size());
    return reflections;
}

}  // namespace

TEST_CASE("paths in a cavity go on after reflections, with the energy of each end") {
    const RunResult result = run_with_losses(
        {"receivers={den: {type: cavity, center_m: [0, -3, 52], panels: 6, radius_m: 4, "
         "height_m: 6, lip_top_m: 1, lip_bottom_m: 0.5, absorptance: 0.5, specular_fraction: 0.3, "
         "bounces: 2}}",
         "aim.target=den",
         "tracing.rays_per_heliostat=200000"});
    const EnergyTerms total = total_energy(result);
    const std::vector<TracedPath> paths = run::trace_paths(result, 20000);
    CHECK(most_reflections(paths) == 2);
    for (const TracedPath& path : paths)
        if (path.end == kernels::RayEnd::bounce_limit) CHECK(path.reflections.size() == 2);
    check_ends(paths,
               {{kernels::RayEnd::delivered, total.target_power},
                {kernels::RayEnd::escaped, total.escape_loss},
                {kernels::RayEnd::reflected_shield, total.reflected_shield_loss},
                {kernels::RayEnd::bounce_limit, total.bounce_limit_loss}});
}

TEST_CASE("paths by a secondary mirror end where it absorbs them") {
    const RunResult result = run_with_losses(
        {"receivers={down: {type: beam_down, center_m: [0, -3, 52], foci_distance_m: 45, "
         "vertex_distance_m: 9, radius_m: 12, half_angle_deg: 25, exit_radius_m: 1, length_m: 3, "
         "reflectivity: 0.7, absorptance: 0.8, bounces: 5}}",
         "aim.target=down",
         "tracing.rays_per_heliostat=200000"});
    const EnergyTerms total = total_energy(result);
    const std::vector<TracedPath> paths = run::trace_paths(result, 20000);
    CHECK(most_reflections(paths) > 1);
    check_ends(paths,
               {{kernels::RayEnd::delivered, total.target_power},
                {kernels::RayEnd::escaped, total.escape_loss},
                {kernels::RayEnd::secondary, total.secondary_loss}});
}

TEST_CASE("all paths of a run have its energy") {
    const RunResult result = run_with_losses({"tracing.rays_per_heliostat=1000"});
    const std::vector<TracedPath> paths = run::trace_paths(result, 1'000'000'000);
    CHECK(std::ssize(paths) == result.provenance.rays);
    double delivered = 0.0;
    for (const TracedPath& path : paths)
        if (path.end == kernels::RayEnd::delivered) delivered += path.power_w;
    CHECK(delivered == Approx(total_energy(result).target_power).epsilon(1e-9));
}

TEST_CASE("delivered rays end on the surface of their target, all rays at their mirrors") {
    const RunResult result = run_with_losses();
    const std::vector<TracedPath> paths = run::trace_paths(result, 2000);
    for (const TracedPath& path : paths) {
        const HeliostatResult& heliostat = result.heliostats[path.heliostat];
        const auto& pose = heliostat.orientation;
        const Vec3 origin{pose[3], pose[7], pose[11]};
        CHECK(norm(subtract(path.mirror, origin)) < 2.5);
        CHECK(norm(path.to_sun) == Approx(1.0));
        CHECK(dot(path.to_sun, result.provenance.sun_direction) > 0.999);
        const Target& target = find_target(result, heliostat.target)->target;
        const TargetFrame frame = target_frame(target);
        const Vec3 end = frame.point_to_frame(path.end_point);
        const auto extent = surface_extent(target);
        const bool on_surface = std::abs(end[2]) < 1e-3 && std::abs(end[0]) < 0.5 * extent[0] &&
                                std::abs(end[1]) < 0.5 * extent[1];
        CHECK(on_surface == (path.end == kernels::RayEnd::delivered));
        // Light that is shaded ends on its way to the mirror.
        if (path.end == kernels::RayEnd::shaded) {
            const Vec3 way = subtract(path.end_point, path.mirror);
            CHECK(dot(way, path.to_sun) == Approx(norm(way)));
        }
    }
}

TEST_CASE("scenarios that are gone or changed and model artist are refused") {
    RunResult result = run_with_losses({"tracing.rays_per_heliostat=1000"});
    RunResult changed = result;
    changed.provenance.scenario_sha256[0] ^= 1;
    CHECK_THROWS_WITH(run::trace_paths(changed, 10), ContainsSubstring("has changed since"));
    RunResult gone = result;
    gone.provenance.scenario_file = "no/such.h5";
    CHECK_THROWS_WITH(run::trace_paths(gone, 10), ContainsSubstring("not there any more"));
    RunResult turned = result;
    turned.heliostats[0].orientation[0] += 0.01;
    CHECK_THROWS_WITH(run::trace_paths(turned, 10), ContainsSubstring("another pose"));
    RunResult artist = result;
    artist.provenance.config += "\n# artist\n";
    const size_t at = artist.provenance.config.find("tracing:");
    REQUIRE(at != std::string::npos);
    const size_t brace = artist.provenance.config.find_first_of("{\n", at);
    artist.provenance.config.insert(
        brace + 1,
        artist.provenance.config[brace] == '{' ? "model: artist, " : "  model: artist\n");
    CHECK_THROWS_AS(run::trace_paths(artist, 10), InputError);
}
