// SPDX-License-Identifier: MIT
// Panels of aiming: aim points on a receiver, and the convergence of power and bound.
#pragma once

#include "app/output/plot/panels/surface_panel.h"
#include "raytracer/solvers/aiming/aim_field.h"

#include <string>
#include <vector>

namespace helioray {

/// An aim point on the unrolled surface.
struct AimDot {
    SurfacePoint point;  ///< metres from the surface's centre
    /// Distance of the heliostat from the target in metres, which determines the colour.
    double distance = 0.0;
};

/// Panel with aim points as dots on the unrolled surface, coloured by the heliostat's distance.
/// Dots are smaller if there are many, so that they stay separate.
class AimPointsPanel : public SurfacePanel {
  public:
    AimPointsPanel(const Target& target,
                   std::vector<AimDot> aims,
                   const std::string& title,
                   double shrink,
                   Canvas& measure);

  private:
    void draw_map(Canvas& canvas, const PageBox& map) const override;
    bool is_image() const override { return false; }

    std::vector<AimDot> aims_;
};

/// Panel with power and bound (left axis) and the largest fraction of a limit (right axis, only
/// with limits) over the traced rounds.
class ConvergencePanel : public Panel {
  public:
    /// Copies its numbers. `result` has at least two rounds.
    ConvergencePanel(const aiming::AimingResult& result, double shrink, Canvas& measure);

    double width() const override;
    double height() const override;
    void draw(Canvas& canvas, double x, double y) const override;

  private:
    /// A curve over the rounds; rounds without a number are left out.
    struct Curve {
        std::string name;
        std::vector<double> values;  // NaN for rounds without a number
        bool of_limit;               // true if the curve uses the right axis
        Color color;
        double dash = 0.0;
    };

    void make_axes(const aiming::AimingResult& result, Canvas& measure);
    void draw_curve(Canvas& canvas, const PageBox& box, const Curve& curve) const;
    void draw_legend(Canvas& canvas, const PageBox& box) const;

    std::vector<Curve> curves_;
    bool with_limits_ = false;
    Axis round_axis_;
    Axis power_axis_;
    Axis share_axis_;
    double plot_width_;
    double plot_height_;
    double right_ = 0.0;  // points
    std::string subtitle_;
    double text_width_ = 0.0;
};

}  // namespace helioray
