// SPDX-License-Identifier: MIT
// Memory that the system did not give, and how much of it was asked for.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <new>

namespace helioray::kernels {

/// A failed request for memory whose size is known.
class OutOfMemory : public std::bad_alloc {
  public:
    explicit OutOfMemory(std::uint64_t bytes) : bytes_(bytes) {
        std::snprintf(text_.data(),
                      text_.size(),
                      "out of memory: %.1f MB more were asked for",
                      static_cast<double>(bytes) / 1e6);
    }

    std::uint64_t bytes() const { return bytes_; }  ///< that were asked for
    const char* what() const noexcept override { return text_.data(); }

  private:
    std::uint64_t bytes_;
    std::array<char, 64> text_{};  // a string would need memory itself
};

/// Calls `allocate`, which asks for this many bytes. Throws OutOfMemory where they are not there.
template <typename Allocate>
void with_size(std::uint64_t bytes, Allocate&& allocate) {
    try {
        allocate();
    } catch (const std::bad_alloc&) {
        throw OutOfMemory(bytes);
    }
}

}  // namespace helioray::kernels
