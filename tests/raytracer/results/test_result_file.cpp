// SPDX-License-Identifier: MIT
// Result files: contents, layout, attributes, round trip.
#include "raytracer/results/result_columns.h"
#include "raytracer/results/result_file.h"
#include "scenario/files/hdf5/file.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace helioray;
using test::sample_result;

namespace {

void check_same(const Provenance& a, const Provenance& b) {
    CHECK(a.helioray_version == b.helioray_version);
    CHECK(a.git_commit == b.git_commit);
    CHECK(a.created == b.created);
    CHECK(a.config == b.config);
    CHECK(a.config_folder == b.config_folder);
    CHECK(a.scenario_file == b.scenario_file);
    CHECK(a.scenario_sha256 == b.scenario_sha256);
    CHECK(a.seed == b.seed);
    CHECK(a.rays == b.rays);
    CHECK(a.world_size == b.world_size);
    CHECK(a.backend == b.backend);
    CHECK(a.device == b.device);
    CHECK(a.launcher == b.launcher);
    CHECK(a.fingerprint == b.fingerprint);
    CHECK(a.sun_direction == b.sun_direction);
    CHECK(a.instruction_set == b.instruction_set);
    CHECK(a.temperature_c == b.temperature_c);
}

void check_same(const TargetResult& a, const TargetResult& b) {
    CHECK(a.target == b.target);
    CHECK(a.width == b.width);
    CHECK(a.height == b.height);
    CHECK(a.unit == b.unit);
    CHECK(a.flux == b.flux);
    CHECK(a.flux_std_error == b.flux_std_error);
    CHECK(a.power_w == b.power_w);
    CHECK(a.power_std_error_w == b.power_std_error_w);
    CHECK(a.peak_flux_w_m2 == b.peak_flux_w_m2);
    CHECK(a.peak_flux_std_error_w_m2 == b.peak_flux_std_error_w_m2);
    CHECK(a.peak_area_m2 == b.peak_area_m2);
    CHECK(a.peak_pixel_w_m2 == b.peak_pixel_w_m2);
    CHECK(a.centroid_m == b.centroid_m);
}

/// Calls visit(name, member of a, member of b) for the members that a result file stores. A new
/// member does not compile before it is visited here.
template <typename Visit>
void visit_members(const HeliostatResult& row, const HeliostatResult& other, const Visit& visit) {
    const auto& [name,
                 target,
                 energy,
                 defocus_loss,
                 soiling_loss,
                 outage_loss,
                 target_power_std_error,
                 orientation,
                 motor_positions,
                 aim_point,
                 mirror_outline,
                 rays,
                 reflectivity,
                 flux] = row;
    visit("name", name, other.name);
    visit("target", target, other.target);
    for (const EnergyTermInfo& term : energy_term_infos())
        if (!term.is_of_receivers) visit(term.name, energy.*term.member, other.energy.*term.member);
    // Only years have these.
    CHECK(defocus_loss + soiling_loss + outage_loss == 0.0);
    visit("target_power_std_error", target_power_std_error, other.target_power_std_error);
    visit("orientation", orientation, other.orientation);
    visit("motor_positions", motor_positions, other.motor_positions);
    visit("aim_point", aim_point, other.aim_point);
    visit("mirror_outline", mirror_outline, other.mirror_outline);
    visit("rays", rays, other.rays);
    visit("reflectivity", reflectivity, other.reflectivity);
    visit("flux", flux, other.flux);
}

void check_same(const HeliostatResult& a, const HeliostatResult& b) {
    visit_members(a, b, [](const char* name, const auto& written, const auto& read) {
        INFO("HeliostatResult::" << name << ": declare its column in result_columns.cpp");
        CHECK(written == read);
    });
}

RunResult written_and_read(const RunResult& result) {
    const test::ScratchFolder folder;
    write_result(result, folder / "out.h5");
    return read_result(folder / "out.h5");
}

}  // namespace

TEST_CASE("Every field of a result survives a round trip") {
    RunResult result = sample_result();
    result.error_uncertainty = 0.25;
    const RunResult back = written_and_read(result);
    CHECK(back.error_uncertainty == 0.25);
    CHECK(written_and_read(sample_result()).error_uncertainty == 0.0);
    check_same(result.provenance, back.provenance);
    REQUIRE(back.targets.size() == 2);
    REQUIRE(back.heliostats.size() == 3);
    for (size_t i = 0; i < 2; ++i) check_same(result.targets[i], back.targets[i]);
    for (size_t i = 0; i < 3; ++i) check_same(result.heliostats[i], back.heliostats[i]);
    visit_members(
        result.heliostats[0],
        HeliostatResult(),
        [](const char* name, const auto& value, const auto& unset) {
            INFO("HeliostatResult::" << name << ": set it in tests/raytracer/sample_result.cpp");
            CHECK(value != unset);
        });
}

TEST_CASE("Maps of single heliostats are optional when writing and when reading") {
    const test::ScratchFolder folder;
    RunResult result = sample_result();
    write_result(result, folder / "with.h5");
    CHECK(read_result(folder / "with.h5", HeliostatFlux::skip).heliostats[0].flux.empty());

    // A heliostat without a map among others has no flux.
    result.heliostats[1].flux.clear();
    const RunResult some = written_and_read(result);
    CHECK(some.heliostats[1].flux == std::vector<float>(20, 0.0F));
    CHECK(some.heliostats[2].flux == result.heliostats[2].flux);

    for (HeliostatResult& heliostat : result.heliostats) heliostat.flux.clear();
    write_result(result, folder / "without.h5");
    CHECK_FALSE(hdf5::File::open(folder / "without.h5").root().contains("heliostats/flux"));
    CHECK(read_result(folder / "without.h5").heliostats[0].flux.empty());
}

TEST_CASE("Outlines of mirrors are stored when all are known") {
    RunResult result = sample_result();
    CHECK(written_and_read(result).heliostats[1].mirror_outline ==
          result.heliostats[1].mirror_outline);
    result.heliostats[1].mirror_outline.reset();
    CHECK_FALSE(written_and_read(result).heliostats[0].mirror_outline.has_value());
}

TEST_CASE("ARTIST's units and results without heliostats or standard errors are kept") {
    RunResult result = sample_result();
    result.targets[0].unit = std::string("1");
    result.targets[1].flux_std_error.clear();
    result.heliostats.clear();
    const RunResult back = written_and_read(result);
    CHECK(back.targets[0].unit == "1");
    REQUIRE(back.targets[1].flux_std_error.size() == 20);
    CHECK(std::isnan(back.targets[1].flux_std_error[7]));
    CHECK(back.heliostats.empty());
}

TEST_CASE("The file has the agreed layout") {
    const test::ScratchFolder folder;
    write_result(sample_result(), folder / "out.h5");
    const hdf5::Group root = hdf5::File::open(folder / "out.h5").root();
    CHECK(root.read_attribute_string("format") == "helioray-result");
    CHECK(root.read_attribute_integer("format_version") == 1);
    CHECK(root.read_attribute_numbers("sun_direction").size() == 3);
    CHECK(root.names() == std::vector<std::string>{"heliostats", "targets"});

    const hdf5::Group target = root.group("targets/receiver");
    CHECK(target.names() ==
          std::vector<std::string>{"flux", "flux_std_error", "height_m", "width_m"});
    CHECK(target.read_attribute_string("kind") == "planar");
    CHECK(target.read_attribute_string("geometry") ==
          R"({"center":[-17.6,-2.7,52.0],"normal":[0.6,0.8,0.0],"width":8.6,"height":7.2})");
    CHECK(target.read_attribute_numbers("centroid_m").size() == 3);
    CHECK(target.dataset("flux").shape() == hdf5::Shape{4, 5});
    CHECK(target.dataset("flux").read_attribute_string("unit") == "W/m2");

    // Pixel centres: columns grow to the right, rows downwards.
    const std::vector<double> width = target.read_numbers("width_m");
    const std::vector<double> height = target.read_numbers("height_m");
    REQUIRE(width.size() == 5);
    REQUIRE(height.size() == 4);
    CHECK(width[0] == Approx(-0.4 * 8.6));
    CHECK(width[4] == Approx(0.4 * 8.6));
    CHECK(height[0] == Approx(0.375 * 7.2));
    CHECK(height[3] == Approx(-0.375 * 7.2));

    const hdf5::Group heliostats = root.group("heliostats");
    // All columns, the maps, and the coordinates of the axes of maps, matrices and outlines.
    std::vector<std::string> names{"flux"};
    for (const Column<HeliostatResult>& column : heliostat_columns(sample_result()))
        names.push_back(column.name);
    for (const char* axis :
         {"axis", "column", "corner", "motor", "pixel_column", "pixel_row", "row"})
        names.emplace_back(axis);
    std::sort(names.begin(), names.end());
    CHECK(heliostats.names() == names);
    CHECK(heliostats.dataset("orientation").shape() == hdf5::Shape{3, 4, 4});
    CHECK(heliostats.dataset("motor_positions").shape() == hdf5::Shape{3, 2});
    CHECK(heliostats.dataset("aim_point").shape() == hdf5::Shape{3, 3});
    CHECK(heliostats.dataset("flux").shape() == hdf5::Shape{3, 4, 5});
    CHECK(heliostats.dataset("rays").kind() == hdf5::ElementKind::integer);
}

TEST_CASE("Every dataset has a unit and a description") {
    const test::ScratchFolder folder;
    write_result(sample_result(), folder / "out.h5");
    const hdf5::Group root = hdf5::File::open(folder / "out.h5").root();
    for (const char* group_path : {"targets/cavity", "targets/receiver", "heliostats"}) {
        const hdf5::Group group = root.group(group_path);
        for (const std::string& name : group.names()) {
            const hdf5::Dataset dataset = group.dataset(name);
            INFO(dataset.path());
            REQUIRE(dataset.has_attribute("unit"));
            REQUIRE(dataset.has_attribute("description"));
            CHECK(dataset.read_attribute_string("description").size() > 15);
            // Only names have no unit.
            const bool text = dataset.kind() == hdf5::ElementKind::string;
            CHECK(dataset.read_attribute_string("unit").empty() == text);
        }
    }
}

TEST_CASE("Results that contradict themselves are not written") {
    const test::ScratchFolder folder;
    RunResult result = sample_result();
    SECTION("flux of another size") {
        result.targets[0].flux.pop_back();
    }
    SECTION("standard errors of another size") {
        result.targets[1].flux_std_error.pop_back();
    }
    SECTION("map of a heliostat of another size") {
        result.heliostats[1].flux.pop_back();
    }
    SECTION("a name that is no group") {
        result.targets[0].target.name = std::string("a/b");
    }
    CHECK_THROWS_WITH(write_result(result, folder / "out.h5"),
                      ContainsSubstring("cannot be written"));
    CHECK(folder.num_entries() == 0);
}

TEST_CASE("The estimate of a result's size is an upper bound, not far off") {
    const test::ScratchFolder folder;
    RunResult result = sample_result();
    result.targets = {test::spot("receiver", 8.6, 7.2, 200, 150, 1e5)};
    for (HeliostatResult& heliostat : result.heliostats) heliostat.flux.clear();
    write_result(result, folder / "out.h5");
    const std::uint64_t size = std::filesystem::file_size(folder / "out.h5");
    const std::uint64_t estimate = estimated_result_bytes(1, 3, 150, 200, false);
    CHECK(estimate >= size);
    CHECK(estimate < 2 * size);
    CHECK(estimated_result_bytes(1, 3, 150, 200, true) == estimate + 3U * 150 * 200 * 4);
}

TEST_CASE("result file: receivers of several surfaces come back") {
    RunResult result = sample_result();
    result.targets[0].target.receiver = "r";
    result.targets[1].target.receiver = "r";
    result.targets[1].target.outline = {{-1, -1}, {1, -1}, {0, 1}};
    result.targets.push_back(result.targets[0]);
    result.targets[2].target.name = "shield";
    result.targets[2].target.use = SurfaceUse::shield;
    result.targets[2].peak_flux_w_m2 = 1e9;
    result.heliostats[1].energy.shield_loss = 77.0;
    const test::ScratchFolder folder;
    write_result(result, folder / "a.h5");
    const RunResult back = read_result(folder / "a.h5");
    REQUIRE(back.targets.size() == 3);
    for (const TargetResult& target : result.targets) {
        const TargetResult* found = find_target(back, target.target.name);
        REQUIRE(found != nullptr);
        CHECK(found->target == target.target);
    }
    CHECK(back.heliostats[1].energy.shield_loss == 77.0);
    CHECK(total_energy(back).shield_loss == 77.0);
    // Surfaces that absorb all light have no reflected losses and no mirrors.
    CHECK(energy_terms_of(back).size() + 4 == energy_term_infos().size());

    const std::vector<ReceiverResult> receivers = receiver_results(back);
    REQUIRE(receivers.size() == 1);
    // Shields absorb light that is lost.
    CHECK(receivers[0].power_w == result.targets[0].power_w + result.targets[1].power_w);
    CHECK(power_on_targets(back) == receivers[0].power_w);
    CHECK(receivers[0].peak_flux_w_m2 == peak_on_targets(back));
    CHECK(receivers[0].peak_flux_w_m2 < 1e9);
    CHECK(receivers[0].surfaces.size() == 3);
    const hdf5::Group group = hdf5::File::open(folder / "a.h5").root().group("receivers/r");
    CHECK(group.read_attribute_number("power_w") == receivers[0].power_w);
    CHECK(group.read_attribute_number("power_std_error_w") == receivers[0].power_std_error_w);
    CHECK(group.read_attribute_number("peak_flux_w_m2") == receivers[0].peak_flux_w_m2);
}

TEST_CASE("result file: surfaces that reflect have a map of the incident light") {
    RunResult result = sample_result();
    TargetResult& target = result.targets[0];
    target.target.receiver = "r";
    target.target.absorption = SurfaceAbsorption{.absorptance = 0.93,
                                                 .law = AbsorptanceLaw::martin_ruiz,
                                                 .martin_ruiz_coefficient = 0.17,
                                                 .table = {{0.0, 0.9}, {80.0, 0.5}},
                                                 .specular_fraction = 0.25,
                                                 .bounces = 4,
                                                 .slope_error = 1e-3};
    target.incident = IncidentLight{
        target.flux, std::vector<double>(target.flux.size(), 0.5), 9e3, 12.0, 8e3, 40.0};
    target.incident->flux[3] = 123.0;
    result.heliostats[1].energy.escape_loss = 7.0;
    result.heliostats[1].energy.reflected_shield_loss = 8.0;
    result.heliostats[0].energy.bounce_limit_loss = 9.0;
    const test::ScratchFolder folder;
    write_result(result, folder / "a.h5");
    const RunResult back = read_result(folder / "a.h5");
    const TargetResult* found = find_target(back, target.target.name);
    REQUIRE(found != nullptr);
    CHECK(found->target == target.target);
    REQUIRE(found->incident);
    CHECK(found->incident->flux == target.incident->flux);
    CHECK(found->incident->flux_std_error == target.incident->flux_std_error);
    CHECK(found->incident->power_w == 9e3);
    CHECK(found->incident->power_std_error_w == 12.0);
    CHECK(found->incident->peak_flux_w_m2 == 8e3);
    CHECK(found->incident->peak_flux_std_error_w_m2 == 40.0);
    // No surface is a mirror.
    CHECK(energy_terms_of(back).size() == energy_term_infos().size() - 1);
    CHECK(total_energy(back).escape_loss == 7.0);
    CHECK(total_energy(back).reflected_shield_loss == 8.0);
    CHECK(total_energy(back).bounce_limit_loss == 9.0);
    CHECK(receiver_results(back).at(0).incident_power_w == 9e3);
    CHECK(receiver_results(back).at(0).incident_peak_flux_w_m2 == 8e3);
    const hdf5::Group group = hdf5::File::open(folder / "a.h5").root().group("receivers/r");
    CHECK(group.read_attribute_number("incident_power_w") == 9e3);
}

TEST_CASE("result file: plants without receivers have no trace of them") {
    const test::ScratchFolder folder;
    write_result(sample_result(), folder / "a.h5");
    const hdf5::Group root = hdf5::File::open(folder / "a.h5").root();
    CHECK_FALSE(root.contains("receivers"));
    CHECK_FALSE(root.contains("heliostats/shield_loss"));
    CHECK_FALSE(root.group("targets/cavity").has_attribute("receiver"));
    CHECK(energy_terms_of(sample_result()).size() + 5 == energy_term_infos().size());
    CHECK(receiver_results(sample_result()).empty());
}
