// SPDX-License-Identifier: MIT
// Flat surfaces of receivers.
#pragma once

#include "kernels/core/trace_types.h"
#include "kernels/core/vec.h"
#include "kernels/receiver/target.h"

namespace helioray::kernels {

/// Rim of a flat surface within the rectangle of its map; none: the surface has no flat map.
enum class FlatRim : int32_t { none, rectangle, ellipse };

/// Returns the rim of a shape; none for curved surfaces and for an annulus, whose map is unrolled.
HELIORAY_HD FlatRim flat_rim(TargetKind kind) {
    switch (kind) {
        case TargetKind::plane:
            return FlatRim::rectangle;
        case TargetKind::disc:
            return FlatRim::ellipse;
        case TargetKind::annulus:
        case TargetKind::cylinder_outside:
        case TargetKind::cylinder_inside:
        case TargetKind::cone:
        case TargetKind::sphere:
        case TargetKind::quadric:
        case TargetKind::concentrator:
        case TargetKind::mesh:
            break;
    }
    return FlatRim::none;
}

/// Returns true for surfaces whose maps are rectangles in the surface.
HELIORAY_HD bool has_flat_map(TargetKind kind) {
    return flat_rim(kind) != FlatRim::none;
}

/// Numbers of a flat surface that do not depend on the mirror point.
struct FlatSurface {
    Vec<float> normal;             ///< unit, shared frame
    Vec<float> across;             ///< unit axis to the right divided by the width, shared frame
    Vec<float> up;                 ///< unit axis upwards divided by the height, shared frame
    float limit_across, limit_up;  ///< halves of the sizes with the overlap, in widths and heights
};

/// overlap: metres by which the surface reaches over its edges.
HELIORAY_HD FlatSurface flat_surface(const SurfaceRecord& surface, float overlap = kEdgeOverlap) {
    const float* m = surface.rotation;
    const float per_width = 1.0f / surface.shape.width;
    const float per_height = 1.0f / surface.shape.height;
    return {{m[6], m[7], m[8]},
            scaled(per_width, Vec<float>{m[0], m[1], m[2]}),
            scaled(per_height, Vec<float>{m[3], m[4], m[5]}),
            0.5f + overlap * per_width,
            0.5f + overlap * per_height};
}

/// Restricts hits within the rectangle of a flat surface to those inside its rim.
template <typename Real>
HELIORAY_HD void keep_inside_rim(FlatRim rim, const FlatSurface& flat, TargetHit<Real>& hit) {
    switch (rim) {
        case FlatRim::none:
        case FlatRim::rectangle:
            break;
        case FlatRim::ellipse: {
            const Real square = fma_(hit.across, hit.across, hit.up * hit.up);
            hit.mask = hit.mask & (square <= Real(flat.limit_up * flat.limit_up));
            break;
        }
    }
}

/// Intersects a surface with a flat map from either side; o in its own frame, r in the shared one.
/// flat: of flat_surface() with the same overlap.
template <typename Real>
HELIORAY_HD void meet_flat_surface(const FieldView& field,
                                   const TargetRecord& shape,
                                   const Vec<float>& o,
                                   const FlatSurface& flat,
                                   float overlap,
                                   const Vec<Real>& r,
                                   TargetHit<Real>& hit) {
    const Real t = Real(-o.z) / dot(broadcast<Real>(flat.normal), r);
    hit.distance = t;
    hit.across = fma_(t, dot(broadcast<Real>(flat.across), r), Real(o.x / shape.width));
    hit.mask = (t > Real(0.0f)) & (abs_(hit.across) <= Real(flat.limit_across));
    // Most panels of a receiver are beside most bundles' rays.
    if (!any(hit.mask)) return;
    hit.up = fma_(t, dot(broadcast<Real>(flat.up), r), Real(o.y / shape.height));
    hit.mask = hit.mask & (abs_(hit.up) <= Real(flat.limit_up));
    keep_inside_rim(flat_rim(shape.kind), flat, hit);
    // The floor of a cavity has an edge for each panel of its wall.
    if (shape.num_edges == 0 || !any(hit.mask)) return;
    keep_inside_outline(field, shape, overlap, hit);
}

}  // namespace helioray::kernels
