// SPDX-License-Identifier: MIT
// A fitted mirror throws the same light as the mirror that was measured.
#include "raytracer/run/make_job.h"
#include "raytracer/solvers/surface_fit/fit_surface.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/types/vector_math.h"
#include "scenario/writer/scenario_writer.h"
#include "tests/raytracer/tracing/kinematics/canted_facet.h"
#include "tests/raytracer/tracing/physical/physical_support.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

using namespace helioray;
using namespace helioray::test;

namespace {

/// Four facets of a mirror of 100 m focal length, canted so that they focus together: each is
/// tilted by its place over twice the focal length.
std::vector<CantedFacet> focusing_mirror() {
    const double focal_length = 100.0;
    std::vector<CantedFacet> facets;
    for (const double n : {0.65, -0.65}) {
        for (const double e : {-0.85, 0.85}) {
            CantedFacet facet;
            facet.ripple = 0.0;
            facet.focal_length = focal_length;
            facet.translation = {e, n, (e * e + n * n) / (4 * focal_length)};
            facet.tilt_e = n / (2 * focal_length);
            facet.tilt_n = -e / (2 * focal_length);
            facets.push_back(facet);
        }
    }
    return facets;
}

TargetResult trace(const Scenario& scenario) {
    RunConfig config = wall_config();
    config.tracing.rays_per_heliostat = 200'000;
    const auto job = make_job(config, scenario);
    return trace_all(*job).targets.at(0);
}

/// Root mean square distance of the light from its centroid, metres.
double spread(const TargetResult& map) {
    const double pixel = surface_extent(map.target)[0] / static_cast<double>(map.width);
    double moment = 0.0, total = 0.0;
    for (int64_t i = 0; i < map.height; ++i) {
        for (int64_t j = 0; j < map.width; ++j) {
            const double flux = map.flux[static_cast<size_t>(i * map.width + j)];
            const double x = pixel * (static_cast<double>(j) - 31.5);
            const double y = pixel * (static_cast<double>(i) - 31.5);
            moment += flux * (x * x + y * y);
            total += flux;
        }
    }
    return std::sqrt(moment / total);
}

}  // namespace

TEST_CASE("surface fit: flux of a fitted canted mirror is that of the mirror in closed form") {
    Scenario scenario = wall_scenario(1, 1.0, 1.0);
    Surface ideal;
    MeasuredSurface measured;
    for (const CantedFacet& part : focusing_mirror()) {
        Facet facet = part.ideal();
        facet.name = "facet_" + std::to_string(ideal.facets.size() + 1);
        facet.shape = FacetShape::paraboloid;
        facet.focal_length = part.focal_length;
        ideal.facets.push_back(facet);
        measured.facets.push_back(part.measure(60));
    }
    scenario.heliostats[0].surface = std::make_shared<const Surface>(ideal);
    const TargetResult expected = trace(scenario);

    SurfaceFitOptions options;
    options.data = GENERATE(FitData::points, FitData::normals, FitData::both);
    scenario.heliostats[0].surface =
        std::make_shared<const Surface>(fit_surface(measured, ideal, options));
    // Through a file, as users have it.
    const TemporaryFolder folder;
    scenario.light_sources = {{"sun", 10, 0.0, GaussianShape{2e-3}}};
    write_scenario(scenario, folder / "fitted.h5");
    const TargetResult fitted = trace(read_scenario(folder / "fitted.h5"));

    // Rays are those of the same numbers; a canting or translation applied twice would shift and
    // widen the image by decimetres.
    CHECK(expected.power_w > 1000.0);
    CHECK(fitted.power_w == Approx(expected.power_w).epsilon(1e-4));
    CHECK(norm(subtract(fitted.centroid_m, expected.centroid_m)) < 1e-3);
    CHECK(spread(fitted) == Approx(spread(expected)).margin(2e-3));
    // Astigmatism at 30 degrees of incidence; flat facets would spread by more than half a metre.
    CHECK(spread(expected) < 0.2);
}
