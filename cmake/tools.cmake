# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# cmake/tools.cmake: the programs of tools/ and its folders. A file with a main() becomes a program
# with its name; files without one belong to the `weft` command.
file(GLOB_RECURSE tool_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/*.cpp)
set(command_parts)
set(weft_tools)
find_library(mpfr_library mpfr)
find_library(gmp_library gmp)
if(NOT mpfr_library OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # only GCC has 128-bit floats
  list(FILTER tool_sources EXCLUDE REGEX /tools/accuracy/)
endif()
foreach(source IN LISTS tool_sources)
  file(STRINGS ${source} main REGEX "^int main\\(")
  get_filename_component(name ${source} NAME_WE)
  if(main)
    add_executable(tool_${name} ${source})
    set_target_properties(tool_${name} PROPERTIES OUTPUT_NAME ${name}
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    target_link_libraries(tool_${name} PRIVATE weft_internal weft_flags fmt::fmt spdlog::spdlog)
    list(APPEND weft_tools tool_${name})
  else()
    list(APPEND command_parts ${source})
  endif()
endforeach()
if(TARGET tool_weft)
  find_package(CLI11 CONFIG REQUIRED)
  # An object library, so that tests can link the files, too.
  add_library(weft_command OBJECT ${command_parts})
  target_link_libraries(weft_command PRIVATE weft_internal weft_flags fmt::fmt spdlog::spdlog
    PkgConfig::libzip nlohmann_json::nlohmann_json)
  target_compile_options(weft_command PRIVATE ${short_names})
  target_compile_options(tool_weft PRIVATE ${short_names})
  target_sources(tool_weft PRIVATE $<TARGET_OBJECTS:weft_command>)
  target_link_libraries(tool_weft PRIVATE CLI11::CLI11 PkgConfig::libzip)
endif()
if(TARGET tool_accuracy)
  target_compile_options(tool_accuracy PRIVATE -fext-numeric-literals)
  target_link_libraries(tool_accuracy PRIVATE ${mpfr_library} ${gmp_library} quadmath ${CMAKE_DL_LIBS})
endif()
