// SPDX-License-Identifier: MIT
// Words of the configuration for each enumeration. The reader accepts them, and the reference lists
// them.
#pragma once

#include "scenario/types/run_config.h"
#include "scenario/types/type_names.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

/// Words with their values, in the order of the documentation.
template <typename T>
using Choices = std::vector<std::pair<std::string, T>>;

/// Returns the words alone.
template <typename T>
std::vector<std::string> list_words(const Choices<T>& choices) {
    std::vector<std::string> words;
    for (const auto& [word, value] : choices) words.push_back(word);
    return words;
}

/// Returns the word of a value. Throws std::logic_error if `choices` has none.
template <typename T>
std::string find_word(const Choices<T>& choices, const T& value) {
    for (const auto& [word, known] : choices)
        if (known == value) return word;
    throw std::logic_error("a value of an enumeration has no word in choices.h");
}

inline const std::vector<std::string> kResultEndings{".h5", ".hdf5"};  ///< for output.file
/// Describes kResultEndings in messages.
inline constexpr const char* kHdf5File = "it is an HDF5 file";
inline constexpr const char* kCsvFile = "it is a table";  ///< describes .csv in messages
inline const std::vector<std::string> kImageEndings{".png", ".svg", ".pdf"};  ///< for output.image
/// Returns true if the file has an extension of HDF5.
inline bool is_hdf5(const std::filesystem::path& file) {
    return std::find(kResultEndings.begin(), kResultEndings.end(), file.extension().string()) !=
           kResultEndings.end();
}

/// Types of sun.shape.
enum class SunShapeKind { gaussian, pillbox, buie, limb_darkened, collimated, table, gauss_sum };
static_assert(std::variant_size_v<SunShape> == static_cast<size_t>(SunShapeKind::gauss_sum) + 1,
              "every alternative of SunShape needs a kind here and a word below");
/// Words for the types of sun.shape.
inline const Choices<SunShapeKind> kSunShapeKinds{{"gaussian", SunShapeKind::gaussian},
                                                  {"pillbox", SunShapeKind::pillbox},
                                                  {"buie", SunShapeKind::buie},
                                                  {"limb_darkened", SunShapeKind::limb_darkened},
                                                  {"collimated", SunShapeKind::collimated},
                                                  {"table", SunShapeKind::table},
                                                  {"gauss_sum", SunShapeKind::gauss_sum}};
/// Words for the calibrations of the Buie shape in scenario files.
inline const Choices<BuieCalibration> kBuieCalibrations{
    {to_string(BuieCalibration::exact), BuieCalibration::exact},
    {to_string(BuieCalibration::tonatiuh), BuieCalibration::tonatiuh},
    {to_string(BuieCalibration::tracer), BuieCalibration::tracer}};

/// Words for the types of drives in scenario files.
inline const Choices<ActuatorType> kActuatorTypes{
    {to_string(ActuatorType::linear), ActuatorType::linear},
    {to_string(ActuatorType::ideal), ActuatorType::ideal}};

/// Types of optics.slope_error and optics.specularity_error.
enum class ErrorKind { gaussian, pillbox };
/// Words for the types of errors.
inline const Choices<ErrorKind> kErrorKinds{{"gaussian", ErrorKind::gaussian},
                                            {"pillbox", ErrorKind::pillbox}};
/// Models without parameters come first: optics.attenuation may consist of their name alone.
inline const Choices<AttenuationConfig::Model> kAttenuationModels{
    {"none", AttenuationConfig::Model::none},
    {"mirval", AttenuationConfig::Model::mirval},
    {"vittitoe_biggs_clear", AttenuationConfig::Model::vittitoe_biggs_clear},
    {"vittitoe_biggs_hazy", AttenuationConfig::Model::vittitoe_biggs_hazy},
    {"exponential", AttenuationConfig::Model::exponential},
    {"polynomial", AttenuationConfig::Model::polynomial}};

/// Words for the types of receivers.
inline const Choices<ReceiverConfig::Type> kReceiverShapes{
    {"polygon", ReceiverConfig::Type::polygon},
    {"billboard", ReceiverConfig::Type::billboard},
    {"star", ReceiverConfig::Type::star},
    {"cavity", ReceiverConfig::Type::cavity},
    {"cylinder", ReceiverConfig::Type::cylinder},
    {"surfaces", ReceiverConfig::Type::surfaces},
    {"beam_down", ReceiverConfig::Type::beam_down},
    {"concentrator", ReceiverConfig::Type::concentrator}};
/// Words for the shapes of the mirror of a beam-down plant.
inline const Choices<ReceiverConfig::Secondary> kSecondaries{
    {"hyperboloid", ReceiverConfig::Secondary::hyperboloid},
    {"ellipsoid", ReceiverConfig::Secondary::ellipsoid}};
/// Words for the points of a polygon that lie on its radius.
inline const Choices<ReceiverConfig::RadiusOf> kRadiusOf{
    {"vertices", ReceiverConfig::RadiusOf::vertices},
    {"midpoints", ReceiverConfig::RadiusOf::midpoints}};
/// Types of an entry in the list of surfaces of a receiver. The last three are a conic by other
/// keys.
enum class SurfaceKind {
    plane,        ///< rectangle with or without an outline
    disc,         ///< disc
    cylinder,     ///< cylinder lit from outside
    annulus,      ///< ring
    cone,         ///< cone or frustum
    sphere,       ///< sphere or zone of it
    mesh,         ///< triangles of a file
    conic,        ///< surface of revolution by its conic constant
    cpc,          ///< compound parabolic concentrator
    paraboloid,   ///< paraboloid of revolution
    hyperboloid,  ///< hyperboloid of revolution
    ellipsoid     ///< ellipsoid of revolution
};
/// Words for the types of surfaces.
inline const Choices<SurfaceKind> kSurfaceKinds{{"plane", SurfaceKind::plane},
                                                {"disc", SurfaceKind::disc},
                                                {"cylinder", SurfaceKind::cylinder},
                                                {"annulus", SurfaceKind::annulus},
                                                {"cone", SurfaceKind::cone},
                                                {"sphere", SurfaceKind::sphere},
                                                {"mesh", SurfaceKind::mesh},
                                                {"conic", SurfaceKind::conic},
                                                {"cpc", SurfaceKind::cpc},
                                                {"paraboloid", SurfaceKind::paraboloid},
                                                {"hyperboloid", SurfaceKind::hyperboloid},
                                                {"ellipsoid", SurfaceKind::ellipsoid}};
static_assert(std::variant_size_v<TargetShape> == static_cast<size_t>(SurfaceKind::cpc) + 1,
              "every alternative of TargetShape needs a kind here and a word above");
/// Words for the uses of surfaces.
inline const Choices<SurfaceUse> kSurfaceUses{
    {to_string(SurfaceUse::absorber), SurfaceUse::absorber},
    {to_string(SurfaceUse::shield), SurfaceUse::shield},
    {to_string(SurfaceUse::mirror), SurfaceUse::mirror}};
/// Words for the dependence of an absorptance on the angle.
inline const Choices<AbsorptanceLaw> kAbsorptanceLaws{
    {to_string(AbsorptanceLaw::constant), AbsorptanceLaw::constant},
    {to_string(AbsorptanceLaw::duffie_beckman), AbsorptanceLaw::duffie_beckman},
    {to_string(AbsorptanceLaw::martin_ruiz), AbsorptanceLaw::martin_ruiz}};
/// Words for the front of a mesh.
inline const Choices<MeshTarget::Front> kMeshFronts{
    {to_string(MeshTarget::Front::normals), MeshTarget::Front::normals},
    {to_string(MeshTarget::Front::reversed), MeshTarget::Front::reversed},
    {to_string(MeshTarget::Front::both), MeshTarget::Front::both}};
/// Words for the lit sides of cylinders.
inline const Choices<CylindricalTarget::Side> kCylinderSides{
    {to_string(CylindricalTarget::Side::outer), CylindricalTarget::Side::outer},
    {to_string(CylindricalTarget::Side::inner), CylindricalTarget::Side::inner}};
/// Words of state.soiling.washing.every.
inline const Choices<WashDay> kWashDays{{"never", WashDay::never},
                                        {"monday", WashDay::monday},
                                        {"tuesday", WashDay::tuesday},
                                        {"wednesday", WashDay::wednesday},
                                        {"thursday", WashDay::thursday},
                                        {"friday", WashDay::friday},
                                        {"saturday", WashDay::saturday},
                                        {"sunday", WashDay::sunday}};

/// Types of an entry in obstacles.
enum class ObstacleKind { cylinder, cone, box };
/// Words for the types of obstacles.
inline const Choices<ObstacleKind> kObstacleKinds{
    {"cylinder", ObstacleKind::cylinder}, {"cone", ObstacleKind::cone}, {"box", ObstacleKind::box}};

/// Words of aiming.strategy.
inline const Choices<AimingConfig::Strategy> kStrategies{
    {"center", AimingConfig::Strategy::center},
    {"equator", AimingConfig::Strategy::equator},
    {"image_size", AimingConfig::Strategy::image_size},
    {"sigma", AimingConfig::Strategy::sigma},
    {"optimize", AimingConfig::Strategy::optimize}};
/// Words for the measures of the distance from a target flux map.
inline const Choices<AimingConfig::MapMeasure> kMapMeasures{
    {"mean_square", AimingConfig::MapMeasure::mean_square}, {"kl", AimingConfig::MapMeasure::kl}};

/// Words of tracing.model.
inline const Choices<Model> kModels{{"physical", Model::physical}, {"artist", Model::artist}};
/// Words of tracing.relative_error_of.
inline const Choices<AccuracyOf> kAccuraciesOf{{"power", AccuracyOf::power},
                                               {"peak", AccuracyOf::peak}};
/// Words of tracing.facet_occlusion.
inline const Choices<FacetOcclusion> kFacetOcclusions{{"auto", FacetOcclusion::automatic},
                                                      {"true", FacetOcclusion::on},
                                                      {"false", FacetOcclusion::off}};
/// Words of tracing.sampling.
inline const Choices<Sampling> kSamplings{{"sobol", Sampling::sobol}, {"random", Sampling::random}};
/// Words of artist.magnitude.
inline const Choices<ArtistConfig::Magnitude> kMagnitudes{{"unit", ArtistConfig::Magnitude::unit},
                                                          {"dni", ArtistConfig::Magnitude::dni}};
/// Words of bitmap.filter.
inline const Choices<Filter> kFilters{{"box", Filter::box}, {"bilinear", Filter::bilinear}};
/// Words of distributed.backend.
inline const Choices<Backend> kBackends{
    {"auto", Backend::automatic}, {"nccl", Backend::nccl}, {"gloo", Backend::gloo}};
/// Words of distributed.schedule.
inline const Choices<Schedule> kSchedules{{"static", Schedule::static_},
                                          {"dynamic", Schedule::dynamic},
                                          {"master_worker", Schedule::master_worker}};
/// Words of switches.
inline const Choices<bool> kYesOrNo{{"true", true}, {"false", false}};

}  // namespace helioray
