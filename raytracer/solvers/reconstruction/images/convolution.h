// SPDX-License-Identifier: MIT
// Convolves images of 6 x 6 m on a periodic grid by a Fourier transform.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace helioray::reconstruction {

/// Number of pixels along each edge of an image in a fit.
inline constexpr size_t kImagePixels = 48;
inline constexpr size_t kImageSize = kImagePixels * kImagePixels;  ///< Number of pixels
/// Extent of PAINT's centred flux images, metres.
inline constexpr double kImageExtent = 6.0;
inline constexpr double kPixel = kImageExtent / kImagePixels;  ///< Width of a pixel, metres
/// Number of points along each edge of the periodic grid around an image. Light within 5 m of the
/// image's centre along an axis does not reappear on the opposite side.
inline constexpr size_t kGrid = 64;
inline constexpr size_t kGridSize = kGrid * kGrid;  ///< Number of points of the grid
/// Number of rows and columns of the grid on each side of the image.
inline constexpr size_t kMargin = (kGrid - kImagePixels) / 2;

/// Two real grids [row, column] that are convolved together as real and imaginary part. `Number` is
/// double, or float for derivatives, which need no higher precision.
template <typename Number>
struct GridPair {
    std::array<Number, kGridSize> first{};   ///< Real part.
    std::array<Number, kGridSize> second{};  ///< Imaginary part.
};

/// Returns the wave number of a row or column of a transform, rad/m.
double wave_number(size_t index);

/// Convolves both grids in place with a function whose Fourier transform is real and even. Only the
/// columns of the image, kMargin to kGrid - kMargin, hold the result. `transform` is given as
/// [column, row] by wave_number(). The caller provides the scratch memory. `Number` is double or
/// float.
///
/// The grid has a single size of 64 x 64 points, and these 50 lines compute its forward and
/// backward transform in 0.1 ms, so that FFTW is not worth a dependency.
template <typename Number>
void convolve(GridPair<Number>& grids,
              const std::vector<Number>& transform,
              GridPair<Number>& scratch);

}  // namespace helioray::reconstruction
