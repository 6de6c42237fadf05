// SPDX-License-Identifier: MIT
// Deflectometry files of PAINT: read, and refused with every problem at once.
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/import/paint/paint.h"
#include "tests/scenario/edit_file.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"
#include "tests/support/golden_messages.h"

#include <cmath>

using namespace helioray;

namespace {

/// Two facets of 6 and 4 points in float32, as the database has them.
void write_sample(const std::filesystem::path& path) {
    hdf5::write_file(path, [](hdf5::Group root) {
        for (const size_t count : {6, 4}) {
            std::vector<float> points, normals;
            for (size_t i = 0; i < count; ++i) {
                const auto x = static_cast<float>(i);
                points.insert(points.end(), {0.1f * x, 0.2f * x, 0.01f * x});
                normals.insert(normals.end(), {0.6f, 0.0f, 0.8f});
            }
            hdf5::Group facet = root.create_group(count == 6 ? "facet1" : "facet2");
            facet.write_array("surface_points", points, {count, 3});
            facet.write_array("surface_normals", normals, {count, 3});
        }
    });
}

/// What reading says after an edit of the sample.
template <typename Edit>
std::string refusal(const Edit& edit) {
    const test::TemporaryFolder folder;
    const auto path = folder / "a-deflectometry.h5";
    write_sample(path);
    {
        test::FileEditor editor(path);
        edit(editor);
    }
    try {
        read_deflectometry(path);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("deflectometry: facets of different numbers of points") {
    const test::TemporaryFolder folder;
    write_sample(folder / "a-deflectometry.h5");
    const MeasuredSurface surface = read_deflectometry(folder / "a-deflectometry.h5");
    REQUIRE(surface.facets.size() == 2);
    CHECK(surface.facets[0].points.size() == 6);
    REQUIRE(surface.facets[1].points.size() == 4);
    CHECK(surface.facets[1].points[3] == Vec3{0.1f * 3.0f, 0.2f * 3.0f, 0.01f * 3.0f});
    // Normalised beyond float32.
    const Vec3 normal = surface.facets[0].normals[5];
    CHECK(std::hypot(normal[0], normal[1], normal[2]) == Approx(1.0).epsilon(1e-15));
    CHECK(normal[0] / normal[2] == Approx(0.75).epsilon(1e-6));
    CHECK_THAT(surface.facets[1].where, ContainsSubstring("facet2"));
}

TEST_CASE("deflectometry: missing, misshapen and broken data are refused") {
    using Editor = test::FileEditor;
    CHECK_THAT(refusal([](Editor& e) {
                   e.remove("facet1");
                   e.remove("facet2");
               }),
               ContainsSubstring("holds no group 'facet1'"));
    CHECK_THAT(refusal([](Editor& e) { e.remove("facet1"); }), ContainsSubstring("facet1"));
    CHECK_THAT(refusal([](Editor& e) { e.remove("facet2/surface_normals"); }),
               ContainsSubstring("facet2/surface_normals"));
    CHECK_THAT(refusal([](Editor& e) {
                   e.put("facet1/surface_points", std::vector<double>(12, 0.0), {6, 2});
               }),
               ContainsSubstring("has the shape [6, 2]"));
    CHECK_THAT(refusal([](Editor& e) { e.put_text("facet1/surface_points", "none"); }),
               ContainsSubstring("facet1/surface_points"));
    CHECK_THAT(refusal([](Editor& e) {
                   e.put("facet1/surface_points", std::vector<double>(15, 0.0), {5, 3});
               }),
               ContainsSubstring("5 points, but 6 normals"));
    CHECK_THAT(refusal([](Editor& e) {
                   e.put("facet2/surface_points", {}, {0, 3});
                   e.put("facet2/surface_normals", {}, {0, 3});
               }),
               ContainsSubstring("holds no samples"));
}

TEST_CASE("deflectometry: bad samples of all facets are counted") {
    const std::string text = refusal([](test::FileEditor& e) {
        std::vector<double> points(18, 0.0);
        points[3] = NAN;
        points[16] = INFINITY;
        e.put("facet1/surface_points", points, {6, 3});
        // Unit, zero, upside down, unit.
        e.put("facet2/surface_normals", {0, 0, 1, 0, 0, 0, 0, 0, -1, 0, 1, 1e-3}, {4, 3});
    });
    CHECK_THAT(text, ContainsSubstring("2 of 6 samples are not finite, the first is number 2"));
    test::check_message(
        "paint", "normals of wrong length", text, {"1 of 4 samples", "unit", "number 2"});
    test::check_message(
        "paint", "normals that point down", text, {"1 of 4 samples", "up", "number 3"});
}
