# Finds what client-cpp is linked with. Used by the build and by the installed package, so that both
# see the same targets; what is missing is collected and named once, with its Debian package.

function(client_cpp_find package debian)
  # Visible to a parent project as well: the link line of a static library reaches it.
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    set_property(GLOBAL APPEND PROPERTY CLIENT_CPP_MISSING ${package})
    set_property(GLOBAL APPEND PROPERTY CLIENT_CPP_MISSING_DEBIAN ${debian})
  endif()
endfunction()

# yaml-cpp::yaml-cpp came with 0.8; Debian 12 has 0.7.
function(client_cpp_find_yaml)
  client_cpp_find(yaml-cpp libyaml-cpp-dev)
  if(TARGET yaml-cpp AND NOT TARGET yaml-cpp::yaml-cpp)
    add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED GLOBAL)
    target_link_libraries(yaml-cpp::yaml-cpp INTERFACE yaml-cpp)
  endif()
endfunction()

# Debian's cpp-httplib has no CMake package, only a pkg-config file.
function(client_cpp_find_httplib)
  if(TARGET httplib::httplib)
    return()
  endif()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(CLIENT_CPP_HTTPLIB QUIET IMPORTED_TARGET GLOBAL cpp-httplib)
  endif()
  if(TARGET PkgConfig::CLIENT_CPP_HTTPLIB)
    add_library(httplib::httplib INTERFACE IMPORTED GLOBAL)
    target_link_libraries(httplib::httplib INTERFACE PkgConfig::CLIENT_CPP_HTTPLIB)
    return()
  endif()
  client_cpp_find(httplib "libcpp-httplib-dev pkg-config libssl-dev libbrotli-dev")
endfunction()

# Registries, histograms and the text format of Prometheus are not written by hand. A library beside the
# others, client-cpp::prometheus: who exports metrics in another way, or none, needs no further package.
# Another project may have added it before.
function(client_cpp_find_prometheus)
  if(NOT TARGET prometheus-cpp::core)
    set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)
    find_package(prometheus-cpp QUIET)
  endif()
endfunction()

# Targets of one part: library, testing, prometheus, tests, benchmarks or examples.
function(client_cpp_find_dependencies part)
  if(part STREQUAL "library")
    client_cpp_find(Threads libc6-dev)
    client_cpp_find(tl-expected libexpected-dev)
    client_cpp_find(nlohmann_json nlohmann-json3-dev 3.11)
    client_cpp_find(CURL libcurl4-openssl-dev 7.88)
    # Tells, before a connection needs it, whether a renewed key fits its certificate, and whether a key
    # is encrypted; libcurl only fails.
    client_cpp_find(OpenSSL libssl-dev)
    client_cpp_find(spdlog libspdlog-dev)
    client_cpp_find(ZLIB zlib1g-dev)
    client_cpp_find_yaml()
  elseif(part STREQUAL "testing")
    client_cpp_find_httplib()
  elseif(part STREQUAL "prometheus")
    client_cpp_find_prometheus()
    if(NOT TARGET prometheus-cpp::core)
      client_cpp_find(prometheus-cpp prometheus-cpp-dev)
    endif()
  elseif(part STREQUAL "tests")
    client_cpp_find(GTest "libgtest-dev libgmock-dev")
  elseif(part STREQUAL "benchmarks")
    client_cpp_find(benchmark libbenchmark-dev)
  elseif(part STREQUAL "examples")
    client_cpp_find(CLI11 libcli11-dev)
  endif()
endfunction()

# Sets `out` to a message about what is missing, or to an empty text.
function(client_cpp_missing_dependencies out)
  get_property(missing GLOBAL PROPERTY CLIENT_CPP_MISSING)
  get_property(debian GLOBAL PROPERTY CLIENT_CPP_MISSING_DEBIAN)
  set(message "")
  if(missing)
    list(REMOVE_DUPLICATES missing)
    list(REMOVE_DUPLICATES debian)
    list(JOIN missing ", " missing)
    list(JOIN debian " " debian)
    set(message "client-cpp needs ${missing}. On Debian or Ubuntu: apt-get install ${debian}")
  endif()
  set(${out} "${message}" PARENT_SCOPE)
endfunction()

function(client_cpp_require_dependencies)
  client_cpp_missing_dependencies(message)
  if(message)
    message(FATAL_ERROR "${message}\nscripts/deps.sh installs all of them.")
  endif()
endfunction()
