// SPDX-License-Identifier: MIT
// Tables of text: delimiters, quotes, places of cells.
#include "scenario/files/csv.h"
#include "tests/scenario/import/field/field_support.h"

using namespace helioray;
using helioray::test::contains;

using Cells = std::vector<std::string>;

TEST_CASE("csv: the delimiter is found whatever it is") {
    for (const char delimiter : {',', ';', '\t'}) {
        const std::string d(1, delimiter);
        const CsvTable table = parse_csv("a" + d + "b\n1" + d + " 2 \n", "t.csv");
        INFO(delimiter);
        CHECK(table.delimiter == delimiter);
        REQUIRE(table.rows.size() == 2);
        CHECK(table.rows[0].cells == Cells{"a", "b"});
        CHECK(table.rows[1].cells == Cells{"1", "2"});
    }
    // A comma inside of quotes is no delimiter.
    CHECK(parse_csv("\"a,b,c\";d\n", "t").rows[0].cells == Cells{"a,b,c", "d"});
}

TEST_CASE("csv: quotes hold delimiters, line ends and quotes") {
    const CsvTable table =
        parse_csv("name,x\n\"a \"\"b\"\", c\",1\n\"two\nlines\",2\nlast,3", "t.csv");
    REQUIRE(table.rows.size() == 4);
    CHECK(table.rows[1].cells == Cells{"a \"b\", c", "1"});
    CHECK(table.rows[2].cells == Cells{"two\nlines", "2"});
    CHECK(table.rows[3].cells == Cells{"last", "3"});
    CHECK(table.rows[3].line == 5);
}

TEST_CASE("csv: line ends, byte order mark, comments and blank lines") {
    const CsvTable table =
        parse_csv("\xEF\xBB\xBF# made by hand\r\na,b\r\n\r\n# more\r\n1,2\r\n,\r\n3,\r\n", "t.csv");
    REQUIRE(table.rows.size() == 3);
    CHECK(table.rows[0].cells == Cells{"a", "b"});
    CHECK(table.rows[1].line == 5);
    CHECK(table.rows[2].cells == Cells{"3", ""});
    CHECK(parse_csv("a,b\r1,2\r", "t").rows.size() == 2);
    CHECK(parse_csv("", "t").rows.empty());
}

TEST_CASE("csv: places are lines and columns of the file") {
    const CsvTable table = parse_csv("name, x\n# c\n\"H 1\",  7\n", "t.csv");
    CHECK(table.where(table.rows[0], 1) == "t.csv:1:7");
    CHECK(table.where(table.rows[1], 0) == "t.csv:3:1");
    CHECK(table.where(table.rows[1], 1) == "t.csv:3:9");
    CHECK(table.where(table.rows[1], 5) == "t.csv:3");
}

TEST_CASE("csv: every damaged quote is reported with its place") {
    const std::string text =
        test::message_of([] { parse_csv("a,b\n\"x\"y,1\n2,\"open\n", "t.csv"); });
    CHECK(contains(text, "t.csv:2:1: 'y' follows the closing quote"));
    CHECK(contains(text, "t.csv:3:3: the quote is not closed"));
    CHECK(contains(test::message_of([] { read_csv("no/such.csv"); }),
                   "no/such.csv: there is no such file"));
}
