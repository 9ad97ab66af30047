# Runs an example on the fake API server. Fails unless it ends by itself with 0 and has shown an object
# that comes, changes and goes.
execute_process(COMMAND ${PROGRAM} --fake OUTPUT_VARIABLE shown ERROR_VARIABLE errors
                RESULT_VARIABLE result)
message("${shown}${errors}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${result}")
endif()
if(NOT shown MATCHES "ADD .*UPDATE .*DELETE ")
  message(FATAL_ERROR "${PROGRAM} did not show ADD, UPDATE and DELETE in this order")
endif()
