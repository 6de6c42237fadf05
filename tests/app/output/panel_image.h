// SPDX-License-Identifier: MIT
// The pixels that a panel draws.
#pragma once

#include "app/output/plot/drawing/canvas.h"
#include "app/output/plot/drawing/plot_page.h"

namespace helioray::test {

/// Draws the panel alone, its top left corner in the corner of the image.
ColorImage panel_image(const Panel& panel, double pixels_per_point);

}  // namespace helioray::test
