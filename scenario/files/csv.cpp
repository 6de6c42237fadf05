// SPDX-License-Identifier: MIT
// Parses tables in one pass over the characters and records the place of every cell.
#include "scenario/files/csv.h"

#include "scenario/files/error.h"
#include "scenario/files/foreign_file.h"
#include "scenario/files/text_encoding.h"
#include "scenario/files/text_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

bool CsvRow::is_blank() const {
    return std::all_of(
        cells.begin(), cells.end(), [](const std::string& cell) { return cell.empty(); });
}

std::string CsvTable::where(const CsvRow& row, size_t cell) const {
    if (cell < row.columns.size())
        return fmt::format("{}:{}:{}", file, row.line, row.columns[cell]);
    return fmt::format("{}:{}", file, row.line);
}

namespace {

class Parser {
  public:
    Parser(std::string text, std::string name) : text_(std::move(text)) {
        table_.file = std::move(name);
        if (text_.starts_with("\xEF\xBB\xBF")) text_.erase(0, 3);
    }

    CsvTable parse() {
        skip_comments();
        if (!read_separator_line()) table_.delimiter = find_delimiter();
        while (at_ < text_.size()) {
            CsvRow row = read_row();
            if (!row.is_blank()) table_.rows.push_back(std::move(row));
            skip_comments();
        }
        if (!problems_.empty()) throw InputError(std::move(problems_));
        return std::move(table_);
    }

  private:
    bool at_line_end() const { return at_ >= text_.size() || is_line_end(text_[at_]); }
    static bool is_line_end(char c) { return c == '\n' || c == '\r'; }
    int column() const { return static_cast<int>(at_ - line_begin_) + 1; }

    void step() {
        const char c = text_[at_++];
        const bool ends_line =
            c == '\n' || (c == '\r' && (at_ >= text_.size() || text_[at_] != '\n'));
        if (!ends_line) return;
        ++line_;
        line_begin_ = at_;
    }

    /// Returns true if a '#' begins a comment here: "H#1" is a name, "40 # noon" has a comment.
    bool begins_comment() const {
        return text_[at_] == '#' && at_ > 0 && (text_[at_ - 1] == ' ' || text_[at_ - 1] == '\t');
    }

    void skip_line() {
        while (!at_line_end()) step();
        skip_line_end();
    }
    void skip_line_end() {
        if (at_ < text_.size() && text_[at_] == '\r') step();
        if (at_ < text_.size() && text_[at_] == '\n') step();
    }

    void skip_comments() {
        while (at_ < text_.size()) {
            const size_t first = text_.find_first_not_of(" \t", at_);
            if (first == std::string::npos || text_[first] != '#') return;
            skip_line();
        }
    }

    /// Reads the line "sep=;", with which files for Excel begin. Returns false if the file has
    /// none.
    bool read_separator_line() {
        if (text_.compare(at_, 4, "sep=") != 0 || at_ + 4 >= text_.size()) return false;
        table_.delimiter = text_[at_ + 4];
        skip_line();
        skip_comments();
        return true;
    }

    char find_delimiter() const {
        constexpr char kCandidates[] = {',', ';', '\t'};
        size_t counts[] = {0, 0, 0};
        bool quoted = false;
        for (size_t i = at_; i < text_.size(); ++i) {
            if (text_[i] == '"') quoted = !quoted;
            const size_t seen = counts[0] + counts[1] + counts[2];
            // A file of one column has no delimiter in its first record.
            if (!quoted && is_line_end(text_[i]) && seen > 0) break;
            for (size_t k = 0; k < 3 && !quoted; ++k) counts[k] += text_[i] == kCandidates[k];
        }
        return kCandidates[std::max_element(counts, counts + 3) - counts];
    }

    CsvRow read_row() {
        CsvRow row;
        row.line = line_;
        while (true) {
            read_cell(row);
            if (at_line_end()) break;
            step();  // skip the delimiter
        }
        skip_line_end();
        return row;
    }

    void read_cell(CsvRow& row) {
        while (!at_line_end() && (text_[at_] == ' ' || text_[at_] == '\t') &&
               text_[at_] != table_.delimiter) {
            step();
        }
        if (!at_line_end() && text_[at_] == '#' && !row.cells.empty()) {
            // Skip a comment behind the last separator. skip_comments() handles comments before the
            // first cell.
            while (!at_line_end()) step();
        }
        row.columns.push_back(column());
        row.quoted.push_back(!at_line_end() && text_[at_] == '"');
        if (row.quoted.back()) {
            row.cells.push_back(read_quoted());
            return;
        }
        std::string cell;
        while (!at_line_end() && text_[at_] != table_.delimiter) {
            if (begins_comment()) {
                while (!at_line_end()) step();
                break;
            }
            cell += text_[at_];
            step();
        }
        row.cells.push_back(trimmed(cell));
    }

    std::string read_quoted() {
        const std::string where = fmt::format("{}:{}:{}", table_.file, line_, column());
        std::string cell;
        step();
        while (at_ < text_.size()) {
            const char c = text_[at_];
            step();
            if (c != '"') {
                cell += c;
            } else if (at_ < text_.size() && text_[at_] == '"') {
                cell += '"';
                step();
            } else {
                return after_quote(where, cell);
            }
        }
        problems_.push_back({where,
                             "the quote is not closed",
                             "everything up to the end of the file belongs to this cell",
                             "add the closing '\"'"});
        return cell;
    }

    std::string after_quote(const std::string& where, const std::string& cell) {
        std::string rest;
        while (!at_line_end() && text_[at_] != table_.delimiter) {
            if (text_[at_] == '#') {
                while (!at_line_end()) step();
                break;
            }
            rest += text_[at_];
            step();
        }
        if (!trimmed(rest).empty()) {
            problems_.push_back({where,
                                 fmt::format("'{}' follows the closing quote", trimmed(rest)),
                                 "",
                                 "put the whole cell in quotes and write quotes in it twice"});
        }
        return cell;
    }

    std::string text_;
    CsvTable table_;
    std::vector<Problem> problems_;
    size_t at_ = 0;
    size_t line_begin_ = 0;
    int line_ = 1;
};

}  // namespace

CsvTable parse_csv(const std::string& text, const std::string& name) {
    refuse_foreign_file(text, name, "a table of text in UTF-8, such as CSV");
    refuse_binary(text, name);
    return Parser(text, name).parse();
}

CsvTable read_csv(const std::filesystem::path& file) {
    return parse_csv(read_text_file(file, "it holds a table"), file.string());
}

}  // namespace helioray
