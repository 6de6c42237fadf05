// SPDX-License-Identifier: MIT
// Parts of the conversion, one per subject. Internal to convert().
#pragma once

#include "scenario/import/soltrace/soltrace.h"
#include "scenario/reader/read_log.h"

#include <map>
#include <memory>

namespace helioray::soltrace {

/// Reports problems, or remarks if users asked to omit unsupported elements.
class Findings {
  public:
    Findings(const Project& project, const Options& options, ReadLog& log)
        : project_(project), options_(options), log_(log) {}

    /// Reports a property of an element that cannot be represented; the element is omitted.
    void unsupported(const Element& element, const std::string& what) const;
    /// Reports a surface file that cannot be read; the element is omitted.
    void unreadable(const Element& element, const Problem& problem) const;
    void problem(int line,
                 const std::string& what,
                 const std::string& why,
                 const std::string& advice) const;
    void problem(const Problem& problem) const;
    void remark(int line, const std::string& text) const;
    bool skips() const { return options_.skip_unsupported; }

  private:
    const Project& project_;
    const Options& options_;
    ReadLog& log_;
};

/// Returns for example "a hexagon" for an aperture, "a cone" for a surface.
std::string aperture_name(char aperture);
std::string surface_name(char surface);

/// Returns the optical properties of an element; null if it names none that exist.
const OpticPair* find_optic(const Project& project, const Element& element);

/// An element with its stage and its frame in east-north-up.
struct Placed {
    const Element* element = nullptr;
    const Stage* stage = nullptr;
    Frame frame;
};

/// Smallest reflectivity of a face that acts as a mirror.
inline constexpr double kMirrorReflectivity = 0.5;

/// Returns the corners of a polygonal aperture in the x-y plane of the element, metres, as written.
/// Returns no value for other apertures, and for an aperture `l` without limits along x.
std::optional<Outline> aperture_corners(const Element& element);

/// Returns the normal of an element's front. One that is vertical but for rounding becomes
/// vertical, because up in the plane follows from its tilt.
Vec3 front_normal(const Frame& frame);

/// Inner and outer radius of a round aperture, metres.
struct Radii {
    double inner = 0.0;
    double outer = 0.0;
};

/// Returns the radii of a circle or of an annulus over a full turn, as written; no value for other
/// apertures.
std::optional<Radii> aperture_radii(const Element& element);

/// Returns true if a surface has the same curvature along x and y.
bool has_equal_curvatures(const Element& element);

/// Converts light source and sun of the run.
void convert_sun(const Project& project,
                 const Options& options,
                 const Findings& findings,
                 Import& import);

/// Converts mirror elements to heliostats.
class MirrorMaker {
  public:
    MirrorMaker(const Project& project, const Findings& findings);
    /// Adds the heliostat with its motor positions; does nothing if it is unsupported. `frame`:
    /// frame of the element in east-north-up; `digits`: number of digits of the name.
    void add(const Element& element, const Frame& frame, size_t digits, Import& import);

  private:
    /// Returns the mirror; null if it cannot be represented. Rounds its roll.
    std::shared_ptr<const Surface> make_surface(const Element& element, double& roll);

    const Project& project_;
    const Findings& findings_;
    std::map<std::vector<double>, std::shared_ptr<const Surface>> surfaces_;
    std::shared_ptr<const Kinematics> kinematics_;
    std::shared_ptr<const ActuatorPair> drives_;
};

/// Adds a target for every element that receives or reflects light of the mirrors. Several
/// elements, unless all are in a virtual stage, become the surfaces of one receiver. `mirrors`:
/// positions of the mirrors, metres, ENU.
void convert_receivers(const Project& project,
                       const std::vector<Placed>& elements,
                       const std::vector<Vec3>& mirrors,
                       const Findings& findings,
                       Scenario& scenario);

/// Sets one set of optical properties for all mirrors: the most frequent one.
void convert_optics(const Project& project,
                    const std::vector<const Element*>& mirrors,
                    const Findings& findings,
                    OpticsConfig& optics);

}  // namespace helioray::soltrace
