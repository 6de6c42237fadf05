// SPDX-License-Identifier: MIT
// Checks measured surfaces.
#include "scenario/reader/measured_surface.h"

#include <fmt/format.h>

#include <cmath>

namespace helioray {

namespace {

// Tolerance of the length of unit normals; float32 files have errors of 1e-7.
constexpr double kLengthTolerance = 0.01;

/// Counts samples with one kind of defect and stores the first.
struct Defects {
    size_t count = 0;
    size_t first = 0;

    void add(size_t index) {
        if (count++ == 0) first = index;
    }
};

bool finite(const Vec3& v) {
    return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

void report(const Defects& defects,
            const MeasuredFacet& facet,
            const std::string& what,
            const std::string& advice,
            ReadLog& log) {
    if (defects.count == 0) return;
    log.problem(facet.where,
                fmt::format("{} of {} samples {}, the first is number {}",
                            defects.count,
                            facet.points.size(),
                            what,
                            defects.first + 1),
                "no surface can be fitted to them",
                advice);
}

}  // namespace

bool check_samples(MeasuredFacet& facet, ReadLog& log) {
    if (facet.points.empty()) {
        log.problem(facet.where, "holds no samples", "a surface needs measured points");
        return false;
    }
    if (facet.points.size() != facet.normals.size()) {
        log.problem(
            facet.where,
            fmt::format("{} points, but {} normals", facet.points.size(), facet.normals.size()),
            "every point has one normal");
        return false;
    }
    Defects not_finite, not_unit, downward;
    for (size_t i = 0; i < facet.points.size(); ++i) {
        Vec3& normal = facet.normals[i];
        const double length = std::hypot(normal[0], normal[1], normal[2]);
        if (!finite(facet.points[i]) || !finite(normal)) {
            not_finite.add(i);
        } else if (std::abs(length - 1.0) > kLengthTolerance) {
            not_unit.add(i);
        } else if (normal[2] <= 0.0) {
            downward.add(i);
        } else {
            for (double& component : normal) component /= length;
        }
    }
    report(not_finite, facet, "are not finite", "remove them or fill the holes", log);
    report(not_unit, facet, "have normals that are not unit vectors", "remove them", log);
    report(downward,
           facet,
           "have normals that do not point up",
           "the mirror frame has east, north and the normal, in this order",
           log);
    return not_finite.count + not_unit.count + downward.count == 0;
}

}  // namespace helioray
