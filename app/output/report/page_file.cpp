// SPDX-License-Identifier: MIT
// Checks the names of the files of pages and pictures.
#include "app/output/report/page_file.h"

#include "app/output/plot/drawing/plot_page.h"
#include "scenario/files/error.h"

#include <fmt/format.h>

namespace helioray {

void check_page_name(const std::string& option, const std::filesystem::path& page) {
    const std::string ending = page.extension().string();
    if (ending == ".html" || ending == ".htm") return;
    throw InputError(Problem{option,
                             fmt::format("'{}' does not end in .html", page.string()),
                             "it is a web page",
                             "use a name like report.html"});
}

std::vector<std::filesystem::path> picture_and_page(const std::string& image,
                                                    const std::string& report) {
    std::vector<std::filesystem::path> files;
    if (!image.empty()) {
        picture_format(image);
        files.emplace_back(image);
    }
    if (!report.empty()) {
        check_page_name("--report", report);
        files.emplace_back(report);
    }
    return files;
}

}  // namespace helioray
