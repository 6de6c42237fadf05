// SPDX-License-Identifier: MIT
// Number of descriptors (open files and sockets) that a rank needs.
#pragma once

#include <string>

namespace helioray::detail {

/// Returns the number of descriptors that a rank of `ranks` needs beside those that are open when
/// it connects: on rank 0 three for each rank (two connections to the store and one of Gloo), on
/// other ranks one for each.
int count_descriptors_of_rank(int rank, int ranks);

/// Raises this process's soft limit of descriptors if it has less than `more` free ones. Returns
/// what is wrong and what to do if the hard limit does not suffice, else an empty text.
std::string raise_descriptor_limit(int more);

}  // namespace helioray::detail
