// SPDX-License-Identifier: MIT
// The sums of a run, in memory that the operating system provides page by page.
#pragma once

#include "kernels/core/out_of_memory.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace helioray {

/// A vector of 64-bit integers that are all zero at first. Pages that are never written to take no
/// memory, and single pages can be given back. The maps of single heliostats need this: they are
/// the largest array of a run.
class IntegerSums {
  public:
    /// `size` is the number of integers, at least 0. Throws kernels::OutOfMemory.
    explicit IntegerSums(std::int64_t size);
    ~IntegerSums();
    IntegerSums(const IntegerSums&) = delete;
    IntegerSums& operator=(const IntegerSums&) = delete;

    /// Returns all integers.
    std::span<std::int64_t> all() { return {data_, size_}; }
    std::span<const std::int64_t> all() const { return {data_, size_}; }  ///< returns all integers

    /// Replaces the integers by `size` zeros. Throws kernels::OutOfMemory.
    void reset(std::int64_t size);

    /// Gives back the memory of all pages that lie within the integers [begin, end). The integers
    /// on these pages become zero; the others in the range keep their values.
    void give_back(std::int64_t begin, std::int64_t end);

  private:
    std::int64_t* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace helioray
