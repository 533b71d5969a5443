// Info objects.
#include <gtest/gtest.h>

#include <string>

#include "tests/mpi/alone.hpp"

namespace {

/// The value of a key, or "(none)".
std::string get(MPI_Info info, const char* key) {
    char value[MPI_MAX_INFO_VAL];
    int length = sizeof(value);
    int flag = -1;
    EXPECT_EQ(MPI_Info_get_string(info, key, &length, value, &flag), MPI_SUCCESS);
    if (flag == 0) return "(none)";
    EXPECT_EQ(std::string(value).size() + 1, static_cast<std::size_t>(length));
    return value;
}

TEST(Info, KeepsKeysInOrder) {
    MPI_Info info = MPI_INFO_NULL;
    ASSERT_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    MPI_Info_set(info, "b", "1");
    MPI_Info_set(info, "a", "2");
    MPI_Info_set(info, "b", "3");
    int keys = 0;
    EXPECT_EQ(MPI_Info_get_nkeys(info, &keys), MPI_SUCCESS);
    EXPECT_EQ(keys, 2);
    char key[MPI_MAX_INFO_KEY];
    EXPECT_EQ(MPI_Info_get_nthkey(info, 1, key), MPI_SUCCESS);
    EXPECT_STREQ(key, "a");
    EXPECT_EQ(MPI_Info_get_nthkey(info, 2, key), MPI_ERR_ARG);
    EXPECT_EQ(get(info, "b"), "3");
    MPI_Info copy = MPI_INFO_NULL;
    MPI_Info_dup(info, &copy);
    EXPECT_EQ(MPI_Info_delete(info, "b"), MPI_SUCCESS);
    EXPECT_EQ(MPI_Info_delete(info, "b"), MPI_ERR_INFO_NOKEY);
    EXPECT_EQ(get(info, "b"), "(none)");
    EXPECT_EQ(get(copy, "b"), "3");
    EXPECT_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    EXPECT_EQ(info, MPI_INFO_NULL);
    EXPECT_EQ(MPI_Info_free(&info), MPI_ERR_INFO);
    MPI_Info_free(&copy);
}

TEST(Info, ValuesAreCutToTheBuffer) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "abcdef");
    char value[8] = "#######";
    int length = 4;
    int flag = 0;
    MPI_Info_get_string(info, "key", &length, value, &flag);
    EXPECT_STREQ(value, "abc");
    EXPECT_EQ(length, 7);
    length = 0;
    value[0] = '#';
    MPI_Info_get_string(info, "key", &length, value, &flag);
    EXPECT_EQ(value[0], '#');
    EXPECT_EQ(length, 7);
    MPI_Info_get(info, "key", 2, value, &flag);
    EXPECT_STREQ(value, "ab");
    EXPECT_EQ(MPI_Info_get_valuelen(info, "key", &length, &flag), MPI_SUCCESS);
    EXPECT_EQ(length, 6);
    MPI_Info_free(&info);
}

TEST(Info, RefusesWhatIsTooLong) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    EXPECT_EQ(MPI_Info_set(info, std::string(MPI_MAX_INFO_KEY, 'k').c_str(), "v"), MPI_ERR_INFO_KEY);
    EXPECT_EQ(MPI_Info_set(info, std::string(MPI_MAX_INFO_KEY - 1, 'k').c_str(), "v"), MPI_SUCCESS);
    EXPECT_EQ(MPI_Info_set(info, "k", std::string(MPI_MAX_INFO_VAL, 'v').c_str()), MPI_ERR_INFO_VALUE);
    EXPECT_EQ(MPI_Info_set(info, "", "v"), MPI_ERR_INFO_KEY);
    EXPECT_EQ(MPI_Info_set(info, nullptr, "v"), MPI_ERR_INFO_KEY);
    MPI_Info_free(&info);
}

TEST(Info, TheEnvironmentTellsHowTheProgramWasStarted) {
    EXPECT_EQ(get(MPI_INFO_ENV, "maxprocs"), "1");
    EXPECT_EQ(get(MPI_INFO_ENV, "thread_level"), "MPI_THREAD_SINGLE");
    EXPECT_NE(get(MPI_INFO_ENV, "command").find("mpi_test"), std::string::npos);
    EXPECT_EQ(MPI_Info_set(MPI_INFO_ENV, "a", "b"), MPI_ERR_INFO);
    std::string words[] = {"program", "one", "two"};
    char* argv[] = {words[0].data(), words[1].data(), words[2].data()};
    MPI_Info info = MPI_INFO_NULL;
    ASSERT_EQ(MPI_Info_create_env(3, argv, &info), MPI_SUCCESS);
    EXPECT_EQ(get(info, "command"), "program");
    EXPECT_EQ(get(info, "argv"), "one two");
    MPI_Info_free(&info);
}

TEST(Info, CallsThatTakeHintsRefuseWhatIsNoInfo) {
    long word = 0;
    const auto no_info = reinterpret_cast<MPI_Info>(&word);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    void* memory = nullptr;
    EXPECT_EQ(MPI_Comm_dup_with_info(MPI_COMM_SELF, no_info, &comm), MPI_ERR_INFO);
    EXPECT_EQ(MPI_Comm_idup_with_info(MPI_COMM_SELF, no_info, &comm, &request), MPI_ERR_INFO);
    EXPECT_EQ(MPI_Comm_split_type(MPI_COMM_SELF, MPI_COMM_TYPE_SHARED, 0, no_info, &comm), MPI_ERR_INFO);
    EXPECT_EQ(MPI_Comm_set_info(MPI_COMM_SELF, no_info), MPI_ERR_INFO);
    EXPECT_EQ(MPI_Barrier_init(MPI_COMM_SELF, no_info, &request), MPI_ERR_INFO);
    EXPECT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 0, nullptr, MPI_UNWEIGHTED, 0, nullptr,
                                             MPI_UNWEIGHTED, no_info, 0, &comm),
              MPI_ERR_INFO);
    EXPECT_EQ(MPI_Alloc_mem(8, no_info, &memory), MPI_ERR_INFO);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
}

TEST(Info, CommunicatorsTakeHintsAndKeepNone) {
    MPI_Info hints = MPI_INFO_NULL;
    MPI_Info used = MPI_INFO_NULL;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "some_hint", "true");
    EXPECT_EQ(MPI_Comm_set_info(MPI_COMM_SELF, hints), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_get_info(MPI_COMM_SELF, &used), MPI_SUCCESS);
    EXPECT_EQ(get(used, "some_hint"), "(none)");
    EXPECT_EQ(MPI_Comm_get_info(MPI_COMM_NULL, &used), MPI_ERR_COMM);
    MPI_Info_free(&hints);
    MPI_Info_free(&used);
}

TEST(Info, TellsTheSizesOfTheAbi) {
    MPI_Info info = MPI_INFO_NULL;
    ASSERT_EQ(MPI_Abi_get_info(&info), MPI_SUCCESS);
    for (const char* key : {"mpi_aint_size", "mpi_count_size", "mpi_offset_size"})
        EXPECT_EQ(get(info, key), "8");
    MPI_Info_free(&info);
}

}  // namespace
