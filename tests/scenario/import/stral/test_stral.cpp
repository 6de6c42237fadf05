// SPDX-License-Identifier: MIT
// STRAL's binary files: layout byte by byte, round trip, damage.
#include "scenario/files/error.h"
#include "scenario/import/stral/stral_file.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <cstring>
#include <fstream>

using namespace helioray;

namespace {

/// A double that float32 holds exactly.
double rounded(double value) {
    return static_cast<float>(value);
}

StralFile sample() {
    StralFile file;
    file.position = {3.0, 50.0, 1.5};
    file.width = rounded(3.22);
    file.height = rounded(2.56);
    file.facet_grid = {2, 1};
    file.mirror_offset = rounded(0.175);
    for (int i = 0; i < 2; ++i) {
        StralFacet facet;
        facet.id = 7 * i;
        facet.translation = {i - 0.5, 0.0, 0.25};
        facet.canting_e = {0.5, 0.0, 0.0};
        facet.canting_n = {0.0, 1.0, 0.0};
        for (int k = 0; k < 3 + i; ++k) {
            facet.points.push_back({i - 0.5 + 0.125 * k, -0.25 * k, 0.25});
            facet.normals.push_back({0.0, 0.0, 1.0});
            facet.weights.push_back(rounded(0.1 * k));
        }
        file.facets.push_back(facet);
    }
    return file;
}

template <typename T>
T at(const std::vector<std::byte>& bytes, size_t offset) {
    T value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

void put(std::vector<std::byte>& bytes, size_t offset, uint32_t value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}

std::string refusal(const std::vector<std::byte>& bytes) {
    try {
        measured_surface(parse_stral(bytes, "a.binp"), "a.binp");
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

constexpr size_t kFirstFacet = 36;
constexpr size_t kSecondFacet = kFirstFacet + 44 + 3 * 28;
constexpr size_t kEnd = kSecondFacet + 44 + 4 * 28;

}  // namespace

TEST_CASE("stral: fields lie where the format has them") {
    const std::vector<std::byte> bytes = stral_bytes(sample());
    // North, west, up.
    CHECK(at<float>(bytes, 0) == 50.0f);
    CHECK(at<float>(bytes, 4) == -3.0f);
    CHECK(at<float>(bytes, 8) == 1.5f);
    CHECK(at<float>(bytes, 12) == 3.22f);
    CHECK(at<uint32_t>(bytes, 20) == 2);
    CHECK(at<uint32_t>(bytes, 24) == 1);
    CHECK(at<float>(bytes, 32) == 0.175f);
    CHECK(at<uint32_t>(bytes, kFirstFacet + 40) == 3);
    CHECK(at<int32_t>(bytes, kSecondFacet) == 7);
    CHECK(at<float>(bytes, kSecondFacet + 4) == 0.5f);
    CHECK(at<float>(bytes, kSecondFacet + 16) == 0.5f);
    CHECK(at<float>(bytes, kSecondFacet + 32) == 1.0f);
    // The second point of the second facet: place, normal, coefficient.
    CHECK(at<float>(bytes, kSecondFacet + 44 + 28) == 0.625f);
    CHECK(at<float>(bytes, kSecondFacet + 44 + 28 + 20) == 1.0f);
    CHECK(at<float>(bytes, kSecondFacet + 44 + 28 + 24) == 0.1f);
    // Two zeros, then two texts with their lengths.
    CHECK(bytes.size() == kEnd + 8 + 4 + 16 + 4 + 13);
    CHECK(at<uint32_t>(bytes, kEnd + 8) == 16);
    CHECK(std::memcmp(bytes.data() + kEnd + 12, "STJ_HELIOKON.DLL", 16) == 0);
    CHECK(at<uint32_t>(bytes, kEnd + 28) == 13);
    CHECK(std::memcmp(bytes.data() + kEnd + 32, "TrackingBasic", 13) == 0);
}

TEST_CASE("stral: what was written is read back, with and without a trailer") {
    std::vector<std::byte> bytes = stral_bytes(sample());
    const test::TemporaryFolder folder;
    std::ofstream(folder / "a.binp", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    StralFile back = read_stral(folder / "a.binp");
    CHECK(back.num_trailing_bytes == 45);
    back.num_trailing_bytes = 0;
    CHECK(back == sample());
    bytes.resize(kEnd);
    CHECK(parse_stral(bytes, "a.binp") == sample());
}

TEST_CASE("stral: files that end anywhere are refused, never read beyond") {
    const std::vector<std::byte> bytes = stral_bytes(sample());
    for (size_t size = 0; size < kEnd; ++size) {
        INFO("size " << size);
        const std::vector<std::byte> part(bytes.begin(),
                                          bytes.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK(refusal(part) != "accepted");
    }
    CHECK_THAT(refusal({bytes.begin(), bytes.begin() + 140}),
               ContainsSubstring("the file ends within the 3 points of facet 1"));
}

TEST_CASE("stral: hostile sizes and numbers are refused before anything is allocated") {
    const std::vector<std::byte> good = stral_bytes(sample());
    CHECK(refusal(good) == "accepted");
    auto bytes = good;
    put(bytes, 20, 0xffffffff);
    put(bytes, 24, 0xffffffff);
    CHECK_THAT(refusal(bytes), ContainsSubstring("4294967295 x 4294967295 facets are stated"));
    bytes = good;
    put(bytes, 20, 0);
    CHECK_THAT(refusal(bytes), ContainsSubstring("0 x 1 facets"));
    bytes = good;
    put(bytes, kFirstFacet + 40, 0xffffffff);
    CHECK_THAT(refusal(bytes), ContainsSubstring("4294967295 points of facet 1"));
    bytes = good;
    put(bytes, kFirstFacet + 40, 0);
    CHECK(refusal(bytes) != "accepted");
    bytes = good;
    put(bytes, 12, 0x7fc00000);
    CHECK_THAT(refusal(bytes), ContainsSubstring("the width is nan"));
    bytes = good;
    put(bytes, kFirstFacet + 44, 0x7fc00000);
    CHECK_THAT(refusal(bytes), ContainsSubstring("facet 1: 1 of 3 samples are not finite"));
    bytes = good;
    put(bytes, kSecondFacet + 44 + 20, 0);
    CHECK_THAT(refusal(bytes),
               ContainsSubstring("facet 2: 1 of 4 samples have normals that are not unit"));
    bytes = good;
    put(bytes, kSecondFacet + 16, 0);
    CHECK_THAT(refusal(bytes), ContainsSubstring("canting vectors are zero or parallel"));
    CHECK_THAT(refusal(std::vector<std::byte>(5000, std::byte{'x'})),
               ContainsSubstring("check that this is a STRAL file"));
}

TEST_CASE("stral: a scenario says what it assumed") {
    StralFile file = sample();
    file.axis_offset = 0.5;
    auto surface = std::make_shared<Surface>(stral_facets(file));
    StralInputs inputs;
    inputs.file = "a.binp";
    std::vector<std::string> report;
    Scenario scenario = scenario_from_stral(file, surface, inputs, &report);
    CHECK(scenario.heliostats.at(0).position == Vec3{3.0, 50.0, 1.5});
    CHECK(scenario.heliostats[0].kinematics->deviations.concentrator_translation ==
          Vec3{0.0, rounded(0.175), 0.0});
    CHECK(surface->facets.at(1).translation == Vec3{0.5, 0.0, 0.25});
    REQUIRE(scenario.targets.size() == 2);
    const auto& cylinder = std::get<CylindricalTarget>(scenario.targets[1].geometry);
    CHECK(cylinder.opening_angle == Approx(std::acos(-1.0) / 3.0));
    std::string text;
    for (const std::string& line : report) text += line + "\n";
    for (const char* expected : {"with 2 facets and 7 points",
                                 "axis offset of 0.5 m ignored",
                                 "targets: assumed",
                                 "kinematics: assumed",
                                 "from the file",
                                 "sun: assumed"}) {
        CHECK_THAT(text, ContainsSubstring(expected));
    }

    inputs.tower = test::source_dir() + "/configs/paint/tower-measurements.json";
    inputs.position = Vec3{1, 2, 3};
    scenario = scenario_from_stral(file, surface, inputs, &report);
    CHECK(scenario.targets.size() == 4);
    CHECK(scenario.position.altitude_m == 87.0);
    CHECK(scenario.heliostats[0].position == Vec3{1, 2, 3});
}
