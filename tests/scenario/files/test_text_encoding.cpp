// SPDX-License-Identifier: MIT
// Clean UTF-8, escaped markup, base64.
#include "scenario/files/csv.h"
#include "scenario/files/text_encoding.h"
#include "tests/support/catch2.h"

using namespace helioray;

TEST_CASE("Base64 gives the test vectors of RFC 4648") {
    CHECK(base64("").empty());
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foo") == "Zm9v");
    CHECK(base64("foob") == "Zm9vYg==");
    CHECK(base64("fooba") == "Zm9vYmE=");
    CHECK(base64("foobar") == "Zm9vYmFy");
    CHECK(base64("\xff\xfe\xfd") == "//79");
}

TEST_CASE("Markup characters are escaped, bad bytes replaced, lines kept") {
    CHECK(markup_text("<a href=\"x\">'&'</a>") ==
          "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
    CHECK(markup_text("a\n\tb\r\x01\xff") == "a\n\tb???");
    CHECK(markup_text("Jülich ☀") == "Jülich ☀");
}

TEST_CASE("Control characters and broken sequences become question marks") {
    CHECK(valid_utf8("a\nb\x7f") == "a?b?");
    CHECK(valid_utf8("\xc3") == "?");
    CHECK(valid_utf8("\xc3\xbc") == "ü");
    CHECK(valid_utf8("\xe2\x82") == "??");
}

TEST_CASE("Cells of tables are quoted where they hold a separator") {
    CHECK(csv_cell("AA39 north") == "AA39 north");
    CHECK(csv_cell("a,b") == "\"a,b\"");
    CHECK(csv_cell("a \"b\"") == "\"a \"\"b\"\"\"");
    CHECK(csv_cell("a\nb") == "\"a\nb\"");
    for (const char* const text : {"#1", "a#1", " a", "a ", "\ta", "", "a b"}) {
        const std::string table = csv_cell(text) + ",x\n";
        CAPTURE(table);
        REQUIRE(parse_csv(table, "table.csv").rows.size() == 1);
        CHECK(parse_csv(table, "table.csv").rows.front().cells ==
              std::vector<std::string>{text, "x"});
    }
    CHECK(csv_cell("a#1") == "\"a#1\"");
}
