// SPDX-License-Identifier: MIT
// Archives of bytes: every kind of member comes back, and damaged bytes are refused.
#include "scenario/files/byte_archive.h"
#include "tests/support/catch2.h"

namespace helioray::test {

namespace {

enum class Colour { red, green };

struct Inner {
    double number = 0.0;
    std::string text;
    bool operator==(const Inner&) const = default;
};

struct Outer {
    int count = 0;
    bool is_set = false;
    Colour colour = Colour::red;
    std::optional<Inner> perhaps;
    std::optional<double> number;
    std::variant<Inner, double> either;
    std::map<std::string, Inner> by_name;
    std::filesystem::path path;
    std::vector<Inner> list;
    std::vector<bool> flags;
    std::array<double, 3> place{};
    std::array<Inner, 2> pair;
    std::shared_ptr<const Inner> shared;
};

/// A class with a constructor, and a member that archives leave out.
class Listed {
  public:
    explicit Listed(std::string kept) : kept_(std::move(kept)) {}
    const std::string& kept() const { return kept_; }
    int left_out = 0;

    template <typename Archive>
    friend void members(Archive& archive, Archived<Archive, Listed>& value) {
        archive(value.kept_);
    }

  private:
    std::string kept_;
};

}  // namespace

TEST_CASE("members: their number and order") {
    CHECK(count_members<Inner>() == 2);
    CHECK(count_members<Outer>() == 13);
    Inner inner{2.0, "x"};
    visit_members(inner, [](double& number, std::string& text) {
        number += 1.0;
        text += "y";
    });
    CHECK(inner == Inner{3.0, "xy"});
}

TEST_CASE("byte archive: every kind of member comes back") {
    Outer outer;
    outer.count = -7;
    outer.is_set = true;
    outer.colour = Colour::green;
    outer.perhaps = Inner{1.5, "perhaps"};
    outer.either = 2.5;
    outer.by_name = {{"a", {3.5, "first"}}, {"b", {4.5, "second"}}};
    outer.path = "folder/file";
    outer.list = {{5.5, "item"}, {6.5, ""}};
    outer.flags = {true, false, true};
    outer.place = {7.5, 8.5, 9.5};
    outer.pair = {Inner{10.5, "left"}, Inner{11.5, "right"}};
    outer.shared = std::make_shared<const Inner>(Inner{12.5, "shared"});
    const std::string bytes = bytes_of(outer);
    const Outer back = value_of<Outer>(bytes);
    CHECK(back.count == outer.count);
    CHECK(back.is_set);
    CHECK(back.colour == Colour::green);
    CHECK(back.perhaps == outer.perhaps);
    CHECK_FALSE(back.number);
    CHECK(back.either == outer.either);
    CHECK(back.by_name == outer.by_name);
    CHECK(back.path == outer.path);
    CHECK(back.list == outer.list);
    CHECK(back.flags == outer.flags);
    CHECK(back.place == outer.place);
    CHECK(back.pair == outer.pair);
    REQUIRE(back.shared);
    CHECK(*back.shared == *outer.shared);
    CHECK_FALSE(value_of<Outer>(bytes_of(Outer())).shared);
    CHECK_THROWS_AS(value_of<Outer>(bytes.substr(0, bytes.size() - 1)), std::runtime_error);
    CHECK_THROWS_AS(value_of<Outer>(bytes + "x"), std::runtime_error);
}

TEST_CASE("byte archive: a class lists its members itself") {
    Listed listed("kept");
    listed.left_out = 4;
    Listed start("");
    start.left_out = 5;
    const Listed back = value_of<Listed>(bytes_of(listed), start);
    CHECK(back.kept() == "kept");
    CHECK(back.left_out == 5);
}

}  // namespace helioray::test
