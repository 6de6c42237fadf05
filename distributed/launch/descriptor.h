// SPDX-License-Identifier: MIT
// RAII owner of a file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace helioray::detail {

/// Owns a file descriptor and closes it on destruction; -1 stands for no descriptor.
class Descriptor {
  public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor() { reset(); }

    int get() const { return fd_; }
    /// Closes the descriptor now.
    void reset() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }

  private:
    int fd_;
};

}  // namespace helioray::detail
