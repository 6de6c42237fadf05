// SPDX-License-Identifier: MIT
// Compares a computed flux map with the image that a camera took of the target.
#pragma once

#include "raytracer/tracing/job/result.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace helioray {

/// Brightness of pixels in rows from the top, as a fraction (0 to 1) of the largest value of the
/// camera. For pictures of 16 bits that is the largest value of 10, 12, 14 or 16 bits, whichever is
/// the first to hold all pixels.
struct GreyImage {
    int64_t width = 0;           ///< Number of columns, pixels.
    int64_t height = 0;          ///< Number of rows, pixels.
    std::vector<double> values;  ///< Brightness [height * width].
};

/// Handling of a picture without light: an error or allowed.
enum class BlackPicture { refuse, allow };

/// Reads a PNG of up to 16 bits per channel at full precision; red, green and blue must be equal.
/// Throws InputError for files that are not PNG, colours, transparency, and pictures that are black
/// throughout unless these are allowed.
GreyImage read_grey_png(const std::filesystem::path& path,
                        BlackPicture black = BlackPicture::refuse);

/// Centre and width of the light on a target, in metres from the target's centre; x is to the right
/// and y up as seen by an observer facing the target.
struct FluxMoments {
    double x = 0.0;        ///< Flux-weighted mean, along the unrolled surface.
    double y = 0.0;        ///< Flux-weighted mean.
    double width_x = 0.0;  ///< Flux-weighted standard deviation of pixel centres about x.
    double width_y = 0.0;  ///< Flux-weighted standard deviation of pixel centres about y.
    Vec3 centroid{};       ///< Flux-weighted mean in space, m, ENU; off a curved surface.
};

/// Computes the moments of a map [height * width], row 0 at the top, that tiles the target; its sum
/// must be above 0.
FluxMoments flux_moments(const Target& target,
                         const std::vector<double>& map,
                         int64_t width,
                         int64_t height);

/// Resamples a map to `width` x `height` pixels of the same area. The value of every pixel is
/// distributed over the new pixels in proportion to the overlapping area, so that the total is
/// preserved.
std::vector<double> resample(const GreyImage& image, int64_t width, int64_t height);

/// Comparison of a computed map with a measured one. Differences are computed minus measured; both
/// maps are scaled to the same total because grey values have no unit.
struct MapComparison {
    FluxMoments computed;      ///< Moments of the computed map.
    FluxMoments measured;      ///< Moments of the image on the same target.
    double correlation = 0.0;  ///< Pearson correlation over the pixels of the computed map.
    double overlap = 0.0;      ///< Fraction of the light that both maps have in the same place.
    /// Root mean square of the difference, relative to the measured map's peak.
    double rmse = 0.0;
    double computed_at_edge = 0.0;  ///< Largest flux along the target's edge, relative to the peak.
    /// Same ratio for the image. If it is not small, the centroid is that of a part of the light.
    double measured_at_edge = 0.0;
    /// Correlation after shifting the measured map to the computed centroid.
    double aligned_correlation = 0.0;

    double offset_x() const { return computed.x - measured.x; }  ///< Offset to the right, m.
    double offset_y() const { return computed.y - measured.y; }  ///< Offset up, m.
};

/// Compares with an image that shows the whole target as seen by an observer facing it. Throws
/// InputError if no flux was computed on the target.
MapComparison compare_with_image(const TargetResult& computed, const GreyImage& measured);

}  // namespace helioray
