# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# cmake/programs.cmake: every examples/NN_*.cpp and examples/gallery/*.cpp becomes a program and a
# test, every benchmarks/*.cpp and benchmarks/cpp/*.cpp a program. They use only the public
# interface: <weft/weft.h> and libweft. benchmarks/laws is one program of all its files, and uses
# what the tools and tests have.
find_package(Python3 COMPONENTS Interpreter REQUIRED)
find_package(Eigen3 CONFIG QUIET)  # only for examples/gallery/eigen_*.cpp
function(weft_programs folder pattern)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/${pattern})
  string(REPLACE "/" "_" group ${folder})
  add_custom_target(${group})
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    if(name MATCHES "^eigen_" AND NOT TARGET Eigen3::Eigen)
      continue()
    endif()
    set(target ${group}_${name})
    add_executable(${target} ${source})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
    target_link_libraries(${target} PRIVATE weft weft_flags)
    # Their own lines count as user code: errors name them (weft/error.h).
    target_compile_options(${target} PRIVATE ${short_names}
      -fmacro-prefix-map=${weft_include}/weft/=weft/
      -fmacro-prefix-map=${to_source}include/weft/=weft/)
    if(name MATCHES "^eigen_")
      target_link_libraries(${target} PRIVATE Eigen3::Eigen)
    endif()
    add_dependencies(${group} ${target})
    if(folder MATCHES "^examples")
      add_test(NAME ${folder}/${name} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
      weft_test_properties(${folder}/${name} "quick;example")
      # Also run on an emulated GPU (docs/decisions/0030), except two programs of the gallery. One
      # runs thousands of rounds of windows; the other has a product of long columns, whose last
      # digits depend on the order of the sum.
      if(NOT WEFT_SANITIZE AND NOT name MATCHES "^(image_pipeline|asian_options)$")
        add_test(NAME gpu/${folder}/${name} COMMAND Python3::Interpreter
          ${PROJECT_SOURCE_DIR}/tests/gpu/examples.py $<TARGET_FILE:${target}> cuda:0)
        set(speed quick)
        if(name MATCHES "^(06|08)")  # 400 MB of results; many short rows, each with a warp
          set(speed "quick;long")
        elseif(name MATCHES "^(07|11|13|heston|mlp|particles|transformer)")
          # millions of launches, or of short rows
          set(speed slow)
        endif()
        weft_test_properties(gpu/${folder}/${name} "${speed};example")
        if(speed STREQUAL "slow")
          set_tests_properties(gpu/${folder}/${name} PROPERTIES TIMEOUT 3600)
        endif()
        set_property(TEST gpu/${folder}/${name} APPEND PROPERTY ENVIRONMENT
          WEFT_CUDA_LIBRARY=$<TARGET_FILE:fake_cuda>)
      endif()
    endif()
  endforeach()
endfunction()
weft_programs(examples "[0-9][0-9]_*.cpp")
weft_programs(examples/gallery "*.cpp")
weft_programs(benchmarks "*.cpp")
weft_programs(benchmarks/cpp "*.cpp")  # its peers are compiled by benchmarks/cpp/run.py

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/benchmarks/laws/*.cpp)
add_executable(benchmarks_laws ${sources} $<TARGET_OBJECTS:random_programs>
  $<TARGET_OBJECTS:weft_command>)
set_target_properties(benchmarks_laws PROPERTIES OUTPUT_NAME speed_laws
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
target_include_directories(benchmarks_laws PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(benchmarks_laws PRIVATE weft_internal weft_flags fmt::fmt spdlog::spdlog
  CLI11::CLI11 PkgConfig::libzip nlohmann_json::nlohmann_json)
if(NOT WEFT_SANITIZE)  # a sanitizer makes each measurement too slow
  add_test(NAME tools/speed_laws COMMAND Python3::Interpreter
    ${PROJECT_SOURCE_DIR}/tests/tools/speed_laws.py $<TARGET_FILE:benchmarks_laws>)
  weft_test_properties(tools/speed_laws "quick;tool")
endif()

include(cmake/gpu_bundle.cmake)
