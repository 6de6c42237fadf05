// SPDX-License-Identifier: MIT
// Checks the names of pages, and stores them.
#include "app/output/report/page_file.h"

#include "scenario/files/error.h"
#include "scenario/files/output_files.h"

#include <fmt/format.h>

#include <span>

namespace helioray {

void check_page_name(const std::string& option, const std::filesystem::path& page) {
    const std::string ending = page.extension().string();
    if (ending == ".html" || ending == ".htm") return;
    throw InputError(Problem{option,
                             fmt::format("'{}' does not end in .html", page.string()),
                             "it is a web page",
                             "use a name like report.html"});
}

void write_page(const std::string& text, const std::filesystem::path& page) {
    AtomicFile file(page);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
}

}  // namespace helioray
