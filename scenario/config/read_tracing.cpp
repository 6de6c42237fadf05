// SPDX-License-Identifier: MIT
// Reads sections tracing, artist and bitmap.
#include "scenario/config/section.h"

namespace helioray {

namespace {

void read_artist(const Section& artist, ArtistConfig& config) {
    if (const auto points = artist.integers("surface_points_per_facet", 2)) {
        config.surface_points_per_facet = {(*points)[0], (*points)[1]};
    }
    config.rays_per_point = artist.integer("rays_per_point");
    assign(config.batch_size, artist.integer("batch_size"));
    assign(config.magnitude, artist.choice("magnitude", kMagnitudes));
    assign(config.extinction, artist.number("extinction"));
}

}  // namespace

void read_tracing(const Section& root, RunConfig& config) {
    const Section tracing = root.section("tracing");
    TracingConfig& values = config.tracing;
    assign(values.model, tracing.choice("model", kModels));
    assign(values.rays_per_heliostat, tracing.integer("rays_per_heliostat"));
    values.relative_error = tracing.number("relative_error");
    const auto accuracy_of = tracing.choice("relative_error_of", kAccuraciesOf);
    if (accuracy_of && !values.relative_error) {
        tracing.fail("relative_error_of",
                     "is set without tracing.relative_error",
                     "it chooses the number that this share is about",
                     "give tracing.relative_error too, or leave both out");
    }
    assign(values.relative_error_of, accuracy_of);
    assign(values.seed, tracing.natural("seed"));
    assign(values.sampling, tracing.choice("sampling", kSamplings));
    assign(values.shading, tracing.boolean("shading"));
    assign(values.blocking, tracing.boolean("blocking"));
    read_artist(root.section("artist"), config.artist);

    const Section bitmap = root.section("bitmap");
    assign(config.bitmap.width, bitmap.integer("width"));
    assign(config.bitmap.height, bitmap.integer("height"));
    assign(config.bitmap.filter, bitmap.choice("filter", kFilters));
}

}  // namespace helioray
