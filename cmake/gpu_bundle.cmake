# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# cmake/gpu_bundle.cmake: lists our files that ./dev gpu-bundle packs (tools/gpu/bundle.sh). They
# form an installation component, so that they contain no path of the build folder.
set(gpu_parts tool_weft test_laws test_ops test_programs benchmarks_gpu_rows)
set(gpu_examples)
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/[0-9][0-9]_*.cpp)
foreach(source IN LISTS sources)
  get_filename_component(name ${source} NAME_WE)
  list(APPEND gpu_examples examples_${name})
endforeach()
install(TARGETS ${weft_libraries} LIBRARY DESTINATION lib COMPONENT gpu EXCLUDE_FROM_ALL NAMELINK_SKIP)
install(TARGETS ${gpu_parts} RUNTIME DESTINATION bin COMPONENT gpu EXCLUDE_FROM_ALL)
install(TARGETS ${gpu_examples} RUNTIME DESTINATION examples COMPONENT gpu EXCLUDE_FROM_ALL)
add_custom_target(gpu_parts DEPENDS ${weft_libraries} ${gpu_parts} ${gpu_examples})

if(NOT WEFT_SANITIZE)  # a sanitized build needs libraries that other machines do not have
  add_test(NAME gpu/bundle COMMAND ${PROJECT_SOURCE_DIR}/tests/gpu/bundle.sh ${PROJECT_BINARY_DIR}
    $<TARGET_FILE:fake_cuda>)
  weft_test_properties(gpu/bundle "slow;tool")
  set_tests_properties(gpu/bundle PROPERTIES TIMEOUT 3600)
endif()
