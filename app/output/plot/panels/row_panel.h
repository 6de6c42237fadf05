// SPDX-License-Identifier: MIT
// Several panels beside each other as one panel of a page.
#pragma once

#include "app/output/plot/drawing/plot_page.h"

#include <memory>
#include <vector>

namespace helioray {

/// Panels beside each other. Pages have columns of equal width; rows of this kind divide the width
/// of a page in other ways.
class RowPanel : public Panel {
  public:
    explicit RowPanel(std::vector<std::unique_ptr<Panel>> panels);

    double width() const override;
    double height() const override;
    void draw(Canvas& canvas, double x, double y) const override;

  private:
    std::vector<std::unique_ptr<Panel>> panels_;
};

}  // namespace helioray
