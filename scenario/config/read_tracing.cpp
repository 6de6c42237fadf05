// SPDX-License-Identifier: MIT
// Sections tracing, artist and bitmap.
#include "scenario/config/read_sections.h"

namespace helioray {

namespace {

constexpr int64_t kMostRays = 1'000'000'000'000'000;
constexpr int64_t kMostPixels = 16384;
constexpr int64_t kMostCount = 1'000'000'000;

void read_artist(const Section& artist, ArtistConfig& config) {
    if (const auto points = artist.integers("surface_points_per_facet", 2, 2, 10000)) {
        config.surface_points_per_facet = {(*points)[0], (*points)[1]};
    }
    if (const auto rays = artist.integer("rays_per_point", 1, kMostCount)) {
        config.rays_per_point = rays;
    }
    assign(config.batch_size, artist.integer("batch_size", 1, kMostCount));
    assign(config.magnitude,
           artist.choice<ArtistConfig::Magnitude>(
               "magnitude",
               {{"unit", ArtistConfig::Magnitude::unit}, {"dni", ArtistConfig::Magnitude::dni}}));
    assign(config.extinction,
           artist.number("extinction", {0.0, 1.0, false, false, "it is a share of every ray"}));
}

}  // namespace

void read_tracing(const Section& root, RunConfig& config) {
    const Section tracing = root.section("tracing");
    TracingConfig& values = config.tracing;
    assign(
        values.model,
        tracing.choice<Model>("model", {{"physical", Model::physical}, {"artist", Model::artist}}));
    assign(values.rays_per_heliostat, tracing.integer("rays_per_heliostat", 1, kMostRays));
    if (const auto share = tracing.number("relative_error",
                                          {0.0, 1.0, true, true, "it is a share of the power"})) {
        values.relative_error = share;
    }
    assign(values.seed, tracing.natural("seed"));
    assign(values.sampling,
           tracing.choice<Sampling>("sampling",
                                    {{"sobol", Sampling::sobol}, {"random", Sampling::random}}));
    assign(values.shading, tracing.boolean("shading"));
    assign(values.blocking, tracing.boolean("blocking"));
    read_artist(root.section("artist"), config.artist);

    const Section bitmap = root.section("bitmap");
    assign(config.bitmap.width, bitmap.integer("width", 1, kMostPixels));
    assign(config.bitmap.height, bitmap.integer("height", 1, kMostPixels));
    assign(config.bitmap.filter,
           bitmap.choice<Filter>("filter", {{"box", Filter::box}, {"bilinear", Filter::bilinear}}));
}

}  // namespace helioray
