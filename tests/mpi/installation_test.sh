#!/bin/sh
# Installs into a temporary prefix, moves it, and builds and runs programs with the wrappers, find_package, FindMPI and
# pkg-config. Arguments: cmake, the build directory, the source directory, the sanitizers of the build (or nothing).
set -eu
cmake=$1 build=$2 source=$3 sanitize=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=${sanitize:+-fsanitize=$sanitize}

"$cmake" --install "$build" --prefix "$work/first" >"$work/log" || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/prefix"
PATH=$work/prefix/bin:$PATH
export PATH

echo "== manual pages"
if command -v python3 >/dev/null; then
    python3 "$source/tests/docs/manual_pages.py" "$work/prefix/bin" "$work/prefix/share/man"
fi

echo "== wrappers"
rb2cc $flags -Wall -Wextra -Werror -pedantic -c "$source/examples/hello.c" -o "$work/hello.o"
rb2cc $flags "$work/hello.o" -o "$work/hello"
rb2run -n 2 "$work/hello" | grep "rank 1 of 2"
rb2c++ $flags -std=c++20 "$source/examples/in_place.cc" -o "$work/in_place"
rb2run -n 3 "$work/in_place" | grep "rank 2 was here"
rb2c++ $flags -std=c++20 -Wno-unused "$source/examples/hello.c" -o "$work/hello_cxx"
readelf -d "$work/hello_cxx" | grep -q 'NEEDED.*libmpi_abi.so.1'
if readelf -d "$work/hello_cxx" | grep -q 'NEEDED.*librb2'; then
    echo "a program of the C interface needs librb2 directly"
    exit 1
fi
cp -r "$work/prefix" "$work/moved once more"
"$work/moved once more/bin/rb2cc" $flags "$source/examples/hello.c" -o "$work/hello_blank"
"$work/moved once more/bin/rb2run" -n 2 "$work/hello_blank" | grep "rank 1 of 2"
rm -r "$work/moved once more"
rb2cc -show x.c -o x | grep -q "^cc -I$work/prefix/include x.c -o x .*-lmpi_abi"
RB2_CC="env cc" rb2cc -show x.c | grep -q "^env cc "

echo "== rb2stat"
rb2stat --version | grep -q "^rb2stat (rb2) "
rb2run --stats -n 2 "$work/hello" 2>&1 | grep -q "2 of 2 ranks: sent"

echo "== find_package"
mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(user LANGUAGES C CXX)
find_package(rb2 0.1 REQUIRED)
find_package(MPI REQUIRED)
add_executable(pi ${EXAMPLES}/pi.cc)
target_link_libraries(pi PRIVATE rb2::rb2)
add_executable(hello ${EXAMPLES}/hello.c)
target_link_libraries(hello PRIVATE rb2::mpi)
add_executable(hello_mpi ${EXAMPLES}/hello.c)
target_link_libraries(hello_mpi PRIVATE MPI::MPI_C)
END
"$cmake" -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DEXAMPLES="$source/examples" -DMPI_C_COMPILER="$work/prefix/bin/rb2cc" \
    -DMPI_CXX_COMPILER="$work/prefix/bin/rb2c++" -DMPI_EXECUTABLE_SUFFIX= -DMPIEXEC_EXECUTABLE="$work/prefix/bin/rb2run" \
    -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$cmake" --build "$work/project/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
rb2run -n 2 "$work/project/build/pi" | grep "3.14159265"
for program in hello hello_mpi; do
    rb2run -n 2 "$work/project/build/$program" | grep "rank 1 of 2"
done
readelf -d "$work/project/build/hello_mpi" | grep -q 'NEEDED.*libmpi_abi.so.1'

echo "== the names other tools look for"
names=$(dirname "$(find "$work/prefix" -name mpicc)")
"$names/mpicc" $flags "$source/examples/hello.c" -o "$work/hello_mpicc"
"$names/mpicc" -show x.c | grep -q -- "-I$work/prefix/include"
"$names/mpiexec" -np 2 "$work/hello_mpicc" | grep "rank 1 of 2"
"$names/mpiexec" -n 1 -host elsewhere --dry-run "$work/hello_mpicc" | grep -q "elsewhere"
mkdir "$work/plain"
cat >"$work/plain/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(plain LANGUAGES C CXX)
find_package(MPI REQUIRED)
add_executable(hello ${EXAMPLES}/hello.c)
target_link_libraries(hello PRIVATE MPI::MPI_C)
add_executable(hello_cxx hello.cc)
target_link_libraries(hello_cxx PRIVATE MPI::MPI_CXX)
enable_testing()
foreach(program hello hello_cxx)
  add_test(NAME ${program} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 2 $<TARGET_FILE:${program}>)
endforeach()
END
cp "$source/examples/hello.c" "$work/plain/hello.cc"
"$cmake" -S "$work/plain" -B "$work/plain/build" -DEXAMPLES="$source/examples" -DMPI_HOME="$(dirname "$names")" \
    -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
grep -q "$work/prefix/lib" "$work/plain/build/CMakeCache.txt"
"$cmake" --build "$work/plain/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
readelf -d "$work/plain/build/hello" | grep -q 'NEEDED.*libmpi_abi.so.1'
ctest --test-dir "$work/plain/build" --output-on-failure

echo "== pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name rb2.pc)")
export PKG_CONFIG_PATH
cc $flags "$source/examples/hello.c" -o "$work/hello_pc" $(pkg-config --cflags --libs rb2-mpi)
rb2run -n 2 "$work/hello_pc" | grep "rank 1 of 2"
c++ $flags -std=c++20 "$source/examples/pi.cc" -o "$work/pi_pc" $(pkg-config --cflags --libs rb2)
rb2run -n 2 "$work/pi_pc" | grep "3.14159265"
