// SPDX-License-Identifier: MIT
// Sorts the elements of a project into mirrors and receivers and joins the results.
#include "scenario/import/soltrace/soltrace.h"

#include "scenario/files/error.h"
#include "scenario/import/soltrace/conversion.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray::soltrace {

namespace {

struct Sorted {
    std::vector<Placed> mirrors, receivers;
};

/// Returns true if an element's front reflects at least half of the light.
bool reflects_on_front(const Project& project, const Element& element) {
    const OpticPair* pair = find_optic(project, element);
    return pair && pair->front.reflectivity >= kMirrorReflectivity;
}

/// Sorts the elements. `to_sun`: unit vector to the sun, ENU; a zero vector if it is unknown.
Sorted sort_elements(const Project& project,
                     const Options& options,
                     const Vec3& to_sun,
                     const Findings& findings) {
    std::vector<const Stage*> stages;
    for (const Stage& stage : project.stages) {
        size_t enabled = 0;
        for (const Element& element : stage.elements) {
            enabled += element.enabled;
            if (!element.enabled) findings.remark(element.line, "element is not enabled, left out");
        }
        if (enabled > 0) stages.push_back(&stage);
    }
    if (!stages.empty() && !stages.front()->has_multiple_hits) {
        findings.remark(stages.front()->line,
                        "MULTIHIT 0: in SolTrace the mirrors of this stage do not block each "
                        "other's light; here they do unless tracing.blocking is false");
    }
    if (stages.size() > 2)
        findings.remark(stages[1]->line,
                        "light of the mirrors meets the nearest surface of all later stages; in "
                        "SolTrace it meets the stages one after the other");
    for (const Stage* stage : stages) {
        if (stage->traces_through)
            findings.remark(stage->line,
                            "TRACETHROUGH 1 is not used: light that misses the mirrors does not "
                            "count here");
    }
    Sorted sorted;
    for (const Stage* stage : stages) {
        const bool single = stages.size() == 1;
        const bool last = stage == stages.back();
        if (!last && stage != stages.front() && stage->is_virtual) {
            findings.remark(stage->line,
                            fmt::format("stage '{}' is virtual and left out: only the last stage "
                                        "counts light that passes",
                                        stage->name));
            continue;
        }
        const Frame in_world =
            world_frame(options.up)
                .compose(make_frame(stage->position, stage->aim, stage->z_rotation));
        for (const Element& element : stage->elements) {
            if (!element.enabled) continue;
            const Frame frame =
                in_world.compose(make_frame(element.position, element.aim, element.z_rotation));
            const bool faces_sun = dot(frame.axes[2], to_sun) >= 0.0;
            const bool is_mirror =
                single ? reflects_on_front(project, element) && faces_sun : stage == stages.front();
            auto& list = is_mirror ? sorted.mirrors : sorted.receivers;
            list.push_back({&element, stage, frame});
        }
        if (single)
            findings.remark(stage->line,
                            "one stage: elements that reflect half of the light or more on their "
                            "front are mirrors if it faces the sun, otherwise secondary mirrors, "
                            "the others receivers");
    }
    return sorted;
}

std::vector<Vec3> positions(const std::vector<Placed>& elements) {
    std::vector<Vec3> all;
    for (const Placed& placed : elements) all.push_back(placed.frame.origin);
    return all;
}

void choose_target(const Options& options, const Findings& findings, Import& import) {
    const std::vector<Target>& targets = import.scenario.targets;
    std::vector<std::string> names;
    for (const Receiver& receiver : import.scenario.receivers) names.push_back(receiver.name);
    const bool has_receiver = !names.empty();
    for (const Target& target : targets) names.push_back(target.name);
    if (options.target) {
        if (std::ranges::find(names, *options.target) == names.end()) {
            throw InputError(Problem{"--target",
                                     fmt::format("there is no receiver '{}'", *options.target),
                                     "",
                                     suggest(*options.target, names)});
        }
        import.run.aim.target = *options.target;
        return;
    }
    import.run.aim.target = names.front();
    if (!has_receiver && names.size() > 1) {
        findings.remark(0,
                        fmt::format("light counts on '{}', the first of {} receivers; the others "
                                    "do not stand in its way. Choose with --target",
                                    names.front(),
                                    names.size()));
    }
}

}  // namespace

Import convert(const Project& project, const Options& options) {
    ReadLog log;
    const Findings findings(project, options, log);
    Import import;
    convert_sun(project, options, findings, import);
    const auto* sun = std::get_if<SunIncidentDirection>(&import.run.sun.position);
    const Sorted sorted =
        sort_elements(project, options, sun ? scaled(-1.0, sun->direction) : Vec3{}, findings);

    MirrorMaker maker(project, findings);
    int highest = 0;
    std::vector<const Element*> mirrors;
    for (const Placed& mirror : sorted.mirrors) highest = std::max(highest, mirror.element->number);
    const size_t digits = std::to_string(highest).size();
    for (const Placed& mirror : sorted.mirrors) {
        maker.add(*mirror.element, mirror.frame, digits, import);
        mirrors.push_back(mirror.element);
    }
    convert_optics(project, mirrors, findings, import.run.optics);
    convert_receivers(
        project, sorted.receivers, positions(sorted.mirrors), findings, import.scenario);

    std::vector<Heliostat>& heliostats = import.scenario.heliostats;
    std::vector<Target>& targets = import.scenario.targets;
    if (!log.has_problems() && heliostats.empty()) {
        log.problem(project.file,
                    "there is no mirror",
                    "a plant needs one",
                    "mirrors stand in the first stage");
    }
    if (!log.has_problems() && targets.empty()) {
        log.problem(project.file,
                    "there is no receiver",
                    "light has nowhere to go",
                    "receivers stand in the last stage");
    }
    log.throw_if_any();
    choose_target(options, findings, import);
    // Sort by shape, then by name, as in every scenario.
    std::sort(targets.begin(), targets.end(), [](const Target& a, const Target& b) {
        return std::pair{a.geometry.index(), a.name} < std::pair{b.geometry.index(), b.name};
    });
    std::sort(heliostats.begin(), heliostats.end(), [](const Heliostat& a, const Heliostat& b) {
        return a.name < b.name;
    });
    import.scenario.prototypes = {
        heliostats.front().surface, heliostats.front().kinematics, heliostats.front().actuators};

    if (project.trace && !project.trace->without_meaning.empty()) {
        log.warn(project.where(project.trace->line),
                 fmt::format("TRACE: {} are SolTrace's and not used; see "
                             "tracing.rays_per_heliostat and tracing.seed of the configuration",
                             project.trace->without_meaning));
    }
    import.report = {
        fmt::format("{}: {}, {} stages",
                    project.file,
                    project.version.empty() ? "SolTrace project without the line of the version"
                                            : "SolTrace " + project.version,
                    project.stages.size()),
        fmt::format("{} mirrors became heliostats, {} receiver elements targets",
                    heliostats.size(),
                    targets.size())};
    for (const std::string& line : log.warnings()) import.report.push_back(line);
    import.report.push_back(
        "what receivers reflect is not represented: flux is what arrives on them");
    import.report.push_back("latitude 0 and longitude 0 assumed; they matter for sun.time only");
    import.report.insert(import.report.end(), project.ignored.begin(), project.ignored.end());
    return import;
}

}  // namespace helioray::soltrace
