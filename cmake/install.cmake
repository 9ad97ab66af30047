# Install targets: headers, libraries, a CMake package with the components `testing` and `prometheus`,
# and pkg-config files.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/client-cpp)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/k8s DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(
  TARGETS client-cpp
  EXPORT client-cpp-targets
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(
  EXPORT client-cpp-targets
  NAMESPACE client-cpp::
  DESTINATION ${package_dir})
foreach(component IN ITEMS testing prometheus)
  if(client_cpp_with_${component})
    install(TARGETS client-cpp-${component} EXPORT client-cpp-${component}-targets)
    install(
      EXPORT client-cpp-${component}-targets
      NAMESPACE client-cpp::
      DESTINATION ${package_dir})
  endif()
endforeach()

configure_package_config_file(cmake/client-cppConfig.cmake.in client-cppConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# A minor version may change the interface before 1.0.
write_basic_package_version_file(client-cppConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES ${CMAKE_CURRENT_BINARY_DIR}/client-cppConfig.cmake
        ${CMAKE_CURRENT_BINARY_DIR}/client-cppConfigVersion.cmake
        ${PROJECT_SOURCE_DIR}/cmake/client-cpp-dependencies.cmake
  DESTINATION ${package_dir})

# A static library leaves its own dependencies to the user's link line.
set(pc_requires "nlohmann_json >= 3.11")
set(pc_requires_private "libcrypto, libcurl, spdlog, yaml-cpp, zlib")
if(NOT BUILD_SHARED_LIBS)
  string(APPEND pc_requires ", ${pc_requires_private}")
  set(pc_requires_private "")
endif()
# The file finds its prefix from where it stands, so that an installed tree can be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY
           ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig OUTPUT_VARIABLE pc_prefix)
configure_file(cmake/client-cpp.pc.in client-cpp.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/client-cpp.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(client_cpp_with_prometheus)
  set(pc_prometheus_private "prometheus-cpp-core")
  if(NOT BUILD_SHARED_LIBS)
    set(pc_prometheus ", prometheus-cpp-core")
    set(pc_prometheus_private "")
  endif()
  configure_file(cmake/client-cpp-prometheus.pc.in client-cpp-prometheus.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/client-cpp-prometheus.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
