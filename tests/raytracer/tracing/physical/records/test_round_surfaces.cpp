// SPDX-License-Identifier: MIT
// Annuli, cones and spheres as surfaces of receivers, against projected areas and closed forms of
// the flux in a parallel beam.
#include "tests/raytracer/tracing/physical/records/receiver_beam.h"

#include <cmath>
#include <numbers>

using namespace helioray;
using namespace helioray::test;
using namespace helioray::validation;

namespace {

constexpr int64_t kRaysOnRound = 400'000;
/// Relative tolerance of a band of 0.6 m2: four standard errors of 4,000 bundles.
constexpr double kOfBands = 0.065;
using Side = CylindricalTarget::Side;

/// Mirrors around the origin, or a flat one of 4 m x 4 m 100 m south of it, which sends the sun's
/// light straight to the north.
Scene scene_of(const std::vector<Target>& surfaces, const std::vector<Mirror>& mirrors) {
    const bool is_beam = mirrors.size() == 1;
    Scene scene =
        make_scene(mirrors,
                   {{0, 0, 0}, {0, -1, 0}, 8.0, 8.0},
                   is_beam ? sun_at(0.0, 89.99) : sun_at(20.0, 30.0),
                   is_beam ? SunShape{CollimatedShape{}} : SunShape{PillboxShape{4.65e-3}},
                   is_beam ? ErrorShape{NoError{}} : ErrorShape{GaussianShape{1e-3}});
    // Rays of a bundle share their mirror point, so shares of the beam need more of them.
    scene.config.tracing.rays_per_heliostat = is_beam ? 8 * kRaysOnRound : kRaysOnRound;
    scene.config.bitmap.width = scene.config.bitmap.height = 32;
    use_receiver(scene, surfaces);
    return scene;
}

RunResult trace_beam(const std::vector<Target>& surfaces) {
    return run(scene_of(surfaces, {Mirror{{0, -100, 0}, 4.0, 4.0, FacetShape::flat}}));
}

/// Four standard errors of a lit area.
double round_tolerance(double area) {
    return kBeam * four_errors(area / kBeam, kRaysOnRound);
}

double lost_area(const RunResult& result) {
    return kBeam * total_energy(result).shield_loss / reflected(result);
}

void check_round_balance(const RunResult& result) {
    double on_absorbers = 0.0;
    for (const TargetResult& target : result.targets) {
        const auto [width, height] = surface_extent(target.target);
        double sum = 0.0;
        for (const double flux : target.flux) sum += flux;
        CHECK(sum * width * height / static_cast<double>(target.flux.size()) ==
              Approx(target.power_w).epsilon(1e-9).margin(1e-9));
        if (target.target.use == SurfaceUse::absorber) on_absorbers += target.power_w;
    }
    CHECK(std::abs(imbalance(total_energy(result))) < 1e-12);
    CHECK(on_absorbers == Approx(total_energy(result).target_power).epsilon(1e-9).margin(1e-9));
}

/// Returns the mean flux of each of 8 bands of rows of a map, from the top, relative to the flux of
/// the beam.
std::vector<double> bands(const RunResult& result, const std::string& name) {
    const TargetResult& map = find(result, name);
    std::vector<double> means(8, 0.0);
    for (size_t p = 0; p < map.flux.size(); ++p) means[p / (map.flux.size() / 8)] += map.flux[p];
    for (double& mean : means)
        mean *= 8.0 / static_cast<double>(map.flux.size()) * kBeam / reflected(result);
    return means;
}

AnnularTarget ring(double inner, double outer, double angle = 2.0 * std::numbers::pi) {
    return {{0, 0, 0}, {0, -1, 0}, {0, 0, 1}, outer, inner, angle};
}

/// A cone with its axis along the beam, which meets the radius `near` first.
ConicalTarget along_beam(double near, double far, double length, Side side) {
    return {{0, 0, 0}, {0, -1, 0}, {0, 0, 1}, far, near, length, 2.0 * std::numbers::pi, side};
}

SphericalTarget ball(double radius, Side side = Side::outer) {
    return {{0, 0, 0},
            {0, 0, 1},
            {0, -1, 0},
            radius,
            -std::numbers::pi / 2,
            std::numbers::pi / 2,
            2.0 * std::numbers::pi,
            side};
}

}  // namespace

TEST_CASE("an annulus in an even beam receives its area, and its hole lets light pass") {
    const Target wall = surface("wall", PlanarTarget{{0, 2, 0}, {0, -1, 0}, 8.0, 8.0});
    const RunResult whole = trace_beam({surface("ring", ring(0.75, 1.5)), wall});
    check_round_balance(whole);
    const double area = std::numbers::pi * (2.25 - 0.5625);
    CHECK(std::abs(lit_area(whole, "ring") - area) < round_tolerance(area));
    CHECK(std::abs(lit_area(whole, "wall") - (kBeam - area)) < round_tolerance(area));
    CHECK(total_energy(whole).spillage_loss == 0.0);
    // Rings of equal area have equal light, so the flux is that of the beam everywhere.
    for (const double mean : bands(whole, "ring")) CHECK(mean == Approx(1.0).epsilon(kOfBands));

    // A quarter with its middle at the upper right of an observer who faces it: to the east.
    AnnularTarget quarter = ring(0.0, 1.5, 0.5 * std::numbers::pi);
    quarter.middle = normalized(Vec3{1, 0, 1});
    const RunResult part = trace_beam({surface("ring", quarter), wall});
    check_round_balance(part);
    CHECK(std::abs(lit_area(part, "ring") - std::numbers::pi * 2.25 / 4) <
          round_tolerance(std::numbers::pi * 2.25 / 4));
    // Angles grow clockwise: a triangle before its upper half leaves the right half of the map lit.
    Target triangle =
        surface("triangle", PlanarTarget{{0, -1, 0}, {0, -1, 0}, 8.0, 8.0}, SurfaceUse::shield);
    triangle.outline = {{0, 0}, {4, 4}, {0, 4}};
    const RunResult half = trace_beam({surface("ring", quarter), triangle});
    const TargetResult& map = find(half, "ring");
    double left = 0.0, right = 0.0;
    for (size_t p = 0; p < map.flux.size(); ++p) (p % 32 < 16 ? left : right) += map.flux[p];
    CHECK(right > 0.0);
    CHECK(left < 1e-3 * right);

    // Its back is opaque.
    AnnularTarget turned = ring(0.75, 1.5);
    turned.normal = {0, 1, 0};
    const RunResult back = trace_beam({surface("ring", turned), wall});
    check_round_balance(back);
    CHECK(find(back, "ring").power_w == 0.0);
    CHECK(std::abs(lost_area(back) - area) < round_tolerance(area));
}

TEST_CASE("a cone in an even beam receives its projected area") {
    // Upright, it is a trapezoid seen from the side.
    ConicalTarget upright{
        {0, 0, 0}, {0, 0, 1}, {0, -1, 0}, 1.5, 0.5, 2.0, 2.0 * std::numbers::pi, Side::outer};
    const RunResult side = trace_beam({surface("cone", upright)});
    check_round_balance(side);
    CHECK(std::abs(lit_area(side, "cone") - 4.0) < round_tolerance(4.0));
    CHECK(total_energy(side).shield_loss == 0.0);
    // Lit inside, it shows its back to the beam; its half that is open to the south does not.
    upright.side = Side::inner;
    const RunResult closed = trace_beam({surface("cone", upright)});
    CHECK(find(closed, "cone").power_w == 0.0);
    CHECK(std::abs(lost_area(closed) - 4.0) < round_tolerance(4.0));
    upright.opening_angle = std::numbers::pi;
    upright.normal = {0, 1, 0};
    const RunResult open = trace_beam({surface("cone", upright)});
    check_round_balance(open);
    CHECK(std::abs(lit_area(open, "cone") - 4.0) < round_tolerance(4.0));

    // Along the beam: a tip from outside, and a funnel from inside with a hole.
    const RunResult tip = trace_beam({surface("tip", along_beam(0.0, 1.5, 2.0, Side::outer))});
    check_round_balance(tip);
    CHECK(std::abs(lit_area(tip, "tip") - std::numbers::pi * 2.25) <
          round_tolerance(std::numbers::pi * 2.25));
    const RunResult funnel =
        trace_beam({surface("funnel", along_beam(1.5, 0.5, 2.0, Side::inner))});
    check_round_balance(funnel);
    CHECK(std::abs(lit_area(funnel, "funnel") - 2.0 * std::numbers::pi) <
          round_tolerance(2.0 * std::numbers::pi));
    CHECK(total_energy(funnel).shield_loss == 0.0);
    // The angle of incidence is the same everywhere, and so is the flux.
    const double sine = 1.0 / std::hypot(1.0, 2.0);
    for (const double mean : bands(funnel, "funnel")) CHECK(mean == Approx(sine).epsilon(kOfBands));
    const double steep = 1.5 / std::hypot(1.5, 2.0);
    for (const double mean : bands(tip, "tip")) CHECK(mean == Approx(steep).epsilon(kOfBands));
}

TEST_CASE("a sphere in an even beam receives that of its great circle") {
    const double area = std::numbers::pi * 2.25;
    const RunResult whole = trace_beam({surface("ball", ball(1.5))});
    check_round_balance(whole);
    CHECK(std::abs(lit_area(whole, "ball") - area) < round_tolerance(area));
    CHECK(total_energy(whole).shield_loss == 0.0);

    const RunResult hollow = trace_beam({surface("ball", ball(1.5, Side::inner))});
    CHECK(find(hollow, "ball").power_w == 0.0);
    CHECK(std::abs(lost_area(hollow) - area) < round_tolerance(area));

    // Its northern half is a bowl that is open to the beam.
    SphericalTarget bowl = ball(1.5, Side::inner);
    bowl.normal = {0, 1, 0};
    bowl.opening_angle = std::numbers::pi;
    const RunResult open = trace_beam({surface("bowl", bowl)});
    check_round_balance(open);
    CHECK(std::abs(lit_area(open, "bowl") - area) < round_tolerance(area));
    CHECK(total_energy(open).shield_loss == 0.0);

    // Between two latitudes it is a strip of the disc: with t = sin(latitude), r^2 times the
    // integral of 2 sqrt(1 - t^2).
    SphericalTarget zone = ball(1.5);
    zone.bottom_latitude = -0.2;
    zone.top_latitude = 0.7;
    const auto integral = [](double b) { return b + std::sin(b) * std::cos(b); };
    const double strip = 2.25 * (integral(0.7) - integral(-0.2));
    const RunResult part = trace_beam({surface("zone", zone)});
    check_round_balance(part);
    CHECK(std::abs(lit_area(part, "zone") - strip) < round_tolerance(strip));

    // A cap that faces the beam: the flux falls with the cosine, which is linear in the rows.
    SphericalTarget cap = ball(1.5);
    cap.axis = {0, -1, 0};
    cap.normal = {0, 0, 1};
    cap.bottom_latitude = std::numbers::pi / 6;
    const RunResult facing = trace_beam({surface("cap", cap)});
    check_round_balance(facing);
    CHECK(std::abs(lit_area(facing, "cap") - area * 0.75) < round_tolerance(area * 0.75));
    const std::vector<double> means = bands(facing, "cap");
    for (size_t i = 0; i < means.size(); ++i)
        CHECK(means[i] ==
              Approx(1.0 - 0.5 * (static_cast<double>(i) + 0.5) / 8.0).epsilon(kOfBands));
}

TEST_CASE("the nearest of round surfaces takes the light") {
    // From the south: a ball, a ring around and behind it, and a funnel behind its hole.
    SphericalTarget first = ball(0.5);
    first.center = {0, -3, 0};
    ConicalTarget funnel = along_beam(1.5, 0.0, 2.0, Side::inner);
    funnel.center = {0, 3, 0};
    const std::vector<Target> surfaces{
        surface("ball", first), surface("ring", ring(1.0, 1.75)), surface("funnel", funnel)};
    const double of_ball = 0.25 * std::numbers::pi, of_ring = std::numbers::pi * (3.0625 - 1.0);
    const double of_funnel = std::numbers::pi * (1.0 - 0.25);
    for (const char* aimed : {"ball", "ring", "funnel"}) {
        Scene scene = scene_of(surfaces, {Mirror{{0, -100, 0}, 4.0, 4.0, FacetShape::flat}});
        scene.config.aim.target = aimed;
        const RunResult result = run(scene);
        check_round_balance(result);
        CHECK(std::abs(lit_area(result, "ball") - of_ball) < round_tolerance(of_ball));
        CHECK(std::abs(lit_area(result, "ring") - of_ring) < round_tolerance(of_ring));
        CHECK(std::abs(lit_area(result, "funnel") - of_funnel) < round_tolerance(of_funnel));
        CHECK(total_energy(result).shield_loss == 0.0);
    }
}

TEST_CASE("no ray enters a closed body of round surfaces") {
    // From the bottom: a disc with a hole that a bowl closes, a frustum, and a dome.
    SphericalTarget bowl = ball(1.0);
    bowl.center = {0, 0, -2};
    bowl.top_latitude = 0.0;
    SphericalTarget dome = ball(1.5);
    dome.center = {0, 0, 2};
    dome.bottom_latitude = 0.0;
    AnnularTarget floor{{0, 0, -2}, {0, 0, -1}, {0, 1, 0}, 3.0, 1.0, 2.0 * std::numbers::pi};
    ConicalTarget shell{
        {0, 0, 0}, {0, 0, 1}, {0, -1, 0}, 3.0, 1.5, 4.0, 2.0 * std::numbers::pi, Side::outer};
    // Two sectors share their edges.
    ConicalTarget other = shell;
    shell.opening_angle = 1.25 * std::numbers::pi;
    other.opening_angle = 0.75 * std::numbers::pi;
    other.normal = {0, 1, 0};
    const std::vector<Target> body{surface("shell", shell),
                                   surface("other", other),
                                   surface("dome", dome),
                                   surface("bowl", bowl),
                                   surface("floor", floor)};
    std::vector<Mirror> mirrors;
    for (int i = 0; i < 4; ++i) {
        const double azimuth = 0.3 + 0.5 * std::numbers::pi * i;
        mirrors.push_back(Mirror{{300.0 * std::sin(azimuth), 300.0 * std::cos(azimuth), -60.0},
                                 9.0,
                                 9.0,
                                 FacetShape::flat});
    }
    Scene scene = scene_of(body, mirrors);
    const RunResult result = run(scene);
    check_round_balance(result);
    // Rims reach 0.2 mm over their edges, and few rays see the back of such a lip.
    CHECK(total_energy(result).shield_loss < 1e-4 * total_energy(result).target_power);
    for (const Target& target : body) CHECK(find(result, target.name).power_w > 0.0);
    // Sums do not depend on threads, pixels not on their filter.
    const RunResult three = run(scene, 3);
    scene.config.bitmap.filter = Filter::bilinear;
    const RunResult smooth = run(scene);
    for (size_t t = 0; t < result.targets.size(); ++t) {
        CHECK(result.targets[t].flux == three.targets[t].flux);
        CHECK(result.targets[t].power_w == smooth.targets[t].power_w);
    }
}
