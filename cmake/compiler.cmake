# Compiler settings of this project's own targets. No global variable is set for a parent project.

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
  endif()
  if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(CLIENT_CPP_CCACHE ccache)
    if(CLIENT_CPP_CCACHE)
      set(CMAKE_CXX_COMPILER_LAUNCHER ${CLIENT_CPP_CCACHE})
    endif()
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()

# Settings of every target of this project, public or not.
add_library(client-cpp-build-options INTERFACE)
target_compile_features(client-cpp-build-options INTERFACE cxx_std_20)

if(CLIENT_CPP_DEVELOPER_MODE)
  target_compile_options(client-cpp-build-options INTERFACE -Wall -Wextra -Wpedantic -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # False alarms of g++ 12 and 13 in std::string at -O2 (GCC bugs 105329 and 105651).
    target_compile_options(client-cpp-build-options INTERFACE -Wno-restrict)
    # In C++, g++ has it for designated initialisers too, whose very point is to leave members out.
    target_compile_options(client-cpp-build-options INTERFACE -Wno-missing-field-initializers)
  endif()
  # Dozens of test programs are linked with the same archive. Not mold: 1.10 of Debian 12 starts the RELRO
  # segment 4 bytes before the segment it protects, and a program whose layout puts a page border there
  # does not start ("cannot apply additional memory protection after relocation").
  find_program(CLIENT_CPP_LLD ld.lld)
  if(CLIENT_CPP_LLD)
    target_link_options(client-cpp-build-options INTERFACE -fuse-ld=lld)
  endif()
endif()

if(CLIENT_CPP_SANITIZE)
  set(sanitize -fsanitize=${CLIENT_CPP_SANITIZE} -fno-omit-frame-pointer)
  if(CLIENT_CPP_SANITIZE MATCHES "undefined")
    list(APPEND sanitize -fno-sanitize-recover=undefined)
  endif()
  target_compile_options(client-cpp-build-options INTERFACE ${sanitize})
  target_link_options(client-cpp-build-options INTERFACE ${sanitize})
endif()

function(client_cpp_configure_library target)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:client-cpp-build-options>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(
    ${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  set_target_properties(
    ${target}
    PROPERTIES LINKER_LANGUAGE CXX
               DEFINE_SYMBOL ""
               CXX_EXTENSIONS OFF
               VERSION ${PROJECT_VERSION}
               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endfunction()

# A program of this project: a test, an example or a benchmark.
function(client_cpp_add_program target)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE client-cpp-build-options client-cpp::client-cpp)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()
