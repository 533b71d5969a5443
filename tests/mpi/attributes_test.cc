// Attributes in a world of one: keys, callbacks on duplication and freeing, and what happens when those fail.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/mpi/alone.hpp"

namespace {

/// What the callbacks saw, in order.
struct Log {
    std::vector<std::string> calls;
    int result = MPI_SUCCESS;  ///< what the callbacks return
};

int copy_plus_one(MPI_Comm, int, void* extra_state, void* in, void* out, int* flag) {
    static_cast<Log*>(extra_state)->calls.emplace_back("copy");
    *static_cast<char**>(out) = static_cast<char*>(in) + 1;
    *flag = 1;
    return static_cast<Log*>(extra_state)->result;
}
int copy_nothing(MPI_Comm, int, void* extra_state, void*, void*, int* flag) {
    static_cast<Log*>(extra_state)->calls.emplace_back("none");
    *flag = 0;
    return MPI_SUCCESS;
}
int note_delete(MPI_Comm, int, void* value, void* extra_state) {
    static_cast<Log*>(extra_state)->calls.push_back("delete " + std::to_string(*static_cast<int*>(value)));
    return static_cast<Log*>(extra_state)->result;
}

/// The value, or null when it is not set.
void* value_on(MPI_Comm comm, int key) {
    void* value = nullptr;
    int flag = -1;
    EXPECT_EQ(MPI_Comm_get_attr(comm, key, static_cast<void*>(&value), &flag), MPI_SUCCESS);
    return flag != 0 ? value : nullptr;
}

class AttributesTest : public testing::Test {
  protected:
    AttributesTest() { MPI_Comm_dup(MPI_COMM_SELF, &comm); }
    ~AttributesTest() override {
        log.result = MPI_SUCCESS;
        if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    }
    int make_key(MPI_Comm_copy_attr_function* copy) {
        int key = MPI_KEYVAL_INVALID;
        EXPECT_EQ(MPI_Comm_create_keyval(copy, note_delete, &key, &log), MPI_SUCCESS);
        EXPECT_NE(key, MPI_KEYVAL_INVALID);
        return key;
    }

    Log log;
    int values[3] = {1, 2, 3};
    MPI_Comm comm = MPI_COMM_NULL;
};

TEST_F(AttributesTest, PredefinedOnesAreSet) {
    for (const int key :
         {MPI_TAG_UB, MPI_IO, MPI_HOST, MPI_WTIME_IS_GLOBAL, MPI_APPNUM, MPI_UNIVERSE_SIZE, MPI_LASTUSEDCODE})
        EXPECT_NE(value_on(comm, key), nullptr) << key;
    EXPECT_GE(*static_cast<int*>(value_on(comm, MPI_TAG_UB)), 32767);
    EXPECT_EQ(*static_cast<int*>(value_on(comm, MPI_UNIVERSE_SIZE)), 1);
    EXPECT_EQ(*static_cast<int*>(value_on(comm, MPI_APPNUM)), 0);
    EXPECT_EQ(MPI_Comm_set_attr(comm, MPI_TAG_UB, values), MPI_ERR_KEYVAL);
    EXPECT_EQ(MPI_Comm_delete_attr(comm, MPI_TAG_UB), MPI_ERR_KEYVAL);
}

TEST_F(AttributesTest, SetReplaceDelete) {
    int key = make_key(MPI_COMM_NULL_COPY_FN);
    EXPECT_EQ(value_on(comm, key), nullptr);
    EXPECT_EQ(MPI_Comm_set_attr(comm, key, &values[0]), MPI_SUCCESS);
    EXPECT_EQ(value_on(comm, key), &values[0]);
    EXPECT_EQ(MPI_Comm_set_attr(comm, key, &values[1]), MPI_SUCCESS);
    EXPECT_EQ(value_on(comm, key), &values[1]);
    EXPECT_EQ(MPI_Comm_delete_attr(comm, key), MPI_SUCCESS);
    EXPECT_EQ(value_on(comm, key), nullptr);
    EXPECT_EQ(log.calls, (std::vector<std::string>{"delete 1", "delete 2"}));
    EXPECT_EQ(MPI_Comm_free_keyval(&key), MPI_SUCCESS);
    EXPECT_EQ(key, MPI_KEYVAL_INVALID);
    EXPECT_EQ(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL);
}

TEST_F(AttributesTest, DuplicationAsksTheCallbacks) {
    int plus_one = make_key(copy_plus_one);
    int nothing = make_key(copy_nothing);
    int as_is = MPI_KEYVAL_INVALID;
    int null = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &as_is, nullptr);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &null, nullptr);
    for (const int key : {plus_one, nothing, as_is, null}) MPI_Comm_set_attr(comm, key, values);
    MPI_Comm copy = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(comm, &copy), MPI_SUCCESS);
    EXPECT_EQ(value_on(copy, plus_one), reinterpret_cast<char*>(values) + 1);
    EXPECT_EQ(value_on(copy, nothing), nullptr);
    EXPECT_EQ(value_on(copy, as_is), values);
    EXPECT_EQ(value_on(copy, null), nullptr);
    MPI_Comm_set_attr(copy, plus_one, &values[2]);  // readable again by the delete callback
    EXPECT_EQ(MPI_Comm_free(&copy), MPI_SUCCESS);
    for (int* key : {&plus_one, &nothing, &as_is, &null}) MPI_Comm_free_keyval(key);
}

TEST_F(AttributesTest, FreeingDeletesTheLatestFirst) {
    int first = make_key(MPI_COMM_NULL_COPY_FN);
    int second = make_key(MPI_COMM_NULL_COPY_FN);
    MPI_Comm_set_attr(comm, first, &values[0]);
    MPI_Comm_set_attr(comm, second, &values[1]);
    EXPECT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    EXPECT_EQ(log.calls, (std::vector<std::string>{"delete 2", "delete 1"}));
    MPI_Comm_free_keyval(&first);
    MPI_Comm_free_keyval(&second);
}

TEST_F(AttributesTest, AFreedKeyLivesOnUnderItsValues) {
    int key = make_key(MPI_COMM_DUP_FN);
    const int kept = key;
    MPI_Comm_set_attr(comm, key, &values[2]);
    MPI_Comm_free_keyval(&key);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &copy);
    EXPECT_EQ(value_on(copy, kept), &values[2]);
    int again = kept;
    EXPECT_EQ(MPI_Comm_free_keyval(&again), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_delete_attr(copy, kept), MPI_SUCCESS);
    int flag = 0;
    void* value = nullptr;
    EXPECT_EQ(MPI_Comm_get_attr(copy, kept, static_cast<void*>(&value), &flag), MPI_ERR_KEYVAL);
    MPI_Comm_free(&copy);
    EXPECT_EQ(log.calls, (std::vector<std::string>{"delete 3"}));
}

TEST_F(AttributesTest, CallbacksThatFailAreReported) {
    int key = make_key(copy_plus_one);
    MPI_Comm_set_attr(comm, key, &values[0]);
    log.result = MPI_ERR_OTHER;
    MPI_Comm copy = comm;
    EXPECT_EQ(MPI_Comm_dup(comm, &copy), MPI_ERR_OTHER);
    EXPECT_EQ(copy, MPI_COMM_NULL);
    EXPECT_EQ(MPI_Comm_delete_attr(comm, key), MPI_ERR_OTHER);
    EXPECT_EQ(value_on(comm, key), &values[0]);
    EXPECT_EQ(MPI_Comm_free(&comm), MPI_ERR_OTHER);
    EXPECT_NE(comm, MPI_COMM_NULL);
    log.result = MPI_SUCCESS;
    EXPECT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    MPI_Comm_free_keyval(&key);
}

TEST_F(AttributesTest, DeprecatedNames) {
    int key = MPI_KEYVAL_INVALID;
    EXPECT_EQ(MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &key, nullptr), MPI_SUCCESS);
    EXPECT_EQ(MPI_Attr_put(comm, key, values), MPI_SUCCESS);
    void* value = nullptr;
    int flag = 0;
    EXPECT_EQ(MPI_Attr_get(comm, key, static_cast<void*>(&value), &flag), MPI_SUCCESS);
    EXPECT_EQ(value, values);
    EXPECT_EQ(MPI_Attr_delete(comm, key), MPI_SUCCESS);
    EXPECT_EQ(MPI_Keyval_free(&key), MPI_SUCCESS);
}

TEST(TypeAttributes, OfPredefinedDatatypes) {
    int key = MPI_KEYVAL_INVALID;
    EXPECT_EQ(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, nullptr),
              MPI_SUCCESS);
    int word = 0;
    void* value = nullptr;
    int flag = 0;
    EXPECT_EQ(MPI_Type_set_attr(MPI_INT, key, &word), MPI_SUCCESS);
    EXPECT_EQ(MPI_Type_get_attr(MPI_INT, key, static_cast<void*>(&value), &flag), MPI_SUCCESS);
    EXPECT_TRUE(flag == 1 && value == &word);
    EXPECT_EQ(MPI_Type_get_attr(MPI_DOUBLE, key, static_cast<void*>(&value), &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(MPI_Type_delete_attr(MPI_INT, key), MPI_SUCCESS);
    EXPECT_EQ(MPI_Type_set_attr(MPI_DATATYPE_NULL, key, &word), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Type_free_keyval(&key), MPI_SUCCESS);
    EXPECT_EQ(MPI_Type_set_attr(MPI_INT, key, &word), MPI_ERR_KEYVAL);
}

}  // namespace
