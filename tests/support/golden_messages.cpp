// SPDX-License-Identifier: MIT
#include "tests/support/golden_messages.h"

#include "tests/support/catch2.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace helioray::test {
namespace {

const std::string kSeparator = "--- ";

using Messages = std::map<std::string, std::string>;

/// Reads the entries of a file; a line "--- NAME" comes before each of them.
Messages read_messages(const std::filesystem::path& path) {
    Messages messages;
    std::ifstream file(path);
    std::string name, line;
    while (std::getline(file, line)) {
        if (line.rfind(kSeparator, 0) == 0) {
            name = line.substr(kSeparator.size());
        } else {
            messages[name] += line + "\n";
        }
    }
    return messages;
}

void write_messages(const std::filesystem::path& path, const Messages& messages) {
    std::ofstream file(path);
    for (const auto& [name, text] : messages) file << kSeparator << name << "\n" << text;
}

/// The line of a text that contains all words; the whole text if there are none.
std::string find_line(const std::string& text, const std::vector<std::string>& words) {
    if (words.empty()) return text;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        bool has_all = true;
        for (const std::string& word : words) has_all &= line.find(word) != std::string::npos;
        if (has_all) return line;
    }
    for (const std::string& word : words) UNSCOPED_INFO("no line with all words: " << word);
    FAIL(text);
    return {};
}

/// Replaces the temporary folders of tests by FOLDER.
std::string without_folders(const std::string& text) {
    const std::string folder = (std::filesystem::temp_directory_path() / "helioray_").string();
    return std::regex_replace(text, std::regex(folder + "[A-Za-z0-9_]+"), "FOLDER");
}

}  // namespace

void check_message(const std::string& subject,
                   const std::string& name,
                   const std::string& text,
                   const std::vector<std::string>& words) {
    const std::filesystem::path path =
        std::filesystem::path(source_dir()) / "tests/golden/messages" / (subject + ".txt");
    std::string message = without_folders(find_line(text, words));
    if (message.empty() || message.back() != '\n') message += "\n";
    if (std::getenv("HELIORAY_WRITE_MESSAGES")) {
        // Tests run side by side; the lock of the folder keeps their entries apart.
        const int folder = open(path.parent_path().c_str(), O_RDONLY | O_CLOEXEC);
        REQUIRE(flock(folder, LOCK_EX) == 0);
        Messages messages = read_messages(path);
        messages[name] = message;
        write_messages(path, messages);
        close(folder);
        return;
    }
    static std::map<std::filesystem::path, Messages> read;
    if (!read.count(path)) read[path] = read_messages(path);
    INFO(path << " has another entry '" << name << "'; scripts/messages writes these files again");
    CHECK(read[path][name] == message);
}

}  // namespace helioray::test
