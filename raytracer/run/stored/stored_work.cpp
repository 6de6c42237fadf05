// SPDX-License-Identifier: MIT
// Reads and writes files of stored work: a line of JSON, then the 64-bit integers of encode_work().
#include "raytracer/run/stored/stored_work.h"

#include "raytracer/run/stored/work_numbers.h"
#include "raytracer/tracing/job/trace_job.h"
#include "scenario/files/output_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>
#include <system_error>

namespace helioray::run {

namespace {

using nlohmann::json;

constexpr const char* kFormat = "helioray-work";
constexpr int kVersion = 1;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), why));
}

/// Returns the integers of a file after checking its hash.
std::vector<int64_t> read_numbers(const std::filesystem::path& path,
                                  const std::string& identity,
                                  double& seconds) {
    std::ifstream stream(path, std::ios::binary);
    std::string line;
    std::getline(stream, line);
    const json header = json::parse(line, nullptr, false);
    if (!header.is_object() || header.value("format", json()) != kFormat ||
        header.value("version", json()) != kVersion || !header.value("seconds", json()).is_number())
        refuse(path, "the file is damaged");
    if (header.value("identity", json()) != identity) refuse(path, "the file is of another run");
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error || size <= line.size()) refuse(path, "the file is damaged");
    std::vector<int64_t> numbers((size - line.size() - 1) / sizeof(int64_t));
    const auto bytes = static_cast<std::streamsize>(numbers.size() * sizeof(int64_t));
    stream.read(reinterpret_cast<char*>(numbers.data()), bytes);
    if (stream.gcount() != bytes || header.value("hash", json()) != fingerprint(numbers))
        refuse(path, "the file is damaged");
    seconds = header["seconds"].get<double>();
    return numbers;
}

}  // namespace

void write_stored_work(const std::filesystem::path& path,
                       const std::string& identity,
                       const StoredWork& work,
                       std::span<const int64_t> sums) {
    const std::vector<int64_t> numbers = encode_work(work.units, sums);
    const std::string header = json{{"format", kFormat},
                                    {"version", kVersion},
                                    {"identity", identity},
                                    {"seconds", work.seconds},
                                    {"hash", fingerprint(numbers)}}
                                   .dump() +
                               "\n";
    AtomicFile file(path);
    file.write(std::as_bytes(std::span(header)), std::as_bytes(std::span(numbers)));
    file.commit();
}

StoredWork add_stored_work(const std::filesystem::path& path,
                           const std::string& identity,
                           int64_t num_units,
                           const UnitSet& known,
                           std::span<int64_t> sums) {
    StoredWork work;
    const std::vector<int64_t> numbers = read_numbers(path, identity, work.seconds);
    try {
        work.units = decode_units(numbers, num_units, std::ssize(sums));
    } catch (const std::invalid_argument&) {
        // The hash is valid, so only a file of another program could have inconsistent numbers.
        refuse(path, "the file is not one of this program");
    }
    if (known.overlaps(work.units)) return {};
    add_sums(numbers, sums);
    return work;
}

}  // namespace helioray::run
