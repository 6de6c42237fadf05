// SPDX-License-Identifier: MIT
// The HDF5 layer: what is written is read back, whatever the types in the file.
#include "scenario/files/hdf5/file.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

#include <hdf5.h>

#include <numeric>

using namespace helioray;
using hdf5::ElementKind;
using hdf5::Shape;

TEST_CASE("hdf5: scalars come back") {
    const test::TemporaryFolder folder;
    hdf5::write_file(folder / "a.h5", [](hdf5::Group root) {
        root.write_number("number", 0.1);
        root.write_integer("integer", -9007199254740993);
        root.write_boolean("yes", true);
        root.write_boolean("no", false);
        root.write_string("text", "Jülich");
        root.write_string("empty", "");
        root.write_number("deep/down/here", 2.0);
    });
    const hdf5::File file = hdf5::File::open(folder / "a.h5");
    const hdf5::Group root = file.root();
    CHECK(root.read_number("number") == 0.1);
    CHECK(root.read_integer("integer") == -9007199254740993);
    CHECK(root.read_boolean("yes"));
    CHECK_FALSE(root.read_boolean("no"));
    CHECK(root.read_number("yes") == 1.0);
    CHECK(root.read_string("text") == "Jülich");
    CHECK(root.read_string("empty").empty());
    CHECK(root.read_number("deep/down/here") == 2.0);
    CHECK(root.group("deep").path() == "/deep");
    CHECK(root.group("deep").dataset("down/here").path() == "/deep/down/here");
    CHECK(root.dataset("yes").kind() == ElementKind::boolean);
    CHECK(root.dataset("text").kind() == ElementKind::string);
    CHECK(root.dataset("integer").kind() == ElementKind::integer);
    CHECK(root.contains("deep/down"));
    CHECK_FALSE(root.contains("deep/up/here"));
}

TEST_CASE("hdf5: a changed file keeps the rest, and its size") {
    const test::TemporaryFolder folder;
    const std::vector<std::string> texts{"Jülich", "", "a longer text"};
    const std::vector<double> numbers(10'000, 1.5);
    hdf5::write_file(folder / "a.h5", [&](hdf5::Group root) {
        root.write_number("kept", 0.1);
        root.write_padded_strings("texts", texts);
        root.write_array("numbers", numbers, {numbers.size()}, {{256}});
    });
    std::filesystem::permissions(folder / "a.h5", std::filesystem::perms::owner_read);
    std::filesystem::path last = folder / "a.h5";
    for (int i = 0; i < 5; ++i) {
        // Into another file first, then into itself.
        hdf5::change_file(last, folder / "b.h5", [&](hdf5::Group root) {
            for (const char* name : {"texts", "numbers"}) root.remove(name);
            root.write_padded_strings("texts", texts);
            root.write_array("numbers", numbers, {numbers.size()}, {{256}});
        });
        last = folder / "b.h5";
    }
    CHECK(std::filesystem::file_size(last) < 1.05 * std::filesystem::file_size(folder / "a.h5"));
    const hdf5::Group root = hdf5::File::open(last).root();
    CHECK(root.read_number("kept") == 0.1);
    CHECK(root.read_strings("texts") == texts);
    CHECK(root.read_numbers("numbers") == numbers);
}

TEST_CASE("hdf5: names are sorted byte by byte") {
    const test::TemporaryFolder folder;
    hdf5::write_file(folder / "a.h5", [](hdf5::Group root) {
        for (const char* name : {"facet_2", "facet_10", "a", "B", "ä", "facet_1"}) {
            root.write_integer(name, 0);
        }
    });
    const std::vector<std::string> expected{"B", "a", "facet_1", "facet_10", "facet_2", "ä"};
    CHECK(hdf5::File::open(folder / "a.h5").root().names() == expected);
}

TEMPLATE_TEST_CASE("hdf5: arrays of every type come back",
                   "",
                   double,
                   float,
                   std::int64_t,
                   std::int32_t,
                   std::uint8_t) {
    const test::TemporaryFolder folder;
    std::vector<TestType> values(2 * 3 * 4);
    std::iota(values.begin(), values.end(), TestType{1});
    hdf5::write_file(folder / "a.h5", [&](hdf5::Group root) {
        root.write_array("plain", values, {2, 3, 4});
        root.write_array("packed", values, {2, 3, 4}, {{1, 3, 100}, 4});
        auto rows = root.create_dataset<TestType>("rows", {2, 3, 4}, {{1, 3, 4}, 1});
        rows.write_rows(1, std::span<const TestType>(values).subspan(12));
        rows.write_rows(0, std::span<const TestType>(values).first(12));
        root.write_array("none", std::vector<TestType>{}, {0, 3});
    });
    const hdf5::Group root = hdf5::File::open(folder / "a.h5").root();
    for (const char* name : {"plain", "packed", "rows"}) {
        INFO(name);
        const hdf5::Dataset dataset = root.dataset(name);
        CHECK(dataset.shape() == Shape{2, 3, 4});
        CHECK(dataset.read<TestType>() == values);
        CHECK(dataset.read<double>() == std::vector<double>(values.begin(), values.end()));
        CHECK(dataset.read_rows<TestType>(1, 1) ==
              std::vector<TestType>(values.begin() + 12, values.end()));
    }
    CHECK(root.dataset("none").read<TestType>().empty());
}

TEST_CASE("hdf5: attributes come back and are replaced") {
    const test::TemporaryFolder folder;
    hdf5::write_file(folder / "a.h5", [](hdf5::Group root) {
        root.write_attribute("version", 1.5);
        root.write_attribute("version", 2.5);
        root.write_attribute("count", 7);
        root.write_attribute("whole", 3.0);
        root.write_attribute("flag", true);
        root.write_attribute("name", "µm");
        root.write_attribute("vector", std::vector<double>{1, 2, 3});
        root.write_attribute("names", std::vector<std::string>{"a", "b"});
        root.write_number("x", 1).write_attribute("unit", std::string("W/m2"));
    });
    const hdf5::Group root = hdf5::File::open(folder / "a.h5").root();
    CHECK(root.read_attribute_number("version") == 2.5);
    CHECK(root.read_attribute_integer("count") == 7);
    CHECK(root.read_attribute_integer("whole") == 3);
    CHECK(root.read_attribute_number("flag") == 1.0);
    CHECK(root.read_attribute_string("name") == "µm");
    CHECK(root.read_attribute_numbers("vector") == std::vector<double>{1, 2, 3});
    CHECK(root.dataset("x").read_attribute_string("unit") == "W/m2");
    CHECK_FALSE(root.has_attribute("absent"));
}

TEST_CASE("hdf5: strings of foreign writers are read") {
    const test::TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    // Fixed-length ASCII in both paddings, and variable-length ASCII, as other programs write them.
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t two = 2;
    const hid_t space = H5Screate_simple(1, &two, nullptr);
    const auto write = [&](const char* name, hid_t type, const void* data) {
        const hid_t set =
            H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        H5Dclose(set);
    };
    const hid_t fixed = H5Tcopy(H5T_C_S1);
    H5Tset_size(fixed, 6);
    write("null", fixed, "ideal\0linear");
    H5Tset_strpad(fixed, H5T_STR_SPACEPAD);
    write("space", fixed, "ideal linear");
    const hid_t variable = H5Tcopy(H5T_C_S1);
    H5Tset_size(variable, H5T_VARIABLE);
    const char* pointers[] = {"ideal", "linear"};
    write("ascii", variable, pointers);
    H5Tclose(fixed);
    H5Tclose(variable);
    H5Sclose(space);
    H5Fclose(file);

    const hdf5::Group root = hdf5::File::open(path).root();
    const std::vector<std::string> expected{"ideal", "linear"};
    for (const char* name : {"null", "space", "ascii"}) {
        INFO(name);
        CHECK(root.read_strings(name) == expected);
    }
}

TEST_CASE("hdf5: nothing stays open") {
    const test::TemporaryFolder folder;
    hdf5::write_file(folder / "a.h5", [](hdf5::Group root) {
        root.create_group("g").write_strings("s", {"a", "b"});
        root.write_attribute("v", 1.0);
    });
    {
        const hdf5::Group root = hdf5::File::open(folder / "a.h5").root();
        const hdf5::Group copy = root.group("g");
        CHECK(copy.read_strings("s").size() == 2);
        CHECK_THROWS(root.dataset("g"));
        CHECK_THROWS(root.read_attribute_string("v"));
        CHECK(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) > 0);
    }
    CHECK(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0);
}
