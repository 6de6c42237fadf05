// SPDX-License-Identifier: MIT
// The report: self-contained, escaped, small.
#include "app/output/report/html_report.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <nlohmann/json.hpp>

using namespace helioray;

namespace {

nlohmann::json data_of(const std::string& page) {
    const std::string open = "<script id=\"data\" type=\"application/json\">";
    const size_t begin = page.find(open) + open.size();
    return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

}  // namespace

TEST_CASE("Names cannot become markup") {
    RunResult result = test::sample_result();
    const std::string evil = "</script><img src=x onerror='alert(1)'>\"&";
    result.heliostats[0].name = evil;
    result.heliostats[0].target = evil;
    result.targets[0].target.name = evil;
    result.provenance.config = evil;
    result.provenance.scenario_file = evil;
    const std::string page = html_report(result, evil);
    CHECK(page.find("<img src=x") == std::string::npos);
    CHECK(page.find(evil) == std::string::npos);
    CHECK(data_of(page)["heliostats"]["name"][0] == evil);
    CHECK(data_of(page)["heliostats"]["target"][0] == 0);
}

TEST_CASE("The page refers to nothing outside of itself") {
    const std::string page = html_report(test::sample_result());
    for (const char* text : {"http:", "https:", "src=\"/", "@import", "url(http", "<link"}) {
        INFO(text);
        CHECK(page.find(text) == std::string::npos);
    }
}

TEST_CASE("The data are the result's numbers") {
    const RunResult result = test::sample_result();
    const nlohmann::json data = data_of(html_report(result));
    const HeliostatResult& h = result.heliostats[2];
    CHECK(data["heliostats"]["target_power"][2] == h.energy.target_power);
    CHECK(data["heliostats"]["spillage_loss"][2] == h.energy.spillage_loss);
    CHECK(data["targets"][1]["power_w"] == result.targets[1].power_w);
    CHECK(data["outlines"].size() == 3);
    CHECK(data["energy_unit"] == "W");
}

TEST_CASE("Results without heliostats, sun, errors or outlines have a page") {
    RunResult result = test::sample_result();
    result.targets[0].flux.assign(20, 0.0);
    result.targets[1].flux_std_error.clear();
    for (HeliostatResult& h : result.heliostats) {
        h.energy = {};
        h.mirror_outline.reset();
    }
    result.heliostats[0].target = "gone";
    const nlohmann::json data = data_of(html_report(result));
    CHECK(data["heliostats"]["efficiency"][0].is_null());
    CHECK(data["outlines"].is_null());
    CHECK(data["targets"][data["heliostats"]["target"][0].get<size_t>()]["name"] == "?");
    result.heliostats.clear();
    result.provenance = {};
    CHECK(html_report(result).size() > 10'000);
}
