// SPDX-License-Identifier: MIT
// Marching squares.
#include "app/output/plot/drawing/contour_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>

namespace helioray {

namespace {

// Index of an edge between two pixel centres that a line crosses; horizontal edges are even.
using EdgeId = std::int64_t;

class Tracer {
  public:
    Tracer(const std::vector<double>& values, int width, int height, double level)
        : values_(values), width_(width), height_(height), level_(level) {}

    std::vector<std::vector<ContourPoint>> lines() {
        for (int row = 0; row + 1 < height_; ++row) {
            for (int column = 0; column + 1 < width_; ++column) add_cell(row, column);
        }
        std::vector<std::vector<ContourPoint>> lines;
        // Follow open lines from their ends first; all remaining lines are closed.
        for (const bool ends_only : {true, false}) {
            for (const auto& [start, next] : links_) {
                if (next.empty() || (ends_only && next.size() != 1)) continue;
                lines.push_back(follow(start));
            }
        }
        return lines;
    }

  private:
    double at(int row, int column) const {
        return values_[static_cast<size_t>(row) * static_cast<size_t>(width_) +
                       static_cast<size_t>(column)];
    }
    EdgeId right_edge(int row, int column) const {
        return 2 * (static_cast<EdgeId>(row) * width_ + column);
    }
    EdgeId lower_edge(int row, int column) const { return right_edge(row, column) + 1; }

    // Adds a cell. Corners and edges alternate: top left, top right, bottom right, bottom left.
    void add_cell(int row, int column) {
        const std::array<double, 4> corner{
            at(row, column), at(row, column + 1), at(row + 1, column + 1), at(row + 1, column)};
        for (const double value : corner) {
            if (!std::isfinite(value)) return;
        }
        const std::array<EdgeId, 4> edge{right_edge(row, column),
                                         lower_edge(row, column + 1),
                                         right_edge(row + 1, column),
                                         lower_edge(row, column)};
        std::array<bool, 4> high{};
        std::vector<size_t> crossed;
        for (size_t k = 0; k < 4; ++k) high[k] = corner[k] >= level_;
        for (size_t k = 0; k < 4; ++k) {
            if (high[k] != high[(k + 1) % 4]) crossed.push_back(k);
        }
        if (crossed.size() == 2) {
            link(edge[crossed[0]], edge[crossed[1]]);
        } else if (crossed.size() == 4) {
            const double middle = 0.25 * (corner[0] + corner[1] + corner[2] + corner[3]);
            // At a saddle, two separate lines cut off the two corners that are across the level
            // from the middle.
            const size_t alone = high[0] == (middle >= level_) ? 1 : 0;
            link(edge[(alone + 3) % 4], edge[alone]);
            link(edge[alone + 1], edge[alone + 2]);
        }
    }

    void link(EdgeId a, EdgeId b) {
        links_[a].push_back(b);
        links_[b].push_back(a);
    }

    ContourPoint point(EdgeId id) const {
        const auto row = static_cast<int>(id / 2 / width_);
        const auto column = static_cast<int>(id / 2 % width_);
        const bool down = id % 2 == 1;
        const double first = at(row, column);
        const double second = down ? at(row + 1, column) : at(row, column + 1);
        const double share = (level_ - first) / (second - first);
        return {column + (down ? 0.0 : share), row + (down ? share : 0.0)};
    }

    std::vector<ContourPoint> follow(EdgeId id) {
        std::vector<ContourPoint> line{point(id)};
        while (!links_[id].empty()) {
            const EdgeId next = links_[id].back();
            links_[id].pop_back();
            auto& back = links_[next];
            back.erase(std::find(back.begin(), back.end(), id));
            line.push_back(point(next));
            id = next;
        }
        return line;
    }

    const std::vector<double>& values_;
    int width_;
    int height_;
    double level_;
    std::map<EdgeId, std::vector<EdgeId>> links_;
};

}  // namespace

std::vector<std::vector<ContourPoint>> contour_lines(const std::vector<double>& values,
                                                     int width,
                                                     int height,
                                                     double level) {
    return Tracer(values, width, height, level).lines();
}

std::vector<double> smoothed(std::vector<double> values, int width, int height, int passes) {
    const auto index = [&](int row, int column) {
        return static_cast<size_t>(std::clamp(row, 0, height - 1)) * static_cast<size_t>(width) +
               static_cast<size_t>(std::clamp(column, 0, width - 1));
    };
    const auto filter = [&](int down, int right) {
        std::vector<double> out(values.size());
        for (int i = 0; i < height; ++i) {
            for (int j = 0; j < width; ++j) {
                out[index(i, j)] = 0.25 * values[index(i - down, j - right)] +
                                   0.5 * values[index(i, j)] +
                                   0.25 * values[index(i + down, j + right)];
            }
        }
        values = std::move(out);
    };
    for (int pass = 0; pass < passes; ++pass) {
        filter(1, 0);
        filter(0, 1);
    }
    return values;
}

}  // namespace helioray
