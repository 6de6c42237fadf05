// SPDX-License-Identifier: MIT
// Morton codes, radix tree, and tests of rays against its boxes.
#include "raytracer/artist/blocking.h"
#include "scenario/files/error.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/nonzero.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

namespace helioray::artist {

uint32_t expand_bits(uint32_t value) {
    value &= 0x3FF;
    value = (value | value << 16) & 0x030000FF;
    value = (value | value << 8) & 0x0300F00F;
    value = (value | value << 4) & 0x030C30C3;
    value = (value | value << 2) & 0x09249249;
    return value;
}

std::vector<uint32_t> morton_codes(const at::Tensor& points) {
    const at::Tensor low = points.amin(0);
    const at::Tensor extent = (points.amax(0) - low).max() + 1e-6;
    const at::Tensor cells = ((points - low) / extent * 1023).to(at::kInt).contiguous();
    const int32_t* cell = cells.data_ptr<int32_t>();
    std::vector<uint32_t> codes(static_cast<size_t>(points.size(0)));
    for (uint32_t& code : codes) {
        code = expand_bits(static_cast<uint32_t>(cell[1])) << 2 |
               expand_bits(static_cast<uint32_t>(cell[0])) << 1 |
               expand_bits(static_cast<uint32_t>(cell[2]));
        cell += 3;
    }
    return codes;
}

namespace {

// Number of common leading bits of two sorted codes; -1 outside. There is no tie-break by index
// (P36).
class Prefixes {
  public:
    explicit Prefixes(const std::vector<uint32_t>& sorted) : codes_(sorted) {}

    int operator()(int64_t i, int64_t j) const {
        if (j < 0 || j >= static_cast<int64_t>(codes_.size())) return -1;
        return std::countl_zero(codes_[static_cast<size_t>(i)] ^ codes_[static_cast<size_t>(j)]);
    }

  private:
    const std::vector<uint32_t>& codes_;
};

struct Range {
    int64_t first, last;
};

// Returns the leaves below internal node i.
Range node_range(const Prefixes& delta, int64_t i, int64_t num_leaves) {
    const int64_t d = delta(i, i + 1) - delta(i, i - 1) >= 0 ? 1 : -1;
    const int floor = delta(i, i - d);
    int64_t reach = 2;
    while (delta(i, i + reach * d) > floor && reach < 2 * num_leaves) reach *= 2;
    int64_t length = 0;
    for (int64_t step = reach / 2; step >= 1; step /= 2) {
        if (delta(i, i + (length + step) * d) > floor) length += step;
    }
    const int64_t j = i + length * d;
    return {std::min(i, j), std::max(i, j)};
}

// Returns the last leaf of the left child, where the common prefix ends.
int64_t split_position(const Prefixes& delta, const Range& range) {
    const int common = delta(range.first, range.last);
    int64_t split = range.first, step = range.last - range.first;
    do {
        step = (step + 1) / 2;
        if (split + step < range.last && delta(range.first, split + step) > common) split += step;
    } while (step > 1);
    return split;
}

[[noreturn]] void report_broken_tree(const std::vector<uint32_t>& sorted) {
    int64_t most = 1, run = 1;
    for (size_t k = 1; k < sorted.size(); ++k) {
        run = sorted[k] == sorted[k - 1] ? run + 1 : 1;
        most = std::max(most, run);
    }
    throw InputError(
        Problem{"heliostats",
                std::to_string(most) + " mirrors lie in one cell of ARTIST's blocking tree",
                "the tree breaks with three or more mirrors within a thousandth of the field's "
                "extent (P36)",
                "set tracing.blocking to false, or use tracing.model: physical"});
}

Box merge(const Box& a, const Box& b) {
    Box box;
    for (size_t k = 0; k < 3; ++k) {
        box.min[k] = std::min(a.min[k], b.min[k]);
        box.max[k] = std::max(a.max[k], b.max[k]);
    }
    return box;
}

// Merges boxes from the leaves up. Returns true if every node was reached exactly once.
bool merge_boxes(Lbvh& tree) {
    std::vector<int64_t> order{0};
    for (size_t k = 0; k < order.size(); ++k) {
        if (order.size() > tree.left.size()) return false;
        const auto node = static_cast<size_t>(order[k]);
        if (!tree.is_leaf(order[k])) {
            order.push_back(tree.left[node]);
            order.push_back(tree.right[node]);
        }
    }
    std::vector<int64_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (size_t k = 0; k < tree.left.size(); ++k) {
        if (k >= sorted.size() || sorted[k] != static_cast<int64_t>(k)) return false;
    }
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
        const auto k = static_cast<size_t>(*node);
        if (tree.is_leaf(*node)) continue;
        tree.box[k] = merge(tree.box[static_cast<size_t>(tree.left[k])],
                            tree.box[static_cast<size_t>(tree.right[k])]);
    }
    return true;
}

}  // namespace

Lbvh build_lbvh(const at::Tensor& corners) {
    const std::vector<uint32_t> codes = morton_codes(corners.mean(1));
    const auto n = static_cast<int64_t>(codes.size());
    std::vector<size_t> order(codes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(
        order.begin(), order.end(), [&](size_t a, size_t b) { return codes[a] < codes[b]; });
    std::vector<uint32_t> sorted;
    for (const size_t k : order) sorted.push_back(codes[k]);

    const size_t num_nodes = 2 * codes.size() - 1;
    Lbvh tree{std::vector<int64_t>(num_nodes, -1),
              std::vector<int64_t>(num_nodes, -1),
              std::vector<int64_t>(num_nodes, -1),
              std::vector<Box>(num_nodes)};
    const at::Tensor low = corners.amin(1).contiguous(), high = corners.amax(1).contiguous();
    for (int64_t leaf = 0; leaf < n; ++leaf) {
        const auto node = static_cast<size_t>(n - 1 + leaf);
        const size_t k = order[static_cast<size_t>(leaf)];
        tree.rectangle[node] = static_cast<int64_t>(k);
        std::copy_n(low.data_ptr<float>() + 3 * k, 3, tree.box[node].min.begin());
        std::copy_n(high.data_ptr<float>() + 3 * k, 3, tree.box[node].max.begin());
    }
    const Prefixes delta(sorted);
    for (int64_t i = 0; i + 1 < n; ++i) {
        const Range range = node_range(delta, i, n);
        const int64_t split = split_position(delta, range);
        const auto child = [&](int64_t index, int64_t end) {
            return index == end ? n - 1 + index : index;
        };
        tree.left[static_cast<size_t>(i)] = child(split, range.first);
        tree.right[static_cast<size_t>(i)] = child(split + 1, range.last);
    }
    if (!merge_boxes(tree)) report_broken_tree(sorted);
    return tree;
}

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
        // Narrow the bundle only if that saves work below.
        const bool most = 4 * index.size(0) > 3 * hit.size(0);
        const Bundle inside = most ? rays : rays.select(index);
        visit(tree_.left[k], inside);
        visit(tree_.right[k], inside);
    }

  private:
    // Finds the open subtrees: those with a rectangle that these rays could newly mark.
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
