// SPDX-License-Identifier: MIT
// Reference counting of identifiers; HDF5's error stack as the reason of an InputError.
#include "scenario/hdf5/handle.h"

#include "scenario/error.h"

#include <hdf5.h>

#include <type_traits>
#include <utility>

namespace helioray::hdf5 {

static_assert(std::is_same_v<Id, hid_t> || sizeof(Id) == sizeof(hid_t), "hid_t has 64 bits");

Handle::Handle(const Handle& other) : id_(other.id_) {
    if (valid()) H5Iinc_ref(id_);
}

Handle::Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}

Handle& Handle::operator=(Handle other) noexcept {
    std::swap(id_, other.id_);
    return *this;
}

Handle::~Handle() {
    if (valid()) H5Idec_ref(id_);
}

Id Handle::release() {
    return std::exchange(id_, -1);
}

namespace {

// Walked upwards the first entry is the innermost one.
herr_t keep_innermost(unsigned index, const H5E_error2_t* entry, void* text) {
    if (index == 0 && entry->desc) *static_cast<std::string*>(text) = entry->desc;
    return 0;
}

std::string innermost_reason() {
    std::string text;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &text);
    H5Eclear2(H5E_DEFAULT);
    return text.empty() ? text : "HDF5: " + text;
}

}  // namespace

void fail(const std::string& where, const std::string& what, const std::string& advice) {
    throw InputError(Problem{where, what, innermost_reason(), advice});
}

}  // namespace helioray::hdf5
