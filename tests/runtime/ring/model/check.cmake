# Generates, compiles and runs one SPIN search of a model:
#   cmake -DMODEL=... -DWORK=... -DDEFINES=-DX;-DY -DPROPERTY=safety|<ltl name> [-DVIOLATION=<regex>] -P check.cmake
# Passes when the search is complete and finds nothing, or, with VIOLATION, when SPIN reports exactly that.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
if(PROPERTY STREQUAL "safety")
  set(compile -DSAFETY)
  set(search)
else()
  list(APPEND DEFINES -DLIVENESS)
  set(compile -DNFAIR=3)
  set(search -a -f -N ${PROPERTY}) # -f: every process that can go on does so in the end
endif()

# run(OUT COMMAND...): the command's output; stops the test when it fails.
function(run OUT)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE out ERROR_VARIABLE out RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN} failed:\n${out}")
  endif()
  set(${OUT} "${out}" PARENT_SCOPE)
endfunction()

run(ignored ${SPIN} -a ${DEFINES} ${MODEL})
run(ignored ${CC} -O1 -w ${compile} -DMEMLIM=2048 -o pan pan.c)
run(report ./pan -m2000000 ${search})
message("${report}")

if(report MATCHES "max search depth too small|Search not completed|out of memory|reached -DMEMLIM|hash table full")
  if(NOT VIOLATION)
    message(FATAL_ERROR "the search is incomplete")
  endif()
endif()
if(VIOLATION)
  if(NOT report MATCHES "${VIOLATION}" OR NOT report MATCHES "errors: 1")
    message(FATAL_ERROR "SPIN did not find the violation: ${VIOLATION}")
  endif()
elseif(NOT report MATCHES "errors: 0" OR NOT report MATCHES "Full statespace search")
  message(FATAL_ERROR "SPIN found a violation")
endif()
