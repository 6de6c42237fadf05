// SPDX-License-Identifier: MIT
// Joins the drawings of a picture for light and for dark pages.
#pragma once

#include <string>

namespace helioray {

/// Returns one SVG element for light and dark pages from the drawings for each, SVG documents with
/// the same shapes. A colour that differs becomes a variable of the page's style, which
/// themed_colors() defines. Identifiers are unique in the page. Drawings that differ otherwise
/// become two elements of the classes on-light and on-dark. `kind` is a further class.
std::string themed_picture(const std::string& light,
                           const std::string& dark,
                           const std::string& kind,
                           const std::string& description);

/// Returns the style rules that define the colours of all themed pictures in a page's markup.
std::string themed_colors(const std::string& markup);

}  // namespace helioray
