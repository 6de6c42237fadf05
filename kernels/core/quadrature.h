// SPDX-License-Identifier: MIT
// Nodes and weights of integrals over [0, 1].
#pragma once

#include <vector>

namespace helioray::kernels {

/// Nodes of one direction in ascending order, with weights that sum to 1.
struct QuadratureNodes {
    std::vector<double> position;  ///< (0, 1)
    std::vector<double> weight;    ///< one per node
};

/// Returns Gauss-Legendre's five nodes in each of `pieces` equal pieces of [0, 1], which are exact
/// to degree 9 within a piece.
inline QuadratureNodes quadrature_nodes(int pieces) {
    constexpr int kNodes = 5;
    constexpr double kNode[kNodes] = {
        -0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831, 0.9061798459386640};
    constexpr double kWeight[kNodes] = {0.2369268850561891,
                                        0.4786286704993665,
                                        0.5688888888888889,
                                        0.4786286704993665,
                                        0.2369268850561891};
    QuadratureNodes nodes;
    for (int i = 0; i < pieces; ++i) {
        for (int k = 0; k < kNodes; ++k) {
            nodes.position.push_back((i + 0.5 * (1.0 + kNode[k])) / pieces);
            nodes.weight.push_back(0.5 * kWeight[k] / pieces);
        }
    }
    return nodes;
}

}  // namespace helioray::kernels
