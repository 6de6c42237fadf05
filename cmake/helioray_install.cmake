# The files of `cmake --install` and their places: program, libraries with headers and CMake package, operator library, completion, manual
# page and configurations.
include(CMakePackageConfigHelpers)

install(TARGETS helioray RUNTIME)
# helioray_options has the compiler options of all of them, raytracer brings everything that one process needs.
set(HELIORAY_TORCH_COMPONENTS collectives differentiable artist operators)
if(HELIORAY_WITHOUT_TORCH)
    set(HELIORAY_TORCH_COMPONENTS "")
endif()
set(HELIORAY_COMPONENTS
    kernels files scenario tracing results aiming annual efficiency calibration measured_flux reconstruction surface_fit sweep
    distributed run output validation raytracer version options ${HELIORAY_TORCH_COMPONENTS})
list(TRANSFORM HELIORAY_COMPONENTS PREPEND helioray_ OUTPUT_VARIABLE installed_targets)
install(TARGETS ${installed_targets} EXPORT helioray)

# Headers keep their paths below a folder of their own, so that "scenario/types/types.h" does not collide with other projects.
file(STRINGS cmake/public_headers.txt public_headers REGEX "^[^#]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cmake/public_headers.txt)
foreach(header IN LISTS public_headers)
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/helioray/${folder})
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/generated/helioray/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/helioray/helioray)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/helioray)
install(EXPORT helioray NAMESPACE helioray:: FILE helioray-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/helioray-config.cmake.in ${PROJECT_BINARY_DIR}/package/helioray-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/helioray-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/helioray-config.cmake
              ${PROJECT_BINARY_DIR}/package/helioray-config-version.cmake
              cmake/helioray_library_dependencies.cmake
              cmake/FindLibTorch.cmake
        DESTINATION ${package_dir})

# The program writes its own completion.
function(helioray_install_completion shell file destination)
    set(script ${PROJECT_BINARY_DIR}/completion/${file})
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completion)
    install(CODE "execute_process(COMMAND \"$<TARGET_FILE:helioray>\" completion ${shell} OUTPUT_FILE \"${script}\" COMMAND_ERROR_IS_FATAL ANY)")
    install(FILES ${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/${destination})
endfunction()
helioray_install_completion(bash helioray bash-completion/completions)
helioray_install_completion(fish helioray.fish fish/vendor_completions.d)
helioray_install_completion(zsh _helioray zsh/site-functions)

# The program also writes the list of commands of its manual page.
install(CODE "execute_process(COMMAND \"$<TARGET_FILE:helioray>\" completion manual OUTPUT_VARIABLE HELIORAY_COMMANDS COMMAND_ERROR_IS_FATAL ANY)
set(PROJECT_VERSION \"${PROJECT_VERSION}\")
configure_file(\"${PROJECT_SOURCE_DIR}/app/program/helioray.1.in\" \"${PROJECT_BINARY_DIR}/package/helioray.1\" @ONLY)")
install(FILES ${PROJECT_BINARY_DIR}/package/helioray.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
# field.h5 is what users make of field.yaml.
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/helioray PATTERN field.h5 EXCLUDE)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
