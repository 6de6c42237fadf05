// SPDX-License-Identifier: MIT
// Reads and writes files of stored work: a line of JSON, then 64-bit integers: the numbers of unit
// ranges and of runs of sums, the ranges [begin, end), the runs (first, count), the sums of all
// runs.
#include "raytracer/run/stored/stored_work.h"

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
// Blocks of zeros are not stored: maps of single heliostats are mostly empty.
constexpr size_t kBlock = 512;

/// Returns (first, count) of the runs of blocks that are not empty.
std::vector<std::pair<int64_t, int64_t>> find_stretches(std::span<const int64_t> sums) {
    std::vector<std::pair<int64_t, int64_t>> stretches;
    for (size_t first = 0; first < sums.size(); first += kBlock) {
        const auto block = sums.subspan(first, std::min(kBlock, sums.size() - first));
        if (std::all_of(block.begin(), block.end(), [](int64_t sum) { return sum == 0; })) continue;
        const auto begin = static_cast<int64_t>(first), count = std::ssize(block);
        if (!stretches.empty() && stretches.back().first + stretches.back().second == begin) {
            stretches.back().second += count;
        } else {
            stretches.emplace_back(begin, count);
        }
    }
    return stretches;
}

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
    const auto stretches = find_stretches(sums);
    std::vector<int64_t> numbers{std::ssize(work.units.ranges()), std::ssize(stretches)};
    for (const auto& list : {std::span(work.units.ranges()), std::span(stretches)}) {
        for (const auto& [first, second] : list) numbers.insert(numbers.end(), {first, second});
    }
    for (const auto& [first, count] : stretches) {
        const auto stretch = sums.subspan(static_cast<size_t>(first), static_cast<size_t>(count));
        numbers.insert(numbers.end(), stretch.begin(), stretch.end());
    }
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
    // The hash is valid, so only a file of another program could have inconsistent numbers.
    const auto fits = [&](bool good) {
        if (!good) refuse(path, "the file is not one of this program");
    };
    fits(numbers.size() >= 2);
    const auto size = std::ssize(numbers);
    const int64_t ranges_end = 2 + 2 * numbers[0];
    fits(numbers[0] >= 0 && numbers[0] <= size && numbers[1] >= 0 && numbers[1] <= size);
    const int64_t values_begin = ranges_end + 2 * numbers[1];
    fits(values_begin <= size);
    const auto at = [&](int64_t i) { return numbers[static_cast<size_t>(i)]; };
    for (int64_t i = 2; i < ranges_end; i += 2) {
        fits(at(i) >= work.units.end() && at(i) < at(i + 1) && at(i + 1) <= num_units);
        work.units.add({at(i), at(i + 1)});
    }
    int64_t values = values_begin;
    for (int64_t i = ranges_end; i < values_begin; i += 2) {
        fits(at(i) >= 0 && at(i) <= std::ssize(sums) && at(i + 1) >= 0 &&
             at(i + 1) <= std::ssize(sums) - at(i) && at(i + 1) <= size - values);
        values += at(i + 1);
    }
    fits(values == size);
    if (known.overlaps(work.units)) return {};
    values = values_begin;
    for (int64_t i = ranges_end; i < values_begin; i += 2) {
        for (int64_t k = 0; k < at(i + 1); ++k)
            sums[static_cast<size_t>(at(i) + k)] += at(values++);
    }
    return work;
}

}  // namespace helioray::run
