// SPDX-License-Identifier: MIT
// Damaged, foreign and incomplete result files.
#include "raytracer/results/result_file.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <functional>

using namespace helioray;

namespace {

// The first problem of reading the file.
Problem problem_of(const std::filesystem::path& path) {
    try {
        read_result(path);
    } catch (const InputError& error) {
        return error.problems().front();
    }
    return {};
}

// Copies a group or dataset tree, leaving out one path and changing attributes by name.
struct Edit {
    std::string leave_out;
    bool has_peak = true;  // false: as in files of versions that stored the largest pixel alone
    std::function<void(hdf5::Group&)> root = [](hdf5::Group&) {};
    std::function<void(hdf5::Group&)> target = [](hdf5::Group&) {};
};

// A result file whose contents are those of the sample but for the edit.
void write_edited(const std::filesystem::path& path, const Edit& edit) {
    const test::ScratchFolder folder;
    write_result(test::sample_result(), folder / "good.h5");
    const hdf5::Group good = hdf5::File::open(folder / "good.h5").root();
    hdf5::write_file(path, [&](hdf5::Group root) {
        for (const char* name : {"format",
                                 "helioray_version",
                                 "git_commit",
                                 "created",
                                 "config",
                                 "scenario_file",
                                 "scenario_sha256",
                                 "backend",
                                 "device",
                                 "launcher",
                                 "fingerprint"}) {
            root.write_attribute(name, good.read_attribute_string(name));
        }
        for (const char* name : {"format_version", "rays", "world_size"}) {
            root.write_attribute(name, good.read_attribute_integer(name));
        }
        root.write_attribute("seed", 42);
        root.write_attribute("sun_direction", good.read_attribute_numbers("sun_direction"));
        edit.root(root);

        for (const char* parent : {"targets/receiver", "heliostats"}) {
            const hdf5::Group from = good.group(parent);
            hdf5::Group to = root.create_group(parent);
            for (const std::string& name : from.names()) {
                if (edit.leave_out == from.path() + "/" + name) continue;
                const hdf5::Dataset dataset = from.dataset(name);
                if (dataset.kind() == hdf5::ElementKind::string) {
                    to.write_strings(name, dataset.read_strings());
                } else {
                    to.write_array<double>(name, dataset.read<double>(), dataset.shape())
                        .write_attribute("unit", dataset.read_attribute_string("unit"));
                }
            }
        }
        const hdf5::Group from = good.group("targets/receiver");
        hdf5::Group to = root.group("targets/receiver");
        for (const char* name : {"power_w",
                                 "power_std_error_w",
                                 "peak_flux_w_m2",
                                 "peak_flux_std_error_w_m2",
                                 "peak_area_m2",
                                 "peak_pixel_w_m2"}) {
            const std::string text = name;
            const bool is_new = text.starts_with("peak_") && text != "peak_flux_w_m2";
            if (!edit.has_peak && is_new) continue;
            to.write_attribute(name, from.read_attribute_number(name));
        }
        to.write_attribute("centroid_m", from.read_attribute_numbers("centroid_m"));
        to.write_attribute("kind", from.read_attribute_string("kind"));
        to.write_attribute("geometry", from.read_attribute_string("geometry"));
        edit.target(to);
    });
}

Problem problem_after(const Edit& edit) {
    const test::ScratchFolder folder;
    write_edited(folder / "edited.h5", edit);
    return problem_of(folder / "edited.h5");
}

}  // namespace

TEST_CASE("The edited copy without an edit is readable") {
    const Problem problem = problem_after({});
    CHECK(to_string(problem) == "");
}

TEST_CASE("Of files with the largest pixel alone the peak is not stored") {
    const test::ScratchFolder folder;
    Edit old;
    old.has_peak = false;
    write_edited(folder / "old.h5", old);
    const TargetResult target = read_result(folder / "old.h5").targets.at(0);
    CHECK(target.peak_pixel_w_m2 == test::sample_result().targets[1].peak_flux_w_m2);
    CHECK(std::isnan(target.peak_flux_w_m2));
    CHECK(std::isnan(target.peak_flux_std_error_w_m2));
    CHECK(std::isnan(target.peak_area_m2));
}

TEST_CASE("Missing and foreign files are named") {
    const test::ScratchFolder folder;
    CHECK_THAT(problem_of(folder / "none.h5").what, ContainsSubstring("does not exist"));

    test::write_bytes(folder / "text.h5", "scenario: plant.h5\n");
    CHECK_THAT(problem_of(folder / "text.h5").what, ContainsSubstring("HDF5"));

    hdf5::write_file(folder / "other.h5", [](hdf5::Group root) { root.write_integer("a", 1); });
    CHECK(problem_of(folder / "other.h5").what == "is no result file");
}

// Only lengths: HDF5 1.10 itself crashes on some files whose inner structure was overwritten.
TEST_CASE("A file cut off anywhere is refused with its name") {
    const test::ScratchFolder folder;
    write_result(test::sample_result(), folder / "good.h5");
    const std::string good = test::read_bytes(folder / "good.h5");
    REQUIRE(good.size() > 10'000);
    for (size_t size = 0; size < good.size(); size += 397) {
        test::write_bytes(folder / "cut.h5", good.substr(0, size));
        const Problem problem = problem_of(folder / "cut.h5");
        CHECK_THAT(problem.where, ContainsSubstring("cut.h5"));
        CHECK_FALSE(problem.what.empty());
    }
}

TEST_CASE("Other formats and versions are refused") {
    Edit format;
    format.root = [](hdf5::Group& root) { root.write_attribute("format", "other"); };
    CHECK_THAT(problem_after(format).what, ContainsSubstring("not 'helioray-result'"));

    Edit version;
    version.root = [](hdf5::Group& root) { root.write_attribute("format_version", 2); };
    const Problem problem = problem_after(version);
    CHECK_THAT(problem.where, ContainsSubstring("format_version"));
    CHECK_THAT(problem.what, ContainsSubstring("2"));
    CHECK_THAT(problem.why, ContainsSubstring("1"));
}

TEST_CASE("Every missing dataset is named by its path") {
    for (const std::string name : {"/targets/receiver/flux",
                                   "/targets/receiver/flux_std_error",
                                   "/heliostats/name",
                                   "/heliostats/target",
                                   "/heliostats/spillage_loss",
                                   "/heliostats/target_power_std_error",
                                   "/heliostats/orientation",
                                   "/heliostats/motor_positions",
                                   "/heliostats/aim_point",
                                   "/heliostats/rays"}) {
        Edit edit;
        edit.leave_out = name;
        CHECK_THAT(problem_after(edit).where, ContainsSubstring(name));
    }
}

TEST_CASE("Bad attributes of a target are named") {
    Edit edit;
    std::string expected;
    SECTION("unknown kind") {
        edit.target = [](hdf5::Group& target) { target.write_attribute("kind", "cone"); };
        expected = "'cone'";
    }
    SECTION("geometry that is no JSON") {
        edit.target = [](hdf5::Group& target) { target.write_attribute("geometry", "{"); };
        expected = "cannot be understood";
    }
    SECTION("geometry without a member") {
        edit.target = [](hdf5::Group& target) { target.write_attribute("geometry", "{}"); };
        expected = "cannot be understood";
    }
    SECTION("no area") {
        edit.target = [](hdf5::Group& target) {
            target.write_attribute("geometry",
                                   R"({"center":[0,0,0],"normal":[0,1,0],"width":0,"height":7.2})");
        };
        expected = "no area";
    }
    SECTION("centroid of two numbers") {
        edit.target = [](hdf5::Group& target) {
            target.write_attribute("centroid_m", std::vector<double>{1.0, 2.0});
        };
        expected = "2 numbers";
    }
    const Problem problem = problem_after(edit);
    CHECK_THAT(problem.where, ContainsSubstring("/targets/receiver"));
    CHECK_THAT(problem.what, ContainsSubstring(expected));
}
