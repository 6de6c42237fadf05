// SPDX-License-Identifier: MIT
// Scenario files of large fields: what heliostats share is stored once and read once.
#include "scenario/files/hdf5/file.h"
#include "scenario/import/field/build_field.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/writer/scenario_writer.h"
#include "tests/scenario/import/field/field_support.h"
#include "tests/scenario/temporary_folder.h"

#include <set>

using namespace helioray;
using namespace helioray::test;

TEST_CASE("scenario files keep shared mirrors shared") {
    const TemporaryFolder folder;
    const MadeField made =
        generate_field(field({"heliostat.facets=[4, 4]", "layout.heliostats=400"}), {});
    write_scenario(made.scenario, folder / "field.h5");
    const Scenario read = read_scenario(folder / "field.h5");
    CHECK(equal(made.scenario, read));
    std::set<const Surface*> surfaces, written;
    for (const Heliostat& heliostat : read.heliostats) surfaces.insert(heliostat.surface.get());
    for (const Heliostat& heliostat : made.scenario.heliostats)
        written.insert(heliostat.surface.get());
    REQUIRE(written.size() > 5);
    CHECK(surfaces.size() == written.size());

    // Links to one group are one object of the file.
    const hdf5::Group field_group =
        hdf5::File::open(folder / "field.h5").root().group("heliostats");
    std::set<std::uint64_t> groups;
    size_t own = 0;
    for (const std::string& name : field_group.names()) {
        const hdf5::Group heliostat = field_group.group(name);
        if (!heliostat.contains("surface")) continue;
        ++own;
        groups.insert(heliostat.group("surface").address());
    }
    CHECK(groups.size() == written.size() - 1);
    CHECK(own > groups.size());
}
