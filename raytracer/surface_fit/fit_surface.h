// SPDX-License-Identifier: MIT
// Mirror surfaces from measured points and normals, by linear least squares.
#pragma once

#include "scenario/reader/measured_surface.h"
#include "scenario/types.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// The kinds of data that a surface is fitted to.
enum class FitData {
    points,   ///< heights
    normals,  ///< slopes; the one constant they leave open is the mean height of the points
    both,     ///< heights and slopes, each weighted with its noise
};

/// Over which part of a facet's plane a surface extends.
enum class FitRegion {
    facet,     ///< the rectangle of the facet's canting vectors: its whole mirror
    measured,  ///< the rectangle around the measured points
};

/// The B-splines that are fitted, and their data.
struct SurfaceFitOptions {
    std::array<int64_t, 2> num_control_points{10, 10};  ///< per facet, along east and north
    std::array<int64_t, 2> degrees{3, 3};               ///< along east and north
    FitData data = FitData::both;                       ///< heights, slopes or both
    FitRegion region = FitRegion::facet;                ///< where the surface ends
    int64_t every = 1;                                  ///< use every n-th sample
    /// Standard deviations of heights (metres) and of slopes (radians per axis) for `both`;
    /// nothing: the residuals of fits to heights alone and to slopes alone, or 0.1 mm and 1 mrad
    /// where there are less than two samples per control point.
    std::optional<double> height_noise;
    std::optional<double> slope_noise;
};

/// How well a facet's surface meets its samples.
struct FacetFit {
    std::string facet;          ///< name
    size_t num_samples = 0;     ///< used
    size_t num_outside = 0;     ///< left out: beyond the facet's rectangle
    double rms_height = 0.0;    ///< metres, spline minus samples, along the facet's normal
    double rms_slope = 0.0;     ///< radians, per axis
    double coverage = 0.0;      ///< share of the rectangle that was measured
    size_t num_unseen = 0;      ///< control points without any sample: they follow from smoothness
    double height_noise = 0.0;  ///< metres; weights of `both`, else 0
    double slope_noise = 0.0;   ///< radians per axis; weights of `both`, else 0
};

/// Fits every facet of `ideal` (its translation and canting vectors) and returns a surface in
/// ARTIST's form of fitted ones: the control points contain canting and translation, the canting
/// vectors stay as they are and are not applied again. The work is done in the frame of each
/// facet: there e and n of the control points lie on the Greville abscissae, so that the
/// parameters of every sample are known, and the heights follow from linear equations, without
/// iteration.
///
/// `fits`, when given, gets one entry per facet. Throws InputError with all problems of all facets:
/// another number of facets than `ideal` has, fewer samples than unknowns, samples that lie on
/// another facet, less than half of a facet measured.
Surface fit_surface(const MeasuredSurface& measured,
                    const Surface& ideal,
                    const SurfaceFitOptions& options,
                    std::vector<FacetFit>* fits = nullptr);

/// One line for the report: "facet_1: 80,755 samples, residuals 3.2 um and 0.11 mrad, ...".
std::string to_string(const FacetFit& fit);

}  // namespace helioray
