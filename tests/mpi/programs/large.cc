// Messages above 2 GiB, by the large-count forms and by a large datatype: every byte's place is verified.
#include <cstring>
#include <memory>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;

constexpr std::uint64_t kWords = (std::uint64_t{1} << 28) + 1000;  // 2 GiB and 8000 bytes
constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15ULL;

void verify(const std::uint64_t* words) {
    for (std::uint64_t i = 0; i < kWords; ++i)
        if (words[i] != i * kPrime) check(false, "word of a message above 2 GiB");
}

}  // namespace

int main() {
    const rb2::test::Mpi mpi;
    const std::unique_ptr<std::uint64_t[]> words(new std::uint64_t[kWords]);
    if (mpi.rank == 0) {
        for (std::uint64_t i = 0; i < kWords; ++i) words[i] = i * kPrime;
        MPI_Send_c(words.get(), kWords * 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Send(words.get(), static_cast<int>(kWords), MPI_UINT64_T, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Status status;
        MPI_Count bytes = 0;
        int count = 0;
        std::memset(words.get(), 0, kWords * 8);
        MPI_Recv_c(words.get(), kWords * 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count_c(&status, MPI_BYTE, &bytes);
        MPI_Get_count(&status, MPI_BYTE, &count);
        check(bytes == static_cast<MPI_Count>(kWords * 8), "64-bit count");
        check(count == MPI_UNDEFINED, "a count that an int cannot hold");
        verify(words.get());
        std::memset(words.get(), 0, kWords * 8);
        MPI_Recv(words.get(), static_cast<int>(kWords), MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, &status);
        verify(words.get());
    }
    return 0;
}
