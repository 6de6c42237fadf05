# One call per target: component libraries, programs and test suites with our flags and aliases.

include(GNUInstallDirs)

add_library(helioray_options INTERFACE)
set_target_properties(helioray_options PROPERTIES EXPORT_NAME options)
target_compile_features(helioray_options INTERFACE cxx_std_20)
target_include_directories(helioray_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/helioray>)
# Warnings are ours, not those of projects that use the installed libraries. GCC 12 warns about std::string's own code.
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
target_compile_options(helioray_options INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:${warnings}>>)

if(HELIORAY_SANITIZE)
    target_compile_options(
        helioray_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${HELIORAY_SANITIZE}
                                   -fno-omit-frame-pointer -fno-sanitize-recover=undefined>)
    target_link_options(helioray_options INTERFACE -fsanitize=${HELIORAY_SANITIZE})
endif()

# helioray_add_component(NAME SOURCES ... PUBLIC ... PRIVATE ...)
# Static library helioray_NAME with alias helioray::NAME; a directory is a component is a target.
function(helioray_add_component name)
    cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
    add_library(helioray_${name} STATIC ${arg_SOURCES})
    add_library(helioray::${name} ALIAS helioray_${name})
    set_target_properties(helioray_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON EXPORT_NAME ${name})
    target_link_libraries(
        helioray_${name}
        PUBLIC helioray_options ${arg_PUBLIC}
        PRIVATE ${arg_PRIVATE})
endfunction()

# helioray_add_suite(NAME SOURCES ... LIBRARIES ... LABELS ... [INSTRUCTION_SETS ...] [RUN_SERIAL])
# One test program of a component; every source file becomes one CTest entry "NAME/file", which traces with the
# processor's best instruction set, and one "NAME.SET/file" for each set named, skipped where the processor lacks it.
function(helioray_add_suite name)
    cmake_parse_arguments(arg "RUN_SERIAL" "" "SOURCES;LIBRARIES;LABELS;INSTRUCTION_SETS" ${ARGN})
    set(target helioray_test_${name})
    add_executable(${target} ${arg_SOURCES})
    target_link_libraries(${target} PRIVATE helioray_test_support ${arg_LIBRARIES})
    foreach(source IN LISTS arg_SOURCES)
        get_filename_component(stem ${source} NAME_WE)
        get_filename_component(extension ${source} EXT)
        if(NOT stem MATCHES "^test_" OR NOT extension MATCHES "^\\.(cpp|cu)$")
            continue()
        endif()
        set(entries ${name}/${stem})
        add_test(NAME ${name}/${stem} COMMAND ${target} --filenames-as-tags "[#${stem}]")
        foreach(set IN LISTS arg_INSTRUCTION_SETS)
            list(APPEND entries ${name}.${set}/${stem})
            add_test(NAME ${name}.${set}/${stem}
                     COMMAND helioray_with_instruction_set ${set} $<TARGET_FILE:${target}> --filenames-as-tags "[#${stem}]")
        endforeach()
        set_tests_properties(
            ${entries}
            PROPERTIES LABELS "${arg_LABELS}"
                       RUN_SERIAL ${arg_RUN_SERIAL}
                       TIMEOUT 300
                       # Not by its exit code: a test program's is the number of its failures.
                       SKIP_REGULAR_EXPRESSION "SKIP: this processor has no"
                       # Tests run side by side: their OpenMP threads would only wait for each other.
                       ENVIRONMENT "HELIORAY_SOURCE_DIR=${PROJECT_SOURCE_DIR};OMP_NUM_THREADS=1")
    endforeach()
endfunction()
