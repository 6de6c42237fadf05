# The compiler reads the sources of one folder and target together (CMake's unity builds), so that it reads the headers that they share and
# instantiates their templates once. Names in anonymous namespaces are therefore unique within a folder.

option(HELIORAY_UNITY "Compile the sources of a folder together: a build from scratch costs less, a build after one change more" ON)

# Sources at most that are compiled together: the more, the cheaper a build from scratch, the dearer one after a change.
set(most_together 16)

# helioray_compile_together(TARGET [APART SOURCE...])
# Sources named as APART form groups of their own in each folder. CMake compiles sources with options of their own alone.
function(helioray_compile_together target)
    if(NOT HELIORAY_UNITY)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    cmake_parse_arguments(arg "" "" "APART" ${ARGN})
    set(folders "")
    foreach(source IN LISTS sources)
        if(NOT source MATCHES "\\.cpp$")
            continue()
        endif()
        get_filename_component(folder ${source} DIRECTORY)
        # Sources beside the CMakeLists.txt have no folder.
        string(MAKE_C_IDENTIFIER "sources/${folder}" group)
        if(source IN_LIST arg_APART)
            string(APPEND group _apart)
        endif()
        list(APPEND folders ${group})
        list(APPEND sources_in_${group} ${source})
    endforeach()
    list(REMOVE_DUPLICATES folders)
    foreach(group IN LISTS folders)
        list(LENGTH sources_in_${group} count)
        # Groups of nearly equal size.
        math(EXPR groups "(${count} + ${most_together} - 1) / ${most_together}")
        set(index 0)
        foreach(source IN LISTS sources_in_${group})
            math(EXPR part "${index} * ${groups} / ${count}")
            set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${group}_${part}")
            math(EXPR index "${index} + 1")
        endforeach()
    endforeach()
    # Relative paths, so that the compiler cache finds what another clone has compiled.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_RELOCATABLE ON)
endfunction()
