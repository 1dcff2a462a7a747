# A program in an empty folder of its own, whose name it gets.
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
execute_process(COMMAND "${PROGRAM}" "${FOLDER}" COMMAND_ERROR_IS_FATAL ANY)
