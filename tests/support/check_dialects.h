// SPDX-License-Identifier: MIT
// Checks that a reader of tables reads every dialect and refuses damaged tables.
#pragma once

#include "scenario/files/error.h"
#include "tests/support/catch2.h"
#include "tests/support/table_dialects.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace helioray::test {

/// Reads a file and returns its values as a text; throws InputError for bad files.
using DialectReader = std::function<std::string(const std::filesystem::path&)>;

/// Returns the message of the InputError that the reader throws for a text, or an empty text.
inline std::string read_dialect(const std::filesystem::path& file,
                                const std::string& text,
                                const DialectReader& read,
                                std::string& values) {
    std::ofstream(file, std::ios::binary) << text;
    try {
        values = read(file);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

/// Checks that all dialects give the values of the plain table, and that damaged tables are refused
/// with the name of the file. The file is overwritten.
inline void check_every_dialect(const std::filesystem::path& file,
                                const std::vector<DialectColumn>& columns,
                                const DialectReader& read) {
    std::string expected;
    CHECK(read_dialect(file, table_text({.name = "plain"}, columns), read, expected) == "");
    REQUIRE_FALSE(expected.empty());
    REQUIRE(table_dialects().size() == 40);
    for (const TableDialect& dialect : table_dialects()) {
        const std::string text = table_text(dialect, columns);
        INFO(dialect.name << ":\n" << text);
        std::string found;
        CHECK(read_dialect(file, text, read, found) == "");
        CHECK(found == expected);
    }
    for (const RefusedDialect& damage : refused_dialects(columns)) {
        INFO(damage.name << ":\n" << damage.text);
        std::string found;
        const std::string message = read_dialect(file, damage.text, read, found);
        CHECK(message.find(file.filename().string()) != std::string::npos);
        CHECK(message.find(damage.message) != std::string::npos);
    }
}

}  // namespace helioray::test
