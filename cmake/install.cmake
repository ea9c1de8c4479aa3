# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# cmake/install.cmake: installs the library, its headers, the command, and the files by which other
# projects find them.
set(weft_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
install(TARGETS weft LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET tool_weft)
  install(TARGETS tool_weft RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# Installs the headers that weft.h or eigen.h reaches.
set(todo weft.h eigen.h)
set(public_headers)
while(todo)
  list(POP_FRONT todo header)
  if(header IN_LIST public_headers)
    continue()
  endif()
  list(APPEND public_headers ${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"weft/")
  list(TRANSFORM lines REPLACE "^#include \"weft/([^\"]*)\".*" "\\1")
  list(APPEND todo ${lines})
endwhile()
# Headers for users may not make the names of weft::ir visible in namespace weft.
if(core/ir.h IN_LIST public_headers)
  message(FATAL_ERROR "weft.h or eigen.h reaches core/ir.h: write ir:: before names of weft::ir")
endif()
foreach(header IN LISTS public_headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft/${folder})
endforeach()

configure_package_config_file(cmake/weftConfig.cmake.in weftConfig.cmake
  INSTALL_DESTINATION ${weft_cmake_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(weftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
# weft.pc computes its prefix from its own location.
file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/weft.pc.in weft.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weftConfig.cmake ${PROJECT_BINARY_DIR}/weftConfigVersion.cmake
  DESTINATION ${weft_cmake_dir})
install(FILES ${PROJECT_BINARY_DIR}/weft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Builds what `cmake --install` copies, without tests.
add_custom_target(installable DEPENDS weft ${weft_tools})
