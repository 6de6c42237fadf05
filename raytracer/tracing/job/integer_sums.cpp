// SPDX-License-Identifier: MIT
// Allocates the sums as anonymous memory of the operating system.
#include "raytracer/tracing/job/integer_sums.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace helioray {

namespace {

std::size_t size_in_bytes(std::size_t size) {
    return std::max<std::size_t>(1, size) * sizeof(std::int64_t);
}

}  // namespace

IntegerSums::IntegerSums(std::int64_t size) {
    const std::size_t bytes = size_in_bytes(static_cast<std::size_t>(size));
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw kernels::OutOfMemory(bytes);
    data_ = static_cast<std::int64_t*>(memory);
    size_ = static_cast<std::size_t>(size);
}

IntegerSums::~IntegerSums() {
    ::munmap(data_, size_in_bytes(size_));
}

void IntegerSums::reset(std::int64_t size) {
    // Small arrays are cleared, because new pages cost more than zeros. Large arrays get new pages,
    // because most of theirs are never written to.
    constexpr std::size_t kLarge = std::size_t{1} << 21;
    if (static_cast<std::size_t>(size) == size_ && size_ < kLarge) {
        std::fill_n(data_, size_, 0);
        return;
    }
    IntegerSums fresh(size);
    std::swap(data_, fresh.data_);
    std::swap(size_, fresh.size_);
}

void IntegerSums::give_back(std::int64_t begin, std::int64_t end) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    auto* const from = reinterpret_cast<std::byte*>(data_ + begin);
    const auto address = reinterpret_cast<std::uintptr_t>(from);
    // Only whole pages can be given back.
    const std::uintptr_t first = (address + page - 1) / page * page;
    const std::uintptr_t last = reinterpret_cast<std::uintptr_t>(data_ + end) / page * page;
    if (first < last) ::madvise(from + (first - address), last - first, MADV_DONTNEED);
}

}  // namespace helioray
