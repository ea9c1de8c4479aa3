# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# cmake/install.cmake: installs the library, its headers, the command, and the files by which other
# projects find them.
set(weft_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
install(TARGETS weft LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET tool_weft)  # The command needs weft_internal. No other program links it: it gets no .so.
  install(TARGETS tool_weft RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS weft_internal LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
endif()

install(DIRECTORY ${weft_include}/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

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
add_custom_target(installable DEPENDS ${weft_libraries} ${weft_tools})
