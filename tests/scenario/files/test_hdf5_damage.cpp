// SPDX-License-Identifier: MIT
// Damage that HDF5's library itself does not survive: each file gives a message.
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/files/text_file.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"
#include "tests/support/message_of.h"

#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <vector>

using namespace helioray;
namespace fs = std::filesystem;

namespace {

std::string bytes_of(const fs::path& path) {
    return read_text_file(path, "");
}

void write_bytes(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

const std::string kText = "a text of twenty-six bytes";

/// A file with a text as a dataset and as an attribute.
std::string sample(const fs::path& path) {
    hdf5::write_file(path, [](hdf5::Group root) {
        root.write_string("name", kText);
        root.write_strings("names", {kText, "", "b"});
        root.write_attribute("title", "another");
    });
    return bytes_of(path);
}

/// Where the file says of the text how long it is, and behind that where it is: by its length and
/// the address of the heap.
size_t place_of_text(const std::string& bytes) {
    const std::uint32_t length = 26;
    const std::uint64_t heap = bytes.find("GCOL");
    std::string place(12, '\0');
    std::memcpy(place.data(), &length, 4);
    std::memcpy(place.data() + 4, &heap, 8);
    return bytes.find(place);
}

}  // namespace

TEST_CASE("hdf5 damage: text is read as it was written") {
    const test::TemporaryFolder folder;
    sample(folder / "a.h5");
    const hdf5::Group root = hdf5::File::open(folder / "a.h5").root();
    CHECK(root.read_string("name") == kText);
    CHECK(root.read_strings("names") == std::vector<std::string>{kText, "", "b"});
    CHECK(root.read_attribute_string("title") == "another");
}

TEST_CASE("hdf5 damage: text that is not where its place says") {
    const test::TemporaryFolder folder;
    const std::string good = sample(folder / "good.h5");
    const size_t place = place_of_text(good);
    REQUIRE(place != std::string::npos);
    const size_t heap = good.find("GCOL");
    struct Damage {
        size_t at;
        std::string bytes;
    };
    const std::string most(8, '\xff');
    for (const auto& [at, bytes] : {
             Damage{place, most.substr(0, 4)},      // longer than the heap
             Damage{place + 3, "\x70"},             // gigabytes
             Damage{place + 4, "\x01"},             // no heap there
             Damage{place + 4, most.substr(0, 7)},  // behind the end
             Damage{place + 13, "\x08"},            // a number that the heap does not have
             Damage{heap, "X"},                     // no heap
             Damage{heap + 8, most},                // larger than the file
             Damage{heap + 16 + 8, most},           // an object larger than the heap
             Damage{heap + 16 + 8, std::string(8, '\0')},
         }) {
        INFO(at << " of " << good.size());
        std::string damaged = good;
        damaged.replace(at, bytes.size(), bytes);
        write_bytes(folder / "bad.h5", damaged);
        CHECK_THAT(test::message_of([&] {
                       const hdf5::Group root = hdf5::File::open(folder / "bad.h5").root();
                       root.read_strings("names");
                       root.read_string("name");
                       root.read_attribute_string("title");
                   }),
                   ContainsSubstring("its text is not where the file says; the file may be"));
    }
}

TEST_CASE("hdf5 damage: extents and numbers larger than the file") {
    const test::TemporaryFolder folder;
    CHECK(hdf5::num_elements({std::size_t{1} << 40, std::size_t{1} << 40}) ==
          std::numeric_limits<std::size_t>::max());
    hdf5::write_file(folder / "a.h5", [](hdf5::Group root) {
        root.create_dataset<double>("never written", {100'000'000});
    });
    const hdf5::Group root = hdf5::File::open(folder / "a.h5").root();
    CHECK_THAT(test::message_of([&] { root.read_numbers("never written"); }),
               ContainsSubstring("has shape (100000000,) and elements of 8 bytes, more than its"));
}

TEST_CASE("hdf5: large datasets are read back, whatever their storage") {
    const test::TemporaryFolder folder;
    // Above the size from which extents are compared with the file.
    const hdf5::Shape shape{1500, 1000};
    std::vector<double> values(hdf5::num_elements(shape));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 1013);
    const std::vector<std::string> names(1'500'000, "heliostat");
    hdf5::write_file(folder / "a.h5", [&](hdf5::Group root) {
        root.write_array<double>("contiguous", values, shape);
        root.write_array<double>("chunked", values, shape, {{100, 1000}, 4});
        root.write_array<double>("zeros", std::vector<double>(values.size()), shape, {shape, 9});
        root.write_strings("names", names);
        root.write_padded_strings("padded", names, {{10'000}, 4});
        // One chunk of 2,000 has contents.
        hdf5::Dataset sparse =
            root.create_dataset<double>("sparse", {2000, 100, 100}, {{1, 100, 100}, 4});
        sparse.write_rows<double>(7, std::span(values).first(10'000));
    });
    const hdf5::Group root = hdf5::File::open(folder / "a.h5").root();
    CHECK(root.read_numbers("contiguous") == values);
    CHECK(root.read_numbers("chunked") == values);
    CHECK(root.dataset("contiguous").read_rows<double>(1, 1498).size() == 1'498'000);
    CHECK(root.read_numbers("zeros") == std::vector<double>(values.size()));
    CHECK(root.read_strings("names") == names);
    CHECK(root.read_strings("padded") == names);
    const hdf5::Dataset sparse = root.dataset("sparse");
    const std::vector<double> all = sparse.read<double>();
    CHECK(all.size() == 20'000'000);
    CHECK(std::vector(all.begin() + 70'000, all.begin() + 80'000) ==
          std::vector(values.begin(), values.begin() + 10'000));
    CHECK(sparse.read_rows<double>(7, 1)[9'999] == values[9'999]);
}

TEST_CASE("text files: pipes and devices come to an end") {
    const test::TemporaryFolder folder;
    const auto message = [](const fs::path& path) {
        return test::message_of([&] { read_text_file(path, "it is tested"); });
    };
    CHECK_THAT(message("/dev/zero"), ContainsSubstring("/dev/zero: is not a text file"));
    CHECK(read_text_file("/dev/null", "").empty());
    CHECK_THAT(message("/proc/self/mem"), ContainsSubstring("/proc/self/mem: cannot be read"));
    const fs::path pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THAT(message(pipe), ContainsSubstring("pipe: is a pipe into which nobody writes"));
}
