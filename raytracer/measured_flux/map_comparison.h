// SPDX-License-Identifier: MIT
// A computed flux map beside the image that a camera took of the target.
#pragma once

#include "raytracer/job/result.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace helioray {

/// Brightness of pixels in rows from the top, 0 to 1: a share of the largest value that the camera
/// has. In pictures of 16 bits that is the largest one of 10, 12, 14 or 16 bits, whichever is the
/// first to hold all pixels.
struct GreyImage {
    int64_t width = 0;           ///< pixels
    int64_t height = 0;          ///< pixels
    std::vector<double> values;  ///< [height * width]
};

/// Whether a picture without light is an error.
enum class BlackPicture { refuse, allow };

/// Reads a PNG of up to 16 bits per channel, all of which count; red, green and blue are equal.
/// Throws InputError for files that are not PNG, colours, transparency, and pictures that are black
/// throughout unless these are allowed.
GreyImage read_grey_png(const std::filesystem::path& path,
                        BlackPicture black = BlackPicture::refuse);

/// Where light falls on a target and how wide: metres from the target's centre, x to the right and
/// y up as an observer facing it sees it.
struct FluxMoments {
    double x = 0.0;        ///< flux-weighted mean, along the unrolled surface
    double y = 0.0;        ///< flux-weighted mean
    double width_x = 0.0;  ///< standard deviation of pixel centres about x, weighted with flux
    double width_y = 0.0;  ///< standard deviation of pixel centres about y, weighted with flux
    Vec3 centroid{};       ///< metres, ENU; flux-weighted mean in space, off a curved surface
};

/// Moments of a map [height * width], row 0 at the top, that tiles the target; its sum is above 0.
FluxMoments flux_moments(const Target& target,
                         const std::vector<double>& map,
                         int64_t width,
                         int64_t height);

/// The map over `width` x `height` pixels of the same area; every pixel gives its sum to those it
/// lies in by their shares of its area, so that the total stays.
std::vector<double> resample(const GreyImage& image, int64_t width, int64_t height);

/// Differences are computed minus measured; both maps are scaled to the same total, as grey values
/// have no unit.
struct MapComparison {
    FluxMoments computed;      ///< of the computed map
    FluxMoments measured;      ///< of the image on the same target
    double correlation = 0.0;  ///< Pearson's, over the pixels of the computed map
    double overlap = 0.0;      ///< share of the light that both have in the same place, 0 to 1
    double rmse = 0.0;         ///< root mean square of the difference, over the measured map's peak
    double computed_at_edge = 0.0;     ///< largest flux along the target's edge, over the peak
    double measured_at_edge = 0.0;     ///< where it is not small the centroid is that of a part
    double aligned_correlation = 0.0;  ///< as correlation, the measured map moved onto our centroid

    double offset_x() const { return computed.x - measured.x; }  ///< metres, to the right
    double offset_y() const { return computed.y - measured.y; }  ///< metres, up
};

/// Compares with an image that shows the whole target as an observer facing it sees it. Throws
/// InputError when no flux was computed on the target.
MapComparison compare_with_image(const TargetResult& computed, const GreyImage& measured);

}  // namespace helioray
