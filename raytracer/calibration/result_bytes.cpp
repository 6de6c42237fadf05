// SPDX-License-Identifier: MIT
// One list of members for both directions.
#include "raytracer/calibration/result_bytes.h"

#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace helioray::calibration {

namespace {

/// A member as an archive sees it: constant where it is written.
template <typename Archive, typename T>
using Seen = std::conditional_t<Archive::kReads, T, const T>;

// Floating-point numbers alone or in an array: no byte of them is padding, which would differ
// between equal results.
template <typename T>
constexpr bool kIsNumbers = std::is_floating_point_v<T>;
template <size_t N>
constexpr bool kIsNumbers<std::array<double, N>> = true;

template <typename Archive>
void members(Archive& archive, Seen<Archive, DriveRecord>& d) {
    archive(d.is_linear,
            d.clockwise,
            d.increment,
            d.offset,
            d.pivot_radius,
            d.initial_stroke,
            d.initial_angle,
            d.min_position,
            d.max_position);
}

template <typename Archive>
void members(Archive& archive, Seen<Archive, KinematicsRecord>& k) {
    archive(k.type, k.position, k.translations, k.rotations, k.drives[0], k.drives[1]);
}

template <typename Archive>
void members(Archive& archive, Seen<Archive, Rejection>& r) {
    archive(r.record, r.reason);
}

template <typename Archive>
void members(Archive& archive, Seen<Archive, EpochStart>& e) {
    archive(e.record, e.last_before, e.stroke_m, e.tilt);
}

template <typename Archive>
void members(Archive& archive, Seen<Archive, Comparison>& c) {
    archive(c.record,
            c.to_sun,
            c.target,
            c.predicted,
            c.measured,
            c.offset_m,
            c.error_m,
            c.error,
            c.covariance,
            c.mahalanobis,
            c.sun_distance);
}

template <typename Archive>
void members(Archive& archive, Seen<Archive, NextMeasurement>& n) {
    archive(n.sun_azimuth, n.sun_elevation, n.target, n.aim_error);
}

template <typename Archive>
void members(Archive& archive, Seen<Archive, HeliostatCalibration>& h) {
    archive(h.name,
            h.records,
            h.used,
            h.rejected,
            h.epochs,
            h.nominal,
            h.kinematics,
            h.unknowns,
            h.covariance,
            h.prior_sigmas,
            h.column_covariance,
            h.scale,
            h.last_day,
            h.level_weights,
            h.before,
            h.fitted,
            h.left_out,
            h.test,
            h.aim_error,
            h.next,
            h.remarks);
}

/// Appends the bytes of everything it is called with.
class Writer {
  public:
    static constexpr bool kReads = false;

    template <typename... T>
    void operator()(const T&... values) {
        (put(values), ...);
    }
    std::string take() { return std::move(bytes_); }

  private:
    template <typename T>
    void put(const T& value) {
        if constexpr (std::has_unique_object_representations_v<T> || kIsNumbers<T>) {
            bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
        } else {
            members(*this, value);
        }
    }
    void put(const std::string& text) {
        put(text.size());
        bytes_ += text;
    }
    template <typename T>
    void put(const std::vector<T>& list) {
        put(list.size());
        for (const T& item : list) put(item);
    }
    template <typename T>
    void put(const std::optional<T>& value) {
        put(value.has_value());
        if (value) put(*value);
    }
    void put(const SquareMatrix& matrix) { put(matrix.values()); }

    std::string bytes_;
};

/// Fills everything it is called with, in the order in which it was written.
class Reader {
  public:
    static constexpr bool kReads = true;

    explicit Reader(const std::string& bytes) : bytes_(bytes) {}

    template <typename... T>
    void operator()(T&... values) {
        (get(values), ...);
    }
    bool is_at_end() const { return at_ == bytes_.size(); }

  private:
    const char* next(size_t size) {
        if (size > bytes_.size() - at_) throw std::runtime_error("a calibration of a rank is cut");
        const char* begin = bytes_.data() + at_;
        at_ += size;
        return begin;
    }
    /// A size, none of whose items is shorter than a byte.
    size_t length() {
        size_t size = 0;
        get(size);
        if (size > bytes_.size() - at_) throw std::runtime_error("a calibration of a rank is cut");
        return size;
    }

    template <typename T>
    void get(T& value) {
        if constexpr (std::has_unique_object_representations_v<T> || kIsNumbers<T>) {
            std::memcpy(&value, next(sizeof value), sizeof value);
        } else {
            members(*this, value);
        }
    }
    void get(std::string& text) {
        const size_t size = length();
        text.assign(next(size), size);
    }
    template <typename T>
    void get(std::vector<T>& list) {
        list.resize(length());
        for (T& item : list) get(item);
    }
    template <typename T>
    void get(std::optional<T>& value) {
        bool known = false;
        get(known);
        if (known) get(value.emplace());
    }
    void get(SquareMatrix& matrix) {
        std::vector<double> values;
        get(values);
        size_t size = 0;
        while (size * size < values.size()) ++size;
        matrix = SquareMatrix(size);
        matrix.values() = std::move(values);
    }

    const std::string& bytes_;
    size_t at_ = 0;
};

}  // namespace

std::string bytes_of(const std::vector<HeliostatCalibration>& field) {
    Writer writer;
    writer(field);
    return writer.take();
}

std::vector<HeliostatCalibration> calibrations_of(const std::string& bytes) {
    Reader reader(bytes);
    std::vector<HeliostatCalibration> field;
    reader(field);
    if (!reader.is_at_end()) throw std::runtime_error("a calibration of a rank is too long");
    return field;
}

}  // namespace helioray::calibration
