// SPDX-License-Identifier: MIT
// Measures the search of hits on meshes.
//
//     helioray_study_mesh edges RAYS       rays at edges and corners of closed bodies: those lost
//     helioray_study_mesh hits MESH HITS   hits of given rays, for scripts/studies/mesh_embree.py
//
// MESH: numbers of triangles and rays (int32), corners [n, 3, 3], beginnings and directions of the
// rays [m, 6] (float32). HITS: a triangle (int32, -1: none) and a distance (float32) for each ray.
#include "kernels/core/scalar.h"
#ifdef HELIORAY_WITH_AVX2
#include "kernels/core/lanes_avx2.h"
#endif
#include "kernels/ray/mesh_surface.h"
#include "tests/kernels/mesh/closed_meshes.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

using namespace helioray;
using namespace helioray::test;

namespace {

/// Vectors as the program uses them, or single numbers on processors without AVX2.
#ifdef HELIORAY_WITH_AVX2
using Lanes = kernels::avx2::Lanes;
#else
using Lanes = float;
#endif

/// Returns the hits of rays, which descend together as in the program.
std::vector<kernels::MeshHit> meet(const kernels::MeshTree& tree, const std::vector<Ray>& rays) {
    return meet_together<Lanes, kernels::kMostTogether>(tree, rays);
}

/// Returns the number of rays at edges of a body that miss it.
int64_t count_lost(const char* name, const Triangles& triangles, int64_t count, uint64_t seed) {
    const kernels::MeshTree tree = kernels::build_mesh(triangles);
    EdgeRays rays(triangles, seed);
    int64_t lost = 0, wrong_side = 0;
    const auto begin = std::chrono::steady_clock::now();
    constexpr int64_t kAtOnce = 1024;
    for (int64_t i = 0; i < count; i += kAtOnce) {
        std::vector<Ray> some;
        std::vector<bool> are_inside;
        for (int64_t k = i; k < std::min(count, i + kAtOnce); ++k) {
            some.push_back(rays.next());
            are_inside.push_back(rays.is_inside());
        }
        const std::vector<kernels::MeshHit> hits = meet(tree, some);
        for (size_t k = 0; k < hits.size(); ++k) {
            lost += hits[k].triangle < 0;
            wrong_side += hits[k].triangle >= 0 && are_inside[k] && hits[k].front;
        }
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    std::printf("%-28s %12lld rays, %lld lost, %lld on the wrong side, %.0f s\n",
                name,
                static_cast<long long>(count),
                static_cast<long long>(lost),
                static_cast<long long>(wrong_side),
                taken.count());
    std::fflush(stdout);
    return lost + wrong_side;
}

int run_edges(int64_t rays) {
    const int64_t part = rays / 5;
    int64_t faults = count_lost("sphere, 3,968 triangles", sphere(64, 3.0), part, 1);
    faults += count_lost("sphere, 99,900 triangles", sphere(316, 3.0), part, 2);
    faults += count_lost("box, 12 triangles", box(1, 3.0), part, 3);
    faults += count_lost("box, 3,072 triangles", box(16, 3.0), part, 4);
    faults += count_lost("cylinder, 384 triangles", cylinder(64, 3.0, 3.0), rays - 4 * part, 5);
    return faults == 0 ? 0 : 1;
}

int run_hits(const std::string& mesh, const std::string& hits) {
    std::ifstream in(mesh, std::ios::binary);
    int32_t sizes[2] = {0, 0};
    in.read(reinterpret_cast<char*>(sizes), sizeof sizes);
    if (!in || sizes[0] < 0 || sizes[1] < 0) return 2;
    Triangles triangles(static_cast<size_t>(sizes[0]));
    std::vector<Ray> rays(static_cast<size_t>(sizes[1]));
    static_assert(sizeof(kernels::MeshCorners) == 9 * sizeof(float));
    static_assert(sizeof(Ray) == 6 * sizeof(float));
    in.read(reinterpret_cast<char*>(triangles.data()),
            static_cast<std::streamsize>(triangles.size() * sizeof(kernels::MeshCorners)));
    in.read(reinterpret_cast<char*>(rays.data()),
            static_cast<std::streamsize>(rays.size() * sizeof(Ray)));
    if (!in) return 2;
    const kernels::MeshTree tree = kernels::build_mesh(triangles);
    std::ofstream out(hits, std::ios::binary);
    for (const kernels::MeshHit& hit : meet(tree, rays)) {
        out.write(reinterpret_cast<const char*>(&hit.triangle), sizeof hit.triangle);
        out.write(reinterpret_cast<const char*>(&hit.distance), sizeof hit.distance);
    }
    return out.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "edges" && argc == 3) return run_edges(std::llround(std::atof(argv[2])));
    if (mode == "hits" && argc == 4) return run_hits(argv[2], argv[3]);
    std::fprintf(stderr, "helioray_study_mesh edges RAYS | hits MESH HITS\n");
    return 2;
}
