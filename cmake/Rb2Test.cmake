# What every test runs with: libpmix leaks a few strings of its own, which are no news of ours.
set(RB2_TEST_ENVIRONMENT "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/lsan.supp:print_suppressions=0")

# rb2_unit_test(NAME SOURCES... [LIBS...] [TIMEOUT s] [STARTS_JOBS] [ONE_THREAD | THREADS n]): one GoogleTest executable,
# one ctest entry: to start it takes longer than most of its cases. Where each case STARTS_JOBS, one entry per case.
# TIMEOUT: of an entry. ONE_THREAD: left out under the thread sanitizer, which would see nothing in them. THREADS: that many
# of them spin, so ctest gives them as many processors; built as the library is, as the optimizer may reorder what they share.
function(rb2_unit_test NAME)
  cmake_parse_arguments(ARG "ONE_THREAD;STARTS_JOBS" "TIMEOUT;THREADS" "SOURCES;LIBS" ${ARGN})
  if(ARG_ONE_THREAD AND RB2_SANITIZE STREQUAL "thread")
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)  # under a sanitizer some take minutes
  endif()
  if(NOT ARG_THREADS)
    set(ARG_THREADS 1)
  endif()
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${ARG_LIBS} rb2_options GTest::gmock GTest::gtest_main)
  if(ARG_THREADS EQUAL 1)
    target_compile_options(${NAME} PRIVATE ${RB2_RUNS_ONCE})
  endif()
  set_target_properties(${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/bin)
  set(properties PROCESSORS ${ARG_THREADS} LABELS unit TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT "${RB2_TEST_ENVIRONMENT}")
  if(ARG_STARTS_JOBS)
    gtest_discover_tests(${NAME} TEST_PREFIX "${NAME}." DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
  else()
    add_test(NAME ${NAME} COMMAND ${NAME})
    set_tests_properties(${NAME} PROPERTIES ${properties} COST 100)  # long ones among the first
  endif()
endfunction()

# rb2_not_optimized(FILES...): tests that are big templates, built faster without any optimization, with a sanitizer above
# all; what they show does not need the optimizer.
function(rb2_not_optimized)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O0)
endfunction()

# rb2_refused(NAME FILE REASON): the compiler must refuse FILE with REASON in its message.
function(rb2_refused NAME FILE REASON)
  add_test(NAME ${NAME} COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -I${PROJECT_SOURCE_DIR} ${FILE})
  set_tests_properties(${NAME} PROPERTIES PASS_REGULAR_EXPRESSION "${REASON}" TIMEOUT 60 LABELS unit)
endfunction()

# rb2_test_program(NAME SOURCES... [LIBS...]): an executable for tests to start.
function(rb2_test_program NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${ARG_LIBS} rb2_options)
  target_compile_options(${NAME} PRIVATE ${RB2_RUNS_ONCE})
  set_target_properties(${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/bin)
endfunction()

# rb2_mp_test(NAME RANKS n PROGRAM target [ARGS...] [TIMEOUT s] [ENV K=V...] [LAUNCH_ARGS...]):
# runs a program through rb2run; passes when the job exits 0.
function(rb2_mp_test NAME)
  cmake_parse_arguments(ARG "" "RANKS;PROGRAM;TIMEOUT" "ARGS;ENV;LAUNCH_ARGS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  add_test(NAME ${NAME} COMMAND rb2run -n ${ARG_RANKS} ${ARG_LAUNCH_ARGS} $<TARGET_FILE:${ARG_PROGRAM}> ${ARG_ARGS})
  set_tests_properties(${NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS mp
                       ENVIRONMENT "${RB2_TEST_ENVIRONMENT};${ARG_ENV}")
endfunction()
include(GoogleTest)
