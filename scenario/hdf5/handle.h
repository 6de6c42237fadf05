// SPDX-License-Identifier: MIT
// Ownership of one HDF5 identifier, and how a failure of HDF5 becomes an InputError.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

namespace helioray::hdf5 {

/// HDF5's hid_t, so that no header of ours needs HDF5's.
using Id = std::int64_t;

/// Owns an identifier of any kind (file, group, dataset, type, space, property list, attribute) and
/// closes it with the last owner: copying counts a reference up, the destructor counts it down.
class Handle {
  public:
    Handle() = default;
    /// Takes over an identifier that is owned by nobody else; a negative one owns nothing.
    explicit Handle(Id id) : id_(id) {}
    Handle(const Handle& other);
    Handle(Handle&& other) noexcept;
    Handle& operator=(Handle other) noexcept;
    ~Handle();

    Id get() const { return id_; }           ///< for calls of HDF5; the ownership stays
    bool valid() const { return id_ >= 0; }  ///< owns an identifier
    /// Gives the ownership up: the caller has to close it.
    Id release();

  private:
    Id id_ = -1;
};

/// Throws InputError{where, what, HDF5's own innermost reason, advice} and clears HDF5's error
/// stack.
[[noreturn]] void fail(const std::string& where,
                       const std::string& what,
                       const std::string& advice = {});

/// Text for a message: as it is, or made only now that it is needed.
template <typename Where>
decltype(auto) place(const Where& where) {
    if constexpr (std::is_invocable_v<Where>) {
        return where();
    } else {
        return (where);
    }
}

/// The identifier as a Handle; fails when it is negative. `where` is a text, or a function that
/// makes one: with many small objects texts nobody reads would cost more than the objects.
template <typename Where>
Handle checked(Id id, const Where& where, const char* what) {
    if (id < 0) fail(place(where), what);
    return Handle(id);
}

/// Fails when an HDF5 status is negative; `where` as above.
template <typename Where>
void check(std::int64_t status, const Where& where, const char* what) {
    if (status < 0) fail(place(where), what);
}

}  // namespace helioray::hdf5
