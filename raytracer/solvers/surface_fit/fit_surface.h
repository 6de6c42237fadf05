// SPDX-License-Identifier: MIT
// Fits mirror surfaces to measured points and normals by linear least squares.
#pragma once

#include "scenario/reader/measured_surface.h"
#include "scenario/types/types.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Kinds of data to which a surface is fitted.
enum class FitData {
    points,  ///< heights
    /// Slopes; the mean height of the points determines the constant that slopes leave open.
    normals,
    both,  ///< heights and slopes, each weighted with its noise
};

/// Part of a facet's plane that the fitted surface covers.
enum class FitRegion {
    facet,     ///< rectangle of the facet's canting vectors: its whole mirror
    measured,  ///< rectangle around the measured points
};

/// Options of the fitted B-splines.
struct SurfaceFitOptions {
    /// Control points per facet, along east and north.
    std::array<int64_t, 2> num_control_points{10, 10};
    std::array<int64_t, 2> degrees{3, 3};  ///< degrees along east and north
    FitData data = FitData::both;          ///< data that is fitted
    FitRegion region = FitRegion::facet;   ///< extent of the fitted surface
    int64_t every = 1;                     ///< use every n-th sample
    /// @{
    /// Standard deviations of heights (metres) and of slopes (radians per axis) for FitData::both.
    /// If not set, they follow from the residuals of fits to heights alone and to slopes alone, or
    /// are 0.1 mm and 1 mrad if there are less than two samples per control point.
    std::optional<double> height_noise;
    std::optional<double> slope_noise;
    /// @}
};

/// Quality of the fit of one facet.
struct FacetFit {
    std::string facet;       ///< name of the facet
    size_t num_samples = 0;  ///< number of used samples
    /// Number of samples outside the facet's rectangle, which are not used.
    size_t num_outside = 0;
    /// Root mean square of spline minus samples along the facet's normal, metres.
    double rms_height = 0.0;
    double rms_slope = 0.0;  ///< root mean square of the slope residuals, radians per axis
    double coverage = 0.0;   ///< measured fraction of the rectangle
    size_t num_unseen = 0;   ///< control points without any sample; smoothness determines them
    /// Noise of heights used for the weights of FitData::both, metres; else 0.
    double height_noise = 0.0;
    /// Noise of slopes used for the weights of FitData::both, radians per axis; else 0.
    double slope_noise = 0.0;
};

/// Fits every facet of `ideal` (its translation and canting vectors) and returns a surface in
/// ARTIST's form of fitted surfaces: the control points contain canting and translation; the
/// canting vectors remain unchanged and are not applied again. The fit works in the frame of each
/// facet: there, e and n of the control points lie on the Greville abscissae, so the parameters of
/// every sample are known and the heights follow from linear equations without iteration.
///
/// `fits`, if given, receives one entry per facet. Throws InputError with all problems of all
/// facets: a number of facets that differs from that of `ideal`, fewer samples than unknowns,
/// samples that lie on another facet, less than half of a facet measured.
Surface fit_surface(const MeasuredSurface& measured,
                    const Surface& ideal,
                    const SurfaceFitOptions& options,
                    std::vector<FacetFit>* fits = nullptr);

/// Formats one line for the report: "facet_1: 80,755 samples, residuals 3.2 um and 0.11 mrad, ...".
std::string to_string(const FacetFit& fit);

}  // namespace helioray
