// SPDX-License-Identifier: MIT
// Fonts, colours and distances of panels, shared by the code that arranges and draws them.
#pragma once

#include "app/output/plot/drawing/canvas.h"

#include <string>

namespace helioray::panel_style {

inline constexpr Font kTitle{13.0, true};
inline constexpr Font kSubtitle{10.0, false};
inline constexpr Font kLabel{10.0, false};
inline constexpr Font kTickLabel{9.0, false};
inline constexpr Font kContour{8.0, true};
inline constexpr Font kTargetName{9.5, true};
inline constexpr Font kCompass{8.5, false};
inline constexpr Color kGrey{0.35, 0.35, 0.35};
inline constexpr Color kBlack{0.0, 0.0, 0.0};
inline constexpr Color kPaleGrey{0.86, 0.86, 0.86};
inline constexpr Color kCurve{0.10, 0.20, 0.45};
inline constexpr Color kBand{0.98, 0.70, 0.42};
inline constexpr Color kWhite{1.0, 1.0, 1.0};

// Lengths in points.
inline constexpr double kTickLength = 4.0;
inline constexpr double kGap = 5.0;
inline constexpr double kLine = 0.8;
inline constexpr double kBarGap = 14.0;
inline constexpr double kBarThickness = 14.0;
inline constexpr double kTitleHeight = 52.0;  // for two lines and the compass above the map

/// Returns the space above a drawing: kTitleHeight, or without titles that of the compass.
inline double title_height(const std::string& title, const std::string& subtitle) {
    constexpr double kCompassHeight = 18.0;
    return title.empty() && subtitle.empty() ? kCompassHeight : kTitleHeight;
}

}  // namespace helioray::panel_style
