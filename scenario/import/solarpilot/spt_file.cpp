// SPDX-License-Identifier: MIT
// Reads elements, text and entities of XML as far as project files have them.
#include "scenario/import/solarpilot/spt_file.h"

#include "scenario/files/error.h"
#include "scenario/files/foreign_file.h"
#include "scenario/files/text_encoding.h"
#include "scenario/files/text_file.h"
#include "scenario/reader/read_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace helioray::solarpilot {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// A text between a begin and an end tag.
struct Leaf {
    std::string text;
    int line = 0;  // on which the text begins after blanks
};

class Reader {
  public:
    Reader(std::string_view text, std::string name) : text_(text) {
        project_.file = std::move(name);
    }

    Project read() {
        if (next_tag() != "data")
            lost("is not a project of SolarPILOT", "its first element is <data>");
        for (std::string tag = next_tag(); tag != "/data"; tag = next_tag()) {
            if (tag == "variable") {
                read_variable();
            } else if (tag == "version") {
                project_.version = read_leaf(tag).text;
            } else {
                skip(tag);
            }
        }
        log_.throw_if_any();
        return std::move(project_);
    }

  private:
    [[noreturn]] void lost(const std::string& what, const std::string& expected) const {
        throw InputError(
            Problem{project_.where(line_),
                    what,
                    expected,
                    "give a file that SolarPILOT has saved (.spt), or a table of its layout to "
                    "'helioray scenario layout'"});
    }

    [[noreturn]] void cut_off() const {
        throw InputError(Problem{
            project_.file, fmt::format("ends in line {}", line_), "the file is cut off", ""});
    }

    /// Moves on to a place of the text and counts the lines on the way.
    void move_to(size_t place) {
        line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                             text_.begin() + static_cast<std::ptrdiff_t>(place),
                                             '\n'));
        at_ = place;
    }

    /// Moves behind the next occurrence of `end`; returns the text before it.
    std::string_view take_until(std::string_view end) {
        const size_t place = text_.find(end, at_);
        if (place == std::string_view::npos) cut_off();
        const std::string_view taken = text_.substr(at_, place - at_);
        move_to(place + end.size());
        return taken;
    }

    bool starts_with(std::string_view begin) const { return text_.substr(at_).starts_with(begin); }

    /// Skips comments and declarations. Returns true if it skipped something.
    bool skip_remark() {
        if (starts_with("<!--")) {
            take_until("-->");
            return true;
        }
        if (starts_with("<?")) {
            take_until("?>");
            return true;
        }
        return false;
    }

    /// Returns the name of the tag that begins here, with "/" before that of an end tag; an element
    /// without content counts as two tags.
    std::string take_tag() {
        if (!pending_end_.empty()) return std::exchange(pending_end_, "");
        ++at_;
        std::string_view tag = take_until(">");
        const bool is_whole = tag.ends_with('/');
        if (is_whole) tag.remove_suffix(1);
        std::string name(tag.substr(0, tag.find_first_of(kBlanks)));
        if (is_whole) pending_end_ = "/" + name;
        return name;
    }

    /// Returns the next tag where no text is expected.
    std::string next_tag() {
        while (pending_end_.empty()) {
            const size_t place = text_.find_first_not_of(kBlanks, at_);
            if (place == std::string_view::npos) cut_off();
            move_to(place);
            if (text_[at_] != '<') lost("has text between elements", "expected a tag");
            if (!skip_remark()) break;
        }
        return take_tag();
    }

    /// Returns the text up to the next tag, with entities replaced.
    Leaf take_text() {
        Leaf leaf{"", line_};
        while (pending_end_.empty()) {
            if (at_ >= text_.size()) cut_off();
            if (starts_with("<![CDATA[")) {
                at_ += std::string_view("<![CDATA[").size();
                leaf.text += take_until("]]>");
            } else if (text_[at_] == '<') {
                if (!skip_remark()) break;
            } else {
                const size_t end = std::min(text_.find_first_of("<&", at_), text_.size());
                leaf.text += text_.substr(at_, end - at_);
                move_to(end);
                if (at_ < text_.size() && text_[at_] == '&') leaf.text += take_entity();
            }
        }
        const size_t first = std::min(leaf.text.find_first_not_of(kBlanks), leaf.text.size());
        leaf.line += static_cast<int>(std::count(
            leaf.text.begin(), leaf.text.begin() + static_cast<std::ptrdiff_t>(first), '\n'));
        leaf.text = trimmed(leaf.text, kBlanks);
        return leaf;
    }

    std::string take_entity() {
        ++at_;
        const std::string_view name = take_until(";");
        if (name == "lt") return "<";
        if (name == "gt") return ">";
        if (name == "amp") return "&";
        if (name == "quot") return "\"";
        if (name == "apos") return "'";
        int code = 0;
        const bool is_hexadecimal = name.starts_with("#x");
        if (name.starts_with('#')) {
            const char* begin = name.data() + (is_hexadecimal ? 2 : 1);
            const char* end = name.data() + name.size();
            const auto [stop, fault] = std::from_chars(begin, end, code, is_hexadecimal ? 16 : 10);
            if (fault == std::errc() && stop == end && code > 0 && code < 128)
                return {static_cast<char>(code)};
        }
        lost(fmt::format("has the entity '&{};'", name.substr(0, 20)),
             "known are lt, gt, amp, quot, apos and numbers of ASCII characters");
    }

    /// Returns the text of an element whose begin tag was read.
    Leaf read_leaf(const std::string& tag) {
        Leaf leaf = take_text();
        const std::string end = take_tag();
        if (end != "/" + tag)
            lost(fmt::format("has <{}> in <{}>", end, tag), fmt::format("expected </{}>", tag));
        return leaf;
    }

    /// Skips the rest of an element whose begin tag was read.
    void skip(const std::string& tag) {
        if (tag.starts_with('/')) lost(fmt::format("has <{}> without a beginning", tag), "");
        std::vector<std::string> open{tag};
        while (!open.empty()) {
            take_text();
            std::string next = take_tag();
            if (!next.starts_with('/')) {
                open.push_back(std::move(next));
            } else if (next.substr(1) == open.back()) {
                open.pop_back();
            } else {
                lost(fmt::format("has <{}> in <{}>", next, open.back()),
                     fmt::format("expected </{}>", open.back()));
            }
        }
    }

    void read_variable() {
        const int begin = line_;
        std::map<std::string, Leaf> parts;
        for (std::string tag = next_tag(); tag != "/variable"; tag = next_tag()) {
            if (tag.starts_with('/'))
                lost(fmt::format("has <{}> in <variable>", tag), "expected </variable>");
            parts[tag] = read_leaf(tag);
        }
        const std::string where = project_.where(begin);
        for (const char* part : {"component", "instance", "varname", "value"}) {
            if (parts.contains(part)) continue;
            log_.problem(where,
                         fmt::format("a variable has no <{}>", part),
                         "it names or defines the variable",
                         "save the project with SolarPILOT again");
            return;
        }
        const std::string& number = parts["instance"].text;
        int instance = 0;
        const auto [stop, fault] =
            std::from_chars(number.data(), number.data() + number.size(), instance);
        if (fault != std::errc() || stop != number.data() + number.size() || instance < 0) {
            log_.problem(where,
                         fmt::format("instance '{}' is not a number", number),
                         "variables of receivers and templates are told apart by it",
                         "save the project with SolarPILOT again");
            return;
        }
        const std::string& component = parts["component"].text;
        const std::string& name = parts["varname"].text;
        Variable variable{parts["value"].text, parts["units"].text, begin, parts["value"].line};
        const auto [first, is_new] =
            project_.variables.emplace(std::tuple(component, instance, name), std::move(variable));
        if (!is_new)
            log_.problem(where,
                         fmt::format("{}.{}.{} is given twice", component, instance, name),
                         fmt::format("first in line {}", first->second.line),
                         "remove one of them");
    }

    std::string_view text_;
    size_t at_ = 0;
    int line_ = 1;
    std::string pending_end_;  // end tag of an element without content
    Project project_;
    ReadLog log_;
};

}  // namespace

std::string Project::where(int line) const {
    return line > 0 ? fmt::format("{}:{}", file, line) : file;
}

const Variable* Project::find(const std::string& component,
                              int instance,
                              const std::string& name) const {
    const auto found = variables.find({component, instance, name});
    return found == variables.end() ? nullptr : &found->second;
}

std::vector<int> Project::instances(const std::string& component) const {
    std::vector<int> numbers;
    for (const auto& [key, variable] : variables) {
        if (std::get<0>(key) != component) continue;
        if (numbers.empty() || numbers.back() != std::get<1>(key))
            numbers.push_back(std::get<1>(key));
    }
    return numbers;
}

Project parse_project(const std::string& text, const std::string& name) {
    const std::string plain = without_byte_order_mark(text);
    return Reader(plain, name).read();
}

Project read_project(const std::filesystem::path& file) {
    const std::string text = read_text_file(file, "it holds a SolarPILOT project");
    refuse_foreign_file(text, file.string(), "a project of SolarPILOT (.spt) as text in UTF-8");
    return parse_project(text, file.string());
}

}  // namespace helioray::solarpilot
