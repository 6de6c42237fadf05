// SPDX-License-Identifier: MIT
// Reads and writes the bytes of STRAL's binary files.
#include "scenario/import/stral/stral_file.h"

#include "scenario/files/error.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <fstream>

namespace helioray {

namespace {

constexpr size_t kHeaderBytes = 36;
constexpr size_t kFacetHeaderBytes = 44;
constexpr size_t kSampleBytes = 28;
// The facets are followed by two zeros and two texts with their lengths.
constexpr const char* kTrailerLibrary = "STJ_HELIOKON.DLL";
constexpr const char* kTrailerTracking = "TrackingBasic";

/// Reads little-endian numbers from bytes, with the position for messages.
class Reader {
  public:
    Reader(std::span<const std::byte> bytes, std::string name)
        : bytes_(bytes), name_(std::move(name)) {}

    size_t remaining() const { return bytes_.size() - at_; }

    void require(size_t bytes, const std::string& what) const {
        if (bytes > remaining()) {
            throw InputError(
                Problem{fmt::format("{}: byte {}", name_, at_),
                        fmt::format("the file ends within {}", what),
                        fmt::format("it takes {} bytes, {} are left", bytes, remaining()),
                        "the file is cut off, or no STRAL file (.binp)"});
        }
    }
    uint32_t word() {
        uint32_t value = 0;
        for (size_t i = 0; i < 4; ++i) {
            value |= static_cast<uint32_t>(bytes_[at_ + i]) << (8 * i);
        }
        at_ += 4;
        return value;
    }
    double number() { return static_cast<double>(std::bit_cast<float>(word())); }
    double finite(const std::string& what) {
        const double value = number();
        if (!std::isfinite(value)) fail(fmt::format("{} is {}", what, value), "");
        return value;
    }
    Vec3 vector() {
        const double e = number(), n = number();
        return {e, n, number()};
    }
    Vec3 finite_vector(const std::string& what) {
        const double e = finite(what), n = finite(what);
        return {e, n, finite(what)};
    }
    [[noreturn]] void fail(const std::string& what, const std::string& why) const {
        throw InputError(Problem{fmt::format("{}: byte {}", name_, at_),
                                 what,
                                 why,
                                 "check that this is a STRAL file (.binp)"});
    }

  private:
    std::span<const std::byte> bytes_;
    std::string name_;
    size_t at_ = 0;
};

class Writer {
  public:
    void word(uint32_t value) {
        for (size_t i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
    void number(double value) { word(std::bit_cast<uint32_t>(static_cast<float>(value))); }
    void vector(const Vec3& v) {
        for (const double component : v) number(component);
    }
    void text(const std::string& value) {
        word(static_cast<uint32_t>(value.size()));
        for (const char c : value) bytes.push_back(static_cast<std::byte>(c));
    }

    std::vector<std::byte> bytes;
};

StralFacet read_facet(Reader& reader, size_t index) {
    const std::string name = fmt::format("facet {}", index + 1);
    reader.require(kFacetHeaderBytes, "the header of " + name);
    StralFacet facet;
    facet.id = static_cast<int32_t>(reader.word());
    facet.translation = reader.finite_vector("the translation of " + name);
    facet.canting_e = reader.finite_vector("the canting of " + name);
    facet.canting_n = reader.finite_vector("the canting of " + name);
    const size_t count = reader.word();
    reader.require(kSampleBytes * count, fmt::format("the {} points of {}", count, name));
    for (size_t i = 0; i < count; ++i) {
        facet.points.push_back(reader.vector());
        facet.normals.push_back(reader.vector());
        facet.weights.push_back(reader.number());
    }
    return facet;
}

}  // namespace

StralFile parse_stral(std::span<const std::byte> bytes, const std::string& name) {
    Reader reader(bytes, name);
    reader.require(kHeaderBytes, "the header");
    StralFile file;
    const Vec3 stored = reader.finite_vector("the position");
    file.position = {-stored[1], stored[0], stored[2]};
    file.width = reader.finite("the width");
    file.height = reader.finite("the height");
    file.facet_grid = {reader.word(), reader.word()};
    file.axis_offset = reader.finite("the axis offset");
    file.mirror_offset = reader.finite("the mirror offset");
    const auto [columns, rows] = file.facet_grid;
    const uint64_t num_facets = uint64_t{columns} * rows;
    // Divide, because the product of two invalid numbers could overflow.
    if (num_facets == 0 || num_facets > reader.remaining() / kFacetHeaderBytes) {
        reader.fail(fmt::format("{} x {} facets are stated", columns, rows),
                    fmt::format("the file has {} bytes left for them", reader.remaining()));
    }
    for (size_t i = 0; i < num_facets; ++i) file.facets.push_back(read_facet(reader, i));
    file.num_trailing_bytes = reader.remaining();
    return file;
}

StralFile read_stral(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::error_code ignored;
    if (!stream || !std::filesystem::is_regular_file(path, ignored)) {
        throw InputError(Problem{path.string(), "file cannot be read", "", "check the path"});
    }
    std::vector<std::byte> bytes(static_cast<size_t>(std::filesystem::file_size(path)));
    stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (stream.gcount() != static_cast<std::streamsize>(bytes.size())) {
        throw InputError(Problem{path.string(), "file cannot be read to its end", "", ""});
    }
    return parse_stral(bytes, path.string());
}

std::vector<std::byte> stral_bytes(const StralFile& file) {
    Writer writer;
    writer.vector({file.position[1], -file.position[0], file.position[2]});
    writer.number(file.width);
    writer.number(file.height);
    for (const uint32_t count : file.facet_grid) writer.word(count);
    writer.number(file.axis_offset);
    writer.number(file.mirror_offset);
    for (const StralFacet& facet : file.facets) {
        writer.word(static_cast<uint32_t>(facet.id));
        writer.vector(facet.translation);
        writer.vector(facet.canting_e);
        writer.vector(facet.canting_n);
        writer.word(static_cast<uint32_t>(facet.points.size()));
        for (size_t i = 0; i < facet.points.size(); ++i) {
            writer.vector(facet.points[i]);
            writer.vector(facet.normals[i]);
            writer.number(facet.weights[i]);
        }
    }
    writer.number(0.0);
    writer.number(0.0);
    writer.text(kTrailerLibrary);
    writer.text(kTrailerTracking);
    return writer.bytes;
}

}  // namespace helioray
