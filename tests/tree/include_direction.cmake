cmake_minimum_required(VERSION 3.25)
# Fails when a file includes a project header of a layer that its own layer must not know.
# cmake -DROOT=DIR -P include_direction.cmake
#
# A line of the table: layer, then the layers it may include besides itself. `runtime/status` may be used by all.
set(table
  "runtime/fabric|runtime/memory|runtime/wait"
  "runtime/fabric/verbs|runtime/fabric|runtime/topology"
  "runtime/ring|runtime/fabric"
  "runtime/channel|runtime/fabric"
  "runtime/wait"
  "runtime/memory"
  "runtime/topology"
  "runtime/state|runtime/memory"
  "runtime/bootstrap|runtime/topology"
  "runtime/network|runtime/fabric|runtime/fabric/verbs|runtime/ring|runtime/memory"
  "runtime/mesh|runtime/fabric|runtime/bootstrap|runtime/memory|runtime/topology|runtime/ring|runtime/wait|runtime/network"
  "pt2pt/matching"
  "pt2pt/protocol"
  "datatype"
  "pt2pt|datatype|runtime/fabric|runtime/memory|runtime/ring|runtime/network|runtime/mesh|runtime/wait|runtime/bootstrap|runtime/topology|runtime/state|pt2pt/matching|pt2pt/protocol|pt2pt/collective"
  "pt2pt/collective|pt2pt"
  "api|pt2pt|pt2pt/collective"
  "mpi|datatype|pt2pt|pt2pt/collective"
  "launcher|command|runtime/topology|runtime/state"
  "command"
  "info|command|runtime/bootstrap|runtime/mesh|runtime/fabric/verbs|runtime/memory|runtime/topology|runtime/network|pt2pt|osu-style-bench"
  "stat|command|runtime/state"
  "osu-style-bench|command"
  "osu-style-bench/tcp|command|osu-style-bench|runtime/fabric|runtime/ring|runtime/memory"
  "osu-style-bench/ring|command|osu-style-bench|runtime/fabric|runtime/fabric/verbs|runtime/ring|runtime/channel")

set(layers)
foreach(line ${table})
  string(REPLACE "|" ";" parts "${line}")
  list(POP_FRONT parts layer)
  list(APPEND layers ${layer})
  set("may_${layer}" ${layer} ${parts})
endforeach()

# The longest layer name that `path` lies in.
function(layer_of path result)
  set(best "")
  foreach(layer ${layers})
    string(FIND "${path}" "${layer}/" at)
    string(LENGTH "${layer}" length)
    string(LENGTH "${best}" longest)
    if(at EQUAL 0 AND length GREATER longest)
      set(best ${layer})
    endif()
  endforeach()
  set(${result} "${best}" PARENT_SCOPE)
endfunction()

set(edges 0)
set(wrong 0)
file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/datatype/* ${ROOT}/runtime/* ${ROOT}/pt2pt/* ${ROOT}/api/* ${ROOT}/mpi/* ${ROOT}/launcher/* ${ROOT}/command/* ${ROOT}/info/* ${ROOT}/stat/*
     ${ROOT}/osu-style-bench/*)
list(FILTER files INCLUDE REGEX "\\.(hpp|cc|inl|h|c)$")
foreach(file ${files})
  layer_of(${file} from)
  file(STRINGS ${ROOT}/${file} includes REGEX "^#include \"")
  foreach(include ${includes})
    string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" header "${include}")
    layer_of(${header} to)
    if(to STREQUAL "" AND NOT header STREQUAL "runtime/status.hpp")
      continue()  # a generated or library header
    endif()
    math(EXPR edges "${edges} + 1")
    if(NOT to STREQUAL "" AND NOT to IN_LIST may_${from})
      message(SEND_ERROR "${file} includes ${header}: ${from} must not know ${to}")
      math(EXPR wrong "${wrong} + 1")
    endif()
  endforeach()
endforeach()
if(edges EQUAL 0)
  message(FATAL_ERROR "no includes found below ${ROOT}")
endif()
message(STATUS "${edges} includes of project headers, ${wrong} in the wrong direction")
