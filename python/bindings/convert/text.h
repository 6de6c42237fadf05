// SPDX-License-Identifier: MIT
// Converts text between C++ and Python. It replaces nanobind/stl/string.h, since names come from
// files and may not be UTF-8.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace nanobind::detail {

/// Converts a std::string to str, with replacement characters for bytes that are not UTF-8.
template <>
struct type_caster<std::string> {
    NB_TYPE_CASTER(std::string, const_name("str"))

    bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
        if (!PyUnicode_Check(source.ptr())) return false;
        Py_ssize_t size = 0;
        const char* text = PyUnicode_AsUTF8AndSize(source.ptr(), &size);
        if (!text) {
            PyErr_Clear();
            return false;
        }
        value = std::string(text, static_cast<size_t>(size));
        return true;
    }

    static handle from_cpp(const std::string& text, rv_policy, cleanup_list*) noexcept {
        return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
    }
};

}  // namespace nanobind::detail
