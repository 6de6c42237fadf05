# Writes version.h with the version and the commit of this build into the build tree. Sources without a repository (a source archive)
# do not know their commit; -DHELIORAY_GIT_COMMIT states it.
find_package(Git QUIET)
if(NOT DEFINED CACHE{HELIORAY_GIT_COMMIT})
    set(HELIORAY_GIT_COMMIT unknown)
endif()
if(Git_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git AND NOT DEFINED CACHE{HELIORAY_GIT_COMMIT})
    execute_process(
        COMMAND ${GIT_EXECUTABLE} rev-parse --short=12 HEAD
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        OUTPUT_VARIABLE HELIORAY_GIT_COMMIT
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    # A new commit configures anew, so that the next build names it. Repositories without this log name the commit of the last configuration.
    execute_process(
        COMMAND ${GIT_EXECUTABLE} rev-parse --git-path logs/HEAD
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        OUTPUT_VARIABLE log
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    get_filename_component(log "${log}" ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
    if(EXISTS ${log} AND NOT IS_DIRECTORY ${log})
        set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${log})
    endif()
endif()
if(HELIORAY_WHEEL)
    set(HELIORAY_BUILD_KIND wheel)
else()
    set(HELIORAY_BUILD_KIND build)
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/version.h.in ${PROJECT_BINARY_DIR}/generated/helioray/version.h)
add_library(helioray_version INTERFACE)
set_target_properties(helioray_version PROPERTIES EXPORT_NAME version)
target_include_directories(helioray_version INTERFACE $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
                                                      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/helioray>)
