// SPDX-License-Identifier: MIT
// Pickles of C++ values: the bytes of their structs, for the same version of the package.
#pragma once

#include "scenario/files/byte_archive.h"
#include "scenario/files/error.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include "helioray/version.h"
#include "python/bindings/convert/bytes.h"
#include "python/bindings/convert/text.h"
#include <new>
#include <string>
#include <tuple>
#include <utility>

namespace helioray::python {

/// Returns the bytes of a pickled struct after checking its version. Throws InputError for a struct
/// of another version, whose members may differ.
inline std::string pickled_bytes(const std::string& version, const nanobind::bytes& bytes) {
    const std::string own = std::string(kVersion) + " " + kGitCommit;
    if (version != own)
        throw InputError(Problem{"pickle",
                                 "was made by HelioRay " + version,
                                 "this is " + own + ", whose results have other members",
                                 "compute the result again; files that write() has written last"});
    return {bytes.c_str(), bytes.size()};
}

/// Returns the state of a pickled struct: version and bytes.
inline std::tuple<std::string, nanobind::bytes> pickled_state(const std::string& bytes) {
    return {std::string(kVersion) + " " + kGitCommit, as_bytes(bytes)};
}

/// Adds pickling to the class of a value with an archive of its members. `start` returns the value
/// that an archive fills.
template <typename T, typename Start>
void add_pickling(nanobind::class_<T>& type, const Start& start) {
    using State = std::tuple<std::string, nanobind::bytes>;
    type.def("__getstate__", [](const T& value) { return pickled_state(bytes_of(value)); });
    type.def("__setstate__", [start](T& value, const State& state) {
        const std::string bytes = pickled_bytes(std::get<0>(state), std::get<1>(state));
        new (&value) T(value_of<T>(bytes, start()));
    });
}
template <typename T>
void add_pickling(nanobind::class_<T>& type) {
    add_pickling(type, [] { return T(); });
}

}  // namespace helioray::python
