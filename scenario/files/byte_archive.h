// SPDX-License-Identifier: MIT
// Converts structs to bytes for other processes of the same program on the same kind of machine.
#pragma once

#include "scenario/files/visit_members.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace helioray {

/// The type of a value in an archive: constant when the archive writes. All members of a struct are
/// archived. Classes with constructors, and structs with members that an archive leaves out, have a
/// function in their namespace that lists the members once, for both directions:
///
///     void members(Archive& archive, Archived<Archive, Spot>& s) { archive(s.place, s.name); }
template <typename Archive, typename T>
using Archived = std::conditional_t<Archive::kReads, T, const T>;

/// True for values that an archive copies byte by byte: numbers and arrays of numbers. They contain
/// no padding bytes, which would differ between equal values.
template <typename T>
constexpr bool kIsPlain =
    std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>;
template <typename T, size_t N>
constexpr bool kIsPlain<std::array<T, N>> = kIsPlain<T>;

/// True for lists whose items are copied at once.
template <typename T>
constexpr bool kIsPlainList = kIsPlain<T> && !std::is_same_v<T, bool>;

/// Archives all members of a struct.
template <typename Archive, typename T>
void archive_members(Archive& archive, T& value) {
    if constexpr (requires { members(archive, value); }) {
        members(archive, value);
    } else {
        visit_members(value, [&archive](auto&... all) { archive(all...); });
    }
}

/// Appends the bytes of its arguments: numbers, texts, paths, lists, maps, optional and shared
/// values, variants and structs.
class ByteWriter {
  public:
    static constexpr bool kReads = false;  ///< see Archived

    /// Appends values in the order in which they will be read.
    template <typename... T>
    void operator()(const T&... values) {
        (put(values), ...);
    }
    /// Returns the bytes and leaves the writer empty.
    std::string take() { return std::move(bytes_); }

  private:
    template <typename T>
    void put(const T& value) {
        if constexpr (kIsPlain<T>) {
            bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
        } else {
            archive_members(*this, value);
        }
    }
    void put(const std::string& text) {
        put(text.size());
        bytes_ += text;
    }
    template <typename T>
    void put(const std::vector<T>& list) {
        put(list.size());
        if constexpr (kIsPlainList<T>) {
            bytes_.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
        } else {
            for (const T& item : list) put(item);
        }
    }
    template <typename T, size_t N>
    requires(!kIsPlain<T>) void put(const std::array<T, N>& list) {
        for (const T& item : list) put(item);
    }
    template <typename T>
    void put(const std::shared_ptr<const T>& value) {
        put(value != nullptr);
        if (value) put(*value);
    }
    void put(const std::filesystem::path& path) { put(path.string()); }
    template <typename Key, typename T>
    void put(const std::map<Key, T>& map) {
        put(map.size());
        for (const auto& [key, value] : map) {
            put(key);
            put(value);
        }
    }
    template <typename... T>
    void put(const std::variant<T...>& value) {
        put(value.index());
        std::visit([this](const auto& alternative) { put(alternative); }, value);
    }
    template <typename T>
    void put(const std::optional<T>& value) {
        put(value.has_value());
        if (value) put(*value);
    }

    std::string bytes_;
};

/// Fills its arguments in the order in which they were written. Throws std::runtime_error if bytes
/// are missing.
class ByteReader {
  public:
    static constexpr bool kReads = true;  ///< see Archived

    /// `bytes` must outlive the reader.
    explicit ByteReader(const std::string& bytes) : bytes_(bytes) {}

    /// Reads values in the order in which they were written.
    template <typename... T>
    void operator()(T&... values) {
        (get(values), ...);
    }
    /// Returns true if all bytes were read.
    bool is_at_end() const { return at_ == bytes_.size(); }

  private:
    [[noreturn]] static void refuse() { throw std::runtime_error("bytes of a struct are missing"); }

    const char* next(size_t size) {
        if (size > bytes_.size() - at_) refuse();
        const char* begin = bytes_.data() + at_;
        at_ += size;
        return begin;
    }
    /// Reads a number of items, each of which takes at least one byte.
    size_t length() {
        size_t size = 0;
        get(size);
        if (size > bytes_.size() - at_) refuse();
        return size;
    }

    template <typename T>
    void get(T& value) {
        if constexpr (kIsPlain<T>) {
            std::memcpy(&value, next(sizeof value), sizeof value);
        } else {
            archive_members(*this, value);
        }
    }
    void get(std::string& text) {
        const size_t size = length();
        text.assign(next(size), size);
    }
    template <typename T>
    void get(std::vector<T>& list) {
        list.clear();
        const size_t size = length();
        if constexpr (kIsPlainList<T>) {
            if (size > (bytes_.size() - at_) / sizeof(T)) refuse();
            list.resize(size);
            if (size > 0) std::memcpy(list.data(), next(size * sizeof(T)), size * sizeof(T));
        } else {
            for (size_t i = 0; i < size; ++i) {
                T item{};
                get(item);
                list.push_back(std::move(item));
            }
        }
    }
    template <typename T, size_t N>
    requires(!kIsPlain<T>) void get(std::array<T, N>& list) {
        for (T& item : list) get(item);
    }
    template <typename T>
    void get(std::shared_ptr<const T>& value) {
        bool known = false;
        get(known);
        value.reset();
        if (!known) return;
        T read{};
        get(read);
        value = std::make_shared<const T>(std::move(read));
    }
    void get(std::filesystem::path& path) {
        std::string text;
        get(text);
        path = text;
    }
    template <typename Key, typename T>
    void get(std::map<Key, T>& map) {
        map.clear();
        const size_t size = length();
        for (size_t i = 0; i < size; ++i) {
            Key key{};
            get(key);
            get(map[key]);
        }
    }
    template <typename... T>
    void get(std::variant<T...>& value) {
        size_t index = 0;
        get(index);
        if (index >= sizeof...(T)) refuse();
        size_t alternative = 0;
        const auto take = [&](auto item) {
            if (alternative++ != index) return;
            get(item);
            value = std::move(item);
        };
        (take(T{}), ...);
    }
    template <typename T>
    void get(std::optional<T>& value) {
        bool known = false;
        get(known);
        value = known ? std::optional<T>(T{}) : std::nullopt;
        if (known) get(*value);
    }

    const std::string& bytes_;
    size_t at_ = 0;
};

/// Returns the bytes of a value.
template <typename T>
std::string bytes_of(const T& value) {
    ByteWriter writer;
    writer(value);
    return writer.take();
}

/// Restores a value from bytes_of(). Members that the archive leaves out are those of `value`.
/// Throws std::runtime_error if bytes are missing or left over.
template <typename T>
T value_of(const std::string& bytes, T value = T()) {
    ByteReader reader(bytes);
    reader(value);
    if (!reader.is_at_end()) throw std::runtime_error("bytes of a struct are left over");
    return value;
}

}  // namespace helioray
