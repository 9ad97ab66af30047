# Compiles SOURCE twice: as it stands, which must work, and with MUST_NOT_COMPILE defined, which must
# fail with the text of its line "// must not compile: TEXT".

file(STRINGS ${SOURCE} expected REGEX "^// must not compile: ")
string(REGEX REPLACE "^// must not compile: " "" expected "${expected}")
if(NOT expected)
  message(FATAL_ERROR "${SOURCE} has no line '// must not compile: TEXT'")
endif()

set(command ${COMPILER} -std=c++20 -fsyntax-only -Werror=unused-result -I${INCLUDE} ${SOURCE})
execute_process(COMMAND ${command} RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "must compile without MUST_NOT_COMPILE, but:\n${output}")
endif()
execute_process(COMMAND ${command} -DMUST_NOT_COMPILE RESULT_VARIABLE status ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "compiles with MUST_NOT_COMPILE")
endif()
string(FIND "${output}" "${expected}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "fails, but not with '${expected}':\n${output}")
endif()
