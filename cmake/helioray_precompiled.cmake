# Precompiled headers, one per group of targets with equal flags: parsing LibTorch takes 15 CPU seconds a source without, 2
# with them. Equal flags: everything is compiled as -fPIC with the same optimisation, because GCC refuses a precompiled header
# that was made with others.

# helioray_precompile(GROUP HEADER LIBRARIES...)
# The precompiled header GROUP: that of a library without content.
function(helioray_precompile group header)
    set(source ${PROJECT_BINARY_DIR}/precompiled_${group}.cpp)
    if(NOT EXISTS ${source})
        file(WRITE ${source} "// Carries a precompiled header.\n")
    endif()
    add_library(helioray_precompiled_${group} OBJECT ${source})
    target_link_libraries(helioray_precompiled_${group} PRIVATE helioray_options ${ARGN})
    target_precompile_headers(helioray_precompiled_${group} PRIVATE ${header})
    # For ccache, which compares preprocessed text.
    target_compile_options(helioray_precompiled_${group} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

# helioray_use_precompiled(TARGET GROUP)
function(helioray_use_precompiled target group)
    target_precompile_headers(${target} REUSE_FROM helioray_precompiled_${group})
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

helioray_precompile(base ${PROJECT_SOURCE_DIR}/cmake/precompiled_base.h fmt::fmt)
helioray_precompile(torch ${PROJECT_SOURCE_DIR}/cmake/precompiled_torch.h fmt::fmt helioray_torch)
helioray_precompile(app ${PROJECT_SOURCE_DIR}/cmake/precompiled_app.h fmt::fmt CLI11::CLI11 spdlog::spdlog nlohmann_json::nlohmann_json)
