# Compiler settings that every target of the project shares: link against rb2_options.
add_library(rb2_options INTERFACE)
target_include_directories(rb2_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_compile_options(rb2_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wundef -Werror
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast>
  -fno-semantic-interposition)

# For code that runs once in a while, such as a command line's: to build it optimized takes twice as long and gains nothing.
# The sanitizers' presets optimize little as it is.
if(NOT RB2_SANITIZE)
  set(RB2_RUNS_ONCE -Og)
endif()

if(RB2_SANITIZE)
  add_compile_options(-fsanitize=${RB2_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${RB2_SANITIZE})
  # The sanitizers' tables hold hundreds of thousands of addresses, which the loader of a PIE would relocate at each start.
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  if(RB2_SANITIZE MATCHES "thread")
    # gcc does not model stand-alone fences under TSan; the rings use none, other headers may.
    add_compile_options(-Wno-tsan)
  endif()
endif()
