/* Every rank greets; rank 0 prints. Build: rb2cc hello.c -o hello   Run: rb2run -n 4 ./hello */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    char name[MPI_MAX_PROCESSOR_NAME];
    int rank, size, length;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(name, &length);
    if (rank != 0) {
        MPI_Send(name, length + 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    } else {
        printf("rank 0 of %d on %s\n", size, name);
        for (int source = 1; source < size; ++source) {
            MPI_Recv(name, sizeof name, MPI_CHAR, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            printf("rank %d of %d on %s\n", source, size, name);
        }
    }
    MPI_Finalize();
    return 0;
}
