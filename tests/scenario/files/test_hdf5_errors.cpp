// SPDX-License-Identifier: MIT
// The HDF5 layer: every failure names file and path; files are written completely or not at all.
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"
#include "tests/support/message_of.h"

#include <fstream>
#include <stdexcept>

using namespace helioray;
namespace fs = std::filesystem;

namespace {

void write_sample(const fs::path& path) {
    hdf5::write_file(path, [](hdf5::Group root) {
        root.write_number("heliostats/AA39/half", 0.5);
        root.write_string("heliostats/AA39/name", "AA39");
        root.write_array("heliostats/AA39/position", std::vector<double>{1, 2, 3}, {3});
    });
}

}  // namespace

TEST_CASE("hdf5: reading failures name file and path") {
    const test::TemporaryFolder folder;
    const fs::path path = folder / "field.h5";
    write_sample(path);
    const hdf5::Group root = hdf5::File::open(path).root();
    const std::string at = path.string() + ": /heliostats/AA39/";

    struct Case {
        std::function<void()> action;
        std::string where;
        std::string what;
    };
    const hdf5::Group aa39 = root.group("heliostats/AA39");
    const std::vector<Case> cases{
        {[&] { aa39.dataset("absent"); }, at + "absent", "dataset is missing"},
        {[&] { aa39.group("absent/g"); }, at + "absent/g", "group is missing"},
        {[&] { aa39.group("name"); }, at + "name", "is not a group"},
        {[&] { root.dataset("heliostats"); }, ": /heliostats", "is not a dataset"},
        {[&] { aa39.read_number("name"); }, at + "name", "holds text, not numbers"},
        {[&] { aa39.read_string("half"); }, at + "half", "floating-point numbers, not text"},
        {[&] { aa39.read_integer("half"); }, at + "half", "0.5 is not an integer"},
        {[&] { aa39.read_number("position"); }, at + "position", "has shape (3,), a single"},
        {[&] { aa39.dataset("position").read_rows<double>(2, 2); }, at + "position", "rows 2 to 4"},
        {[&] { root.read_attribute_number("version"); }, ": /@version", "is missing"},
    };
    for (const Case& item : cases) {
        INFO(item.where);
        const std::string message = test::message_of(item.action);
        CHECK_THAT(message, ContainsSubstring(item.where));
        CHECK_THAT(message, ContainsSubstring(item.what));
    }
}

TEST_CASE("hdf5: writing failures name file and path") {
    const test::TemporaryFolder folder;
    hdf5::File file = hdf5::File::create(folder / "a.h5");
    hdf5::Group root = file.root();
    root.write_number("x", 1.0);
    const std::vector<double> three{1, 2, 3};
    CHECK_THAT(test::message_of([&] { root.write_number("x", 2.0); }),
               ContainsSubstring("/x: exists"));
    CHECK_THAT(test::message_of([&] {
                   root.write_array("y", three, {2, 2});
               }),
               ContainsSubstring("3 values do not fill shape (2, 2)"));
    CHECK_THAT(test::message_of([&] {
                   root.write_array("z", three, {3}, {{1, 1}, 0});
               }),
               ContainsSubstring("chunks of (1, 1)"));
    CHECK_THAT(test::message_of([&] {
                   root.write_array("z", three, {3}, {{}, 4});
               }),
               ContainsSubstring("compression needs chunks"));
    CHECK_THAT(test::message_of([&] { file.close(); }), ContainsSubstring("still open"));
}

TEST_CASE("hdf5: files that are none are told apart") {
    const test::TemporaryFolder folder;
    const auto open = [](const fs::path& path) {
        return test::message_of([&] { hdf5::File::open(path); });
    };
    CHECK_THAT(open(folder / "absent.h5"), ContainsSubstring("absent.h5: file does not exist"));
    CHECK_THAT(open(folder.path()), ContainsSubstring("is a folder"));

    std::ofstream(folder / "text.h5") << "heliostats: 3\n";
    CHECK_THAT(open(folder / "text.h5"), ContainsSubstring("is not an HDF5 file"));
    std::ofstream(folder / "empty.h5").flush();
    CHECK_THAT(open(folder / "empty.h5"), ContainsSubstring("it has 0 bytes"));

    write_sample(folder / "cut.h5");
    const auto size = fs::file_size(folder / "cut.h5");
    for (const auto part : {size - 1, size / 2, std::uintmax_t{100}}) {
        fs::resize_file(folder / "cut.h5", part);
        INFO(part << " of " << size);
        CHECK_THAT(open(folder / "cut.h5"), ContainsSubstring("truncated"));
    }
}

TEST_CASE("hdf5: a file is written completely or not at all") {
    const test::TemporaryFolder folder;
    write_sample(folder / "a.h5");
    const auto size = fs::file_size(folder / "a.h5");
    CHECK_THROWS_AS(hdf5::write_file(folder / "a.h5",
                                     [](hdf5::Group root) {
                                         root.write_number("x", 1.0);
                                         throw std::runtime_error("stop");
                                     }),
                    std::runtime_error);
    CHECK(fs::file_size(folder / "a.h5") == size);
    CHECK_NOTHROW(hdf5::File::open(folder / "a.h5").root().group("heliostats"));
    const auto remove_and_stop = [](hdf5::Group root) {
        root.remove("heliostats");
        throw std::runtime_error("stop");
    };
    CHECK_THROWS_AS(hdf5::change_file(folder / "a.h5", folder / "a.h5", remove_and_stop),
                    std::runtime_error);
    CHECK_THROWS_AS(
        hdf5::change_file(
            folder / "a.h5", folder / "a.h5", [](hdf5::Group root) { root.remove("nothing"); }),
        InputError);
    CHECK_NOTHROW(hdf5::File::open(folder / "a.h5").root().group("heliostats"));
    CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);

    const auto nothing = [](hdf5::Group) {};
    CHECK_THAT(test::message_of([&] { hdf5::write_file(folder / "no/such/a.h5", nothing); }),
               ContainsSubstring("does not exist"));
    CHECK_THAT(test::message_of([&] { hdf5::write_file(folder.path(), nothing); }),
               ContainsSubstring("is a folder"));
}
