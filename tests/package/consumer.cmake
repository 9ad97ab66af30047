# The part that all CMake consumers share: their program, and what a library must not do to them.

add_executable(consumer ${CMAKE_CURRENT_LIST_DIR}/consumer.cpp)
target_link_libraries(consumer PRIVATE client-cpp::client-cpp)

# The program of README.md, as a reader would copy it.
add_executable(readme ${CMAKE_CURRENT_LIST_DIR}/../../examples/readme.cpp)
target_link_libraries(readme PRIVATE client-cpp::client-cpp)

if(CMAKE_CXX_STANDARD OR CMAKE_CXX_FLAGS)
  message(FATAL_ERROR "client-cpp changed the compiler settings of its parent project")
endif()
if(TARGET client-cpp-tests)
  message(FATAL_ERROR "client-cpp builds its tests in another project")
endif()

enable_testing()
add_test(NAME consumer COMMAND consumer)
