// SPDX-License-Identifier: MIT
// A binary tree by the surface area heuristic, whose nodes are then joined to nodes of 16 boxes.
#include "kernels/mesh/build_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace helioray::kernels {

namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr int kBins = 32;
// Halves of 2^31 triangles have 4 triangles after 29 levels, which fit into a group.
constexpr int kMostCuts = kMeshLevels - 29;

struct Box {
    std::array<float, 3> low{kInfinite, kInfinite, kInfinite};
    std::array<float, 3> high{-kInfinite, -kInfinite, -kInfinite};

    void include(const std::array<float, 3>& point) {
        for (size_t k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], point[k]);
            high[k] = std::max(high[k], point[k]);
        }
    }
    /// Adds another box, which may be empty.
    void include(const Box& other) {
        for (size_t k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], other.low[k]);
            high[k] = std::max(high[k], other.high[k]);
        }
    }
    double area() const {
        const auto side = [&](size_t k) {
            return std::max(0.0, static_cast<double>(high[k]) - static_cast<double>(low[k]));
        };
        return side(0) * side(1) + side(1) * side(2) + side(2) * side(0);
    }
};

/// A triangle with its box and twice its middle.
struct Item {
    int32_t triangle = 0;
    Box box;
    std::array<float, 3> middle{};
};

/// A node of the binary tree over items [first, last). Leaves have no children.
struct Branch {
    Box box;
    size_t first = 0, last = 0;
    std::array<int32_t, 2> children{-1, -1};
};

/// The least cost of searching below a branch that becomes up to 1, 2, ... boxes of a node. A node
/// and a group cost as much as their box is large, which is the share of rays that meet it.
struct Costs {
    std::array<double, kMeshWidth> least{};
    /// Number of these boxes for the left child; 0: one box less costs no more.
    std::array<uint8_t, kMeshWidth> left{};
};

bool has_area(const MeshCorners& t) {
    std::array<double, 3> a{}, b{};
    for (size_t k = 0; k < 3; ++k) {
        a[k] = static_cast<double>(t[1][k]) - static_cast<double>(t[0][k]);
        b[k] = static_cast<double>(t[2][k]) - static_cast<double>(t[0][k]);
    }
    return a[1] * b[2] != a[2] * b[1] || a[2] * b[0] != a[0] * b[2] || a[0] * b[1] != a[1] * b[0];
}

using Corner = std::array<float, 3>;

/// The different corners of up to kMeshWidth triangles.
class CommonCorners {
  public:
    /// Returns the index of a corner, which is added if it is new and there is room; kMeshWidth if
    /// there is none.
    uint8_t find_or_add(const Corner& corner) {
        for (size_t i = 0; i < size_; ++i)
            if (corners_[i] == corner) return static_cast<uint8_t>(i);
        if (size_ == corners_.size()) return kMeshWidth;
        corners_[size_] = corner;
        return static_cast<uint8_t>(size_++);
    }
    size_t size() const { return size_; }
    const Corner& operator[](size_t i) const { return corners_[i]; }

  private:
    std::array<Corner, kMeshWidth> corners_{};
    size_t size_ = 0;
};

class Builder {
  public:
    explicit Builder(std::span<const MeshCorners> triangles) : triangles_(triangles) {
        for (size_t i = 0; i < triangles.size(); ++i) {
            if (!has_area(triangles[i])) continue;
            Item item;
            item.triangle = static_cast<int32_t>(i);
            for (const auto& corner : triangles[i]) item.box.include(corner);
            for (size_t k = 0; k < 3; ++k) {
                item.middle[k] = item.box.low[k] + item.box.high[k];
                reach_ = std::max({reach_, std::abs(item.box.low[k]), std::abs(item.box.high[k])});
            }
            items_.push_back(item);
        }
    }

    MeshTree run() {
        divide(0, items_.size(), 0);
        costs_.resize(branches_.size());
        // Children follow their parents.
        for (size_t index = branches_.size(); index > 0; --index) add_costs(index - 1);
        // The root is a node even if all triangles fit into one group.
        tree_.nodes.emplace_back();
        fill(0, 0);
        return std::move(tree_);
    }

  private:
    /// Appends a branch over items and divides it until its leaves fit into groups.
    int32_t divide(size_t first, size_t last, int depth) {
        const auto index = static_cast<int32_t>(branches_.size());
        branches_.emplace_back();
        Box box;
        for (size_t i = first; i < last; ++i) box.include(items_[i].box);
        branches_.back() = {box, first, last, {-1, -1}};
        if (fits_into_group(first, last)) return index;
        // The heuristic may cut off few triangles at a time; halves bound the depth.
        const size_t middle = depth < kMostCuts ? split(first, last) : first + (last - first) / 2;
        const int32_t left = divide(first, middle, depth + 1);
        const int32_t right = divide(middle, last, depth + 1);
        branches_[static_cast<size_t>(index)].children = {left, right};
        return index;
    }

    /// Orders items of a range and returns the end of their first part.
    size_t split(size_t first, size_t last) {
        Box middles;
        for (size_t i = first; i < last; ++i) middles.include(items_[i].middle);
        double best_cost = std::numeric_limits<double>::infinity();
        size_t best_axis = 0;
        int best_bin = -1;
        for (size_t axis = 0; axis < 3; ++axis) {
            if (!(middles.high[axis] > middles.low[axis])) continue;
            std::array<Box, kBins> boxes;
            std::array<size_t, kBins> counts{};
            for (size_t i = first; i < last; ++i) {
                const auto bin = static_cast<size_t>(bin_of(items_[i], middles, axis));
                boxes[bin].include(items_[i].box);
                ++counts[bin];
            }
            // Costs of the right parts, then of both.
            std::array<double, kBins> right_costs{};
            Box right;
            size_t count = 0;
            for (int bin = kBins - 1; bin > 0; --bin) {
                right.include(boxes[static_cast<size_t>(bin)]);
                count += counts[static_cast<size_t>(bin)];
                right_costs[static_cast<size_t>(bin)] = cost(right, count);
            }
            Box left;
            count = 0;
            for (int bin = 1; bin < kBins; ++bin) {
                left.include(boxes[static_cast<size_t>(bin - 1)]);
                count += counts[static_cast<size_t>(bin - 1)];
                if (count == 0 || count == last - first) continue;
                const double both = cost(left, count) + right_costs[static_cast<size_t>(bin)];
                if (!(both < best_cost)) continue;
                best_cost = both;
                best_axis = axis;
                best_bin = bin;
            }
        }
        const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = items_.begin() + static_cast<std::ptrdiff_t>(last);
        // All middles may be in one place.
        if (best_bin < 0) return first + (last - first) / 2;
        const auto middle = std::stable_partition(begin, end, [&](const Item& item) {
            return bin_of(item, middles, best_axis) < best_bin;
        });
        return static_cast<size_t>(middle - items_.begin());
    }

    static double cost(const Box& box, size_t count) {
        if (count == 0) return 0.0;
        // A group of triangles is tested at once.
        const size_t groups = (count + kMeshWidth - 1) / kMeshWidth;
        return box.area() * static_cast<double>(groups);
    }

    static int bin_of(const Item& item, const Box& middles, size_t axis) {
        const float extent = middles.high[axis] - middles.low[axis];
        const float share = (item.middle[axis] - middles.low[axis]) / extent;
        return std::clamp(static_cast<int>(share * kBins), 0, kBins - 1);
    }

    /// Computes the costs of a branch, whose children have theirs.
    void add_costs(size_t index) {
        const Branch& branch = branches_[index];
        Costs& costs = costs_[index];
        const double area = branch.box.area();
        if (branch.children[0] < 0) {
            costs.least.fill(area);
            return;
        }
        const Costs& left = costs_[static_cast<size_t>(branch.children[0])];
        const Costs& right = costs_[static_cast<size_t>(branch.children[1])];
        for (size_t boxes = 2; boxes <= kMeshWidth; ++boxes) {
            costs.least[boxes - 1] = std::numeric_limits<double>::infinity();
            for (size_t part = 1; part < boxes; ++part) {
                const double both = left.least[part - 1] + right.least[boxes - part - 1];
                if (!(both < costs.least[boxes - 1])) continue;
                costs.least[boxes - 1] = both;
                costs.left[boxes - 1] = static_cast<uint8_t>(part);
            }
        }
        // A single box has a node of its own.
        costs.least[0] = area + costs.least[kMeshWidth - 1];
        for (size_t boxes = 1; boxes < kMeshWidth; ++boxes) {
            if (costs.least[boxes] <= costs.least[boxes - 1]) continue;
            costs.least[boxes] = costs.least[boxes - 1];
            costs.left[boxes] = 0;
        }
    }

    /// Divides a branch into up to `room` boxes of the least cost.
    void open(int32_t branch, size_t room, std::vector<int32_t>& boxes) const {
        const Branch& here = branch_at(branch);
        const Costs& costs = costs_[static_cast<size_t>(branch)];
        while (room > 1 && costs.left[room - 1] == 0) --room;
        if (here.children[0] < 0 || room == 1) {
            boxes.push_back(branch);
            return;
        }
        const size_t left = costs.left[room - 1];
        open(here.children[0], left, boxes);
        open(here.children[1], room - left, boxes);
    }

    /// Fills a node with the boxes below a branch.
    void fill(size_t node, int32_t branch) {
        std::vector<int32_t> boxes;
        open(branch, kMeshWidth, boxes);
        for (size_t i = 0; i < kMeshWidth; ++i) {
            const bool is_used = i < boxes.size() && !items_.empty();
            const Box box = is_used ? widened(branch_at(boxes[i]).box) : Box{};
            for (size_t k = 0; k < 3; ++k) {
                tree_.nodes[node].low[k][i] = is_used ? box.low[k] : kEmpty;
                tree_.nodes[node].high[k][i] = is_used ? box.high[k] : -kEmpty;
            }
            tree_.nodes[node].content[i] = 0;
            if (!is_used) continue;
            const Branch& below = branch_at(boxes[i]);
            if (below.children[0] < 0) {
                tree_.nodes[node].content[i] = -1 - static_cast<int32_t>(tree_.groups.size());
                add_group(below);
                continue;
            }
            const size_t next = tree_.nodes.size();
            tree_.nodes[node].content[i] = static_cast<int32_t>(next);
            tree_.nodes.emplace_back();
            fill(next, boxes[i]);
        }
    }

    void add_group(const Branch& branch) {
        MeshGroup group{};
        for (int32_t& triangle : group.triangle) triangle = -1;
        CommonCorners common;
        for (size_t i = branch.first; i < branch.last; ++i) {
            const size_t lane = i - branch.first;
            const int32_t triangle = items_[i].triangle;
            group.triangle[lane] = triangle;
            for (size_t corner = 0; corner < 3; ++corner)
                group.corners[corner][lane] = common.find_or_add(corners_of(i)[corner]);
        }
        for (size_t point = 0; point < common.size(); ++point)
            for (size_t k = 0; k < 3; ++k) group.points[k][point] = common[point][k];
        tree_.groups.push_back(group);
    }

    /// Returns true if items fit into a group.
    bool fits_into_group(size_t first, size_t last) const {
        if (last - first > kMeshWidth) return false;
        CommonCorners common;
        for (size_t i = first; i < last; ++i) {
            for (const Corner& corner : corners_of(i))
                if (common.find_or_add(corner) == kMeshWidth) return false;
        }
        return true;
    }

    const MeshCorners& corners_of(size_t item) const {
        return triangles_[static_cast<size_t>(items_[item].triangle)];
    }

    /// Rounding of the projection onto a ray moves corners by a few units in the last place of the
    /// mesh's size, and a box must contain them.
    Box widened(Box box) const {
        const float margin = 16.0f * std::numeric_limits<float>::epsilon() * reach_;
        for (size_t k = 0; k < 3; ++k) {
            box.low[k] -= margin;
            box.high[k] += margin;
        }
        return box;
    }

    const Branch& branch_at(int32_t index) const { return branches_[static_cast<size_t>(index)]; }

    static constexpr float kEmpty = 1e30f;

    std::span<const MeshCorners> triangles_;
    float reach_ = 0.0f;  ///< largest coordinate
    std::vector<Item> items_;
    std::vector<Branch> branches_;
    std::vector<Costs> costs_;  ///< costs of the branches in their order
    MeshTree tree_;
};

}  // namespace

MeshTree build_mesh(std::span<const MeshCorners> triangles) {
    return Builder(triangles).run();
}

}  // namespace helioray::kernels
