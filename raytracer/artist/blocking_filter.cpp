// SPDX-License-Identifier: MIT
// Which rectangles may block any ray of a batch: rays against the bounding volume hierarchy.
#include "raytracer/artist/blocking_filter.h"

#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/nonzero.h>

namespace helioray::artist {
namespace {

// Rays that are still in a subtree.
struct Bundle {
    Components origins, inverse;
    at::Tensor distance;

    at::Tensor hits(const Box& box) const {
        const Slab slab = slab_test(origins, inverse, box);
        return slab.exit.ge(slab.entry)
            .logical_and_(slab.exit.gt(1e-6))
            .logical_and_(slab.entry.le(distance));
    }

    Bundle select(const at::Tensor& index) const {
        const auto pick = [&](const Components& c) -> Components {
            return {c[0].index_select(0, index),
                    c[1].index_select(0, index),
                    c[2].index_select(0, index)};
        };
        return {pick(origins), pick(inverse), distance.index_select(0, index)};
    }
};

class Marker {
  public:
    Marker(const Lbvh& tree, int64_t own, std::vector<bool>& marked)
        : tree_(tree), own_(own), marked_(marked), open_(tree.left.size(), false) {
        find_open(0);
    }

    void visit(int64_t node, const Bundle& rays) {
        const auto k = static_cast<size_t>(node);
        if (!open_[k]) return;
        const at::Tensor hit = rays.hits(tree_.box[k]);
        if (tree_.is_leaf(node)) {
            if (hit.any().item<bool>()) marked_[static_cast<size_t>(tree_.rectangle[k])] = true;
            return;
        }
        const at::Tensor index = at::nonzero(hit).select(1, 0);
        if (index.size(0) == 0) return;
        // Narrow the bundle only where that saves work below.
        const bool most = 4 * index.size(0) > 3 * hit.size(0);
        const Bundle inside = most ? rays : rays.select(index);
        visit(tree_.left[k], inside);
        visit(tree_.right[k], inside);
    }

  private:
    // A subtree is open while it holds a rectangle that these rays could newly mark.
    bool find_open(int64_t node) {
        const auto k = static_cast<size_t>(node);
        if (tree_.is_leaf(node)) {
            const int64_t rectangle = tree_.rectangle[k];
            open_[k] = rectangle != own_ && !marked_[static_cast<size_t>(rectangle)];
        } else {
            const bool left = find_open(tree_.left[k]), right = find_open(tree_.right[k]);
            open_[k] = left || right;
        }
        return open_[k];
    }

    const Lbvh& tree_;
    int64_t own_;
    std::vector<bool>& marked_;
    std::vector<bool> open_;
};

}  // namespace

Slab slab_test(const Components& origins, const Components& inverse_directions, const Box& box) {
    Slab slab;
    for (size_t k = 0; k < 3; ++k) {
        const at::Tensor a = (box.min[k] - origins[k]) * inverse_directions[k];
        const at::Tensor b = (box.max[k] - origins[k]) * inverse_directions[k];
        const at::Tensor low = at::minimum(a, b), high = at::maximum(a, b);
        slab.entry = k == 0 ? low : at::maximum(slab.entry, low);
        slab.exit = k == 0 ? high : at::minimum(slab.exit, high);
    }
    return slab;
}

Components inverse_directions(const Components& directions) {
    return {(directions[0] + 1e-12).reciprocal(),
            (directions[1] + 1e-12).reciprocal(),
            (directions[2] + 1e-12).reciprocal()};
}

void mark_rectangles(const Lbvh& tree,
                     const Components& origins,
                     const Components& directions,
                     const at::Tensor& distance,
                     int64_t own,
                     std::vector<bool>& marked) {
    const auto flat = [&](const at::Tensor& t) { return t.expand_as(distance).reshape({-1}); };
    const Components inverse = inverse_directions(directions);
    const Bundle rays{{flat(origins[0]), flat(origins[1]), flat(origins[2])},
                      {flat(inverse[0]), flat(inverse[1]), flat(inverse[2])},
                      distance.reshape({-1})};
    Marker(tree, own, marked).visit(0, rays);
}

}  // namespace helioray::artist
