# One call per target: component libraries, modules, programs and test suites with our flags and aliases.

include(GNUInstallDirs)
include(helioray_unity)

add_library(helioray_options INTERFACE)
set_target_properties(helioray_options PROPERTIES EXPORT_NAME options)
target_compile_features(helioray_options INTERFACE cxx_std_20)
target_include_directories(helioray_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/helioray>)
# Warnings are ours, not those of projects that use the installed libraries. A selection without default that lacks a case is an error, so
# that the compiler finds the places that a new kind must extend. GCC 12 warns about std::string's own code.
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror=switch $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
target_compile_options(helioray_options INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:${warnings}>>)

# Seconds that a test may take.
set(HELIORAY_TEST_TIMEOUT 300)
if(HELIORAY_SANITIZE)
    # Sanitizers make the loops of the kernels several times slower.
    set(HELIORAY_TEST_TIMEOUT 1500)
    target_compile_options(
        helioray_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${HELIORAY_SANITIZE}
                                   -fno-omit-frame-pointer -fno-sanitize-recover=undefined>)
    target_link_options(helioray_options INTERFACE -fsanitize=${HELIORAY_SANITIZE})
endif()

# helioray_add_component(NAME SOURCES ... PUBLIC ... PRIVATE ... [PRECOMPILED base|cold|torch] [APART SOURCE...])
# Static library helioray_NAME with alias helioray::NAME. APART: sources that are not compiled together with others, because they bring a
# library with them that not everybody who takes an object of their neighbours wants.
function(helioray_add_component name)
    cmake_parse_arguments(arg "" "PRECOMPILED" "SOURCES;PUBLIC;PRIVATE;APART" ${ARGN})
    add_library(helioray_${name} STATIC ${arg_SOURCES})
    add_library(helioray::${name} ALIAS helioray_${name})
    set_target_properties(helioray_${name} PROPERTIES EXPORT_NAME ${name})
    target_link_libraries(
        helioray_${name}
        PUBLIC helioray_options ${arg_PUBLIC}
        PRIVATE ${arg_PRIVATE})
    if(arg_PRECOMPILED)
        helioray_use_precompiled(helioray_${name} ${arg_PRECOMPILED})
    endif()
    helioray_compile_together(helioray_${name} APART ${arg_APART})
endfunction()

# helioray_add_module(NAME SOURCES ... LIBRARIES ... [PRECOMPILED base|cold|torch])
# Shared library libhelioray_NAME.so that is loaded while the program runs: see kernels/host/module.h.
function(helioray_add_module name)
    cmake_parse_arguments(arg "" "PRECOMPILED" "SOURCES;LIBRARIES" ${ARGN})
    set(target helioray_${name}_module)
    add_library(${target} MODULE ${arg_SOURCES})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME helioray_${name}
                                               BUILD_WITH_INSTALL_RPATH ON
                                               LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
    target_link_libraries(${target} PRIVATE helioray_options ${arg_LIBRARIES})
    if(arg_PRECOMPILED)
        helioray_use_precompiled(${target} ${arg_PRECOMPILED})
    endif()
    helioray_compile_together(${target})
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/helioray)
endfunction()

# helioray_add_suite(NAME SOURCES ... LIBRARIES ... LABELS ... [INSTRUCTION_SETS ...] [RUN_SERIAL] [PRECOMPILED torch_test])
# One test program of a component; every source file becomes one CTest entry "NAME/file", which traces with the
# processor's best instruction set, and one "NAME.SET/file" for each set named, skipped where the processor lacks it.
function(helioray_add_suite name)
    cmake_parse_arguments(arg "RUN_SERIAL" "PRECOMPILED" "SOURCES;LIBRARIES;LABELS;INSTRUCTION_SETS" ${ARGN})
    set(target helioray_test_${name})
    add_executable(${target} ${arg_SOURCES})
    target_link_libraries(${target} PRIVATE helioray_test_support ${arg_LIBRARIES})
    if(NOT arg_PRECOMPILED)
        set(arg_PRECOMPILED test)
    endif()
    if(TARGET helioray_precompiled_${arg_PRECOMPILED})
        helioray_use_precompiled(${target} ${arg_PRECOMPILED})
    endif()
    helioray_compile_together(${target})
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
                       TIMEOUT ${HELIORAY_TEST_TIMEOUT}
                       # Every case of the file was skipped.
                       SKIP_RETURN_CODE 77
                       # Tests run side by side: their OpenMP threads would only wait for each other.
                       ENVIRONMENT "HELIORAY_SOURCE_DIR=${PROJECT_SOURCE_DIR};OMP_NUM_THREADS=1")
    endforeach()
endfunction()
