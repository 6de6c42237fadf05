// SPDX-License-Identifier: MIT
// Images of 6 x 6 m in a periodic grid, and their convolution by a Fourier transform.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace helioray::reconstruction {

/// Pixels along each edge of an image in a fit, and their size in metres: images of 6 x 6 m, which
/// is what PAINT's centred flux images show.
inline constexpr size_t kImagePixels = 48;
inline constexpr double kImageExtent = 6.0;
inline constexpr double kPixel = kImageExtent / kImagePixels;
/// The same of the periodic grid around an image: light within 5 m of its centre along an axis
/// does not come back on its other side.
inline constexpr size_t kGrid = 64;
inline constexpr size_t kGridSize = kGrid * kGrid;
/// Rows and columns of the grid on each side of the image.
inline constexpr size_t kMargin = (kGrid - kImagePixels) / 2;

/// Two real grids that are convolved together as real and imaginary part: [row, column]. Number:
/// double, or float for derivatives, which need no more digits.
template <typename Number>
struct GridPair {
    std::array<Number, kGridSize> first{};   ///< real part
    std::array<Number, kGridSize> second{};  ///< imaginary part
};

/// Wave number of a row or column of a transform, rad/m.
double wave_number(size_t index);

/// Convolves both grids with a function whose Fourier transform is real and even, in place. Only
/// the columns of the image, kMargin to kGrid - kMargin, hold the result. transform: [column, row]
/// by wave_number(). Scratch memory is the caller's. Number: double or float.
///
/// FFTW would be a dependency for the one size of 64 x 64 points, whose transforms there and back
/// these 50 lines do in 0.1 ms.
template <typename Number>
void convolve(GridPair<Number>& grids,
              const std::vector<Number>& transform,
              GridPair<Number>& scratch);

}  // namespace helioray::reconstruction
