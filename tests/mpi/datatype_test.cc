// Derived datatypes in a world of one: what they say about themselves, packing, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/mpi/alone.hpp"

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Frees what a test makes.
class Made {
  public:
    ~Made() {
        if (type != MPI_DATATYPE_NULL) {
            EXPECT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
        }
    }
    Made() = default;
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;
    MPI_Datatype* operator&() { return &type; }  // NOLINT(google-runtime-operator)
    operator MPI_Datatype() const { return type; }

  private:
    MPI_Datatype type = MPI_DATATYPE_NULL;
};

std::array<MPI_Aint, 2> extent_of(MPI_Datatype type) {
    std::array<MPI_Aint, 2> bounds{};
    EXPECT_EQ(MPI_Type_get_extent(type, &bounds[0], &bounds[1]), MPI_SUCCESS);
    return bounds;
}
std::array<MPI_Aint, 2> true_extent_of(MPI_Datatype type) {
    std::array<MPI_Aint, 2> bounds{};
    EXPECT_EQ(MPI_Type_get_true_extent(type, &bounds[0], &bounds[1]), MPI_SUCCESS);
    return bounds;
}
int size_of(MPI_Datatype type) {
    int size = -1;
    EXPECT_EQ(MPI_Type_size(type, &size), MPI_SUCCESS);
    return size;
}

TEST(Datatype, TellsSizeAndBounds) {
    Made vector;
    MPI_Type_vector(3, 2, 4, MPI_INT, &vector);
    EXPECT_EQ(size_of(vector), 24);
    EXPECT_THAT(extent_of(vector), ElementsAre(0, 40));
    Made resized;
    MPI_Type_create_resized(vector, -8, 100, &resized);
    EXPECT_THAT(extent_of(resized), ElementsAre(-8, 100));
    EXPECT_THAT(true_extent_of(resized), ElementsAre(0, 40));
    Made pairs;
    MPI_Type_contiguous(3, resized, &pairs);
    EXPECT_THAT(extent_of(pairs), ElementsAre(-8, 300));
}

TEST(Datatype, OfPaddedPairsHasNoPaddingInItsSize) {
    EXPECT_EQ(size_of(MPI_DOUBLE_INT), 12);
    EXPECT_THAT(extent_of(MPI_DOUBLE_INT), ElementsAre(0, 16));
    EXPECT_THAT(true_extent_of(MPI_DOUBLE_INT), ElementsAre(0, 12));
    EXPECT_EQ(size_of(MPI_SHORT_INT), 6);
    EXPECT_EQ(size_of(MPI_2INT), 8);
}

TEST(Datatype, TooLargeForAnIntSaysSo) {
    Made large;
    Made larger;
    MPI_Type_contiguous(std::numeric_limits<int>::max(), MPI_DOUBLE, &large);
    EXPECT_EQ(size_of(large), MPI_UNDEFINED);
    MPI_Count size = 0;
    MPI_Type_size_x(large, &size);
    EXPECT_EQ(size, MPI_Count{std::numeric_limits<int>::max()} * 8);
    const int error = MPI_Type_contiguous_c(MPI_Count{1} << 40, large, &larger);
    EXPECT_EQ(error, MPI_ERR_ARG);
    EXPECT_THAT(rb2::test::text_of(error), HasSubstr("reaches further than an address can"));
}

struct Envelope {
    int integers = -1;
    int addresses = -1;
    int datatypes = -1;
    int combiner = -1;
};
Envelope envelope_of(MPI_Datatype type) {
    Envelope found;
    EXPECT_EQ(
        MPI_Type_get_envelope(type, &found.integers, &found.addresses, &found.datatypes, &found.combiner),
        MPI_SUCCESS);
    return found;
}

TEST(Contents, AreTheArgumentsOfTheConstructor) {
    Made type;
    const int lengths[] = {2, 1};
    const MPI_Aint places[] = {16, 0};
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
    const Envelope envelope = envelope_of(type);
    EXPECT_EQ(envelope.combiner, MPI_COMBINER_HINDEXED);
    ASSERT_EQ(envelope.integers, 3);
    ASSERT_EQ(envelope.addresses, 2);
    ASSERT_EQ(envelope.datatypes, 1);
    std::array<int, 3> integers{};
    std::array<MPI_Aint, 2> addresses{};
    MPI_Datatype part = MPI_DATATYPE_NULL;
    EXPECT_EQ(MPI_Type_get_contents(type, 3, 2, 1, integers.data(), addresses.data(), &part), MPI_SUCCESS);
    EXPECT_THAT(integers, ElementsAre(2, 2, 1));
    EXPECT_THAT(addresses, ElementsAre(16, 0));
    EXPECT_EQ(part, MPI_INT);
    EXPECT_EQ(MPI_Type_get_contents(type, 2, 2, 1, integers.data(), addresses.data(), &part), MPI_ERR_ARG);
}

TEST(Contents, OfLargeFormsAreCounts) {
    Made type;
    MPI_Type_vector_c(3, 2, 5, MPI_DOUBLE, &type);
    MPI_Count integers = -1;
    MPI_Count addresses = -1;
    MPI_Count counts = -1;
    MPI_Count datatypes = -1;
    int combiner = -1;
    EXPECT_EQ(MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &datatypes, &combiner),
              MPI_SUCCESS);
    EXPECT_EQ(combiner, MPI_COMBINER_VECTOR);
    EXPECT_EQ(integers, 0);
    ASSERT_EQ(counts, 3);
    std::array<MPI_Count, 3> found{};
    MPI_Datatype part = MPI_DATATYPE_NULL;
    EXPECT_EQ(MPI_Type_get_contents_c(type, 0, 0, 3, 1, nullptr, nullptr, found.data(), &part), MPI_SUCCESS);
    EXPECT_THAT(found, ElementsAre(3, 2, 5));
    int any = 0;
    EXPECT_EQ(MPI_Type_get_envelope(type, &any, &any, &any, &any), MPI_ERR_TYPE);
}

TEST(Contents, KeepTheirPartsAlive) {
    Made inner;
    MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
    Made outer;
    MPI_Datatype middle = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, inner, &middle);
    MPI_Type_dup(middle, &outer);
    MPI_Type_free(&middle);
    EXPECT_EQ(envelope_of(outer).combiner, MPI_COMBINER_DUP);
    MPI_Datatype part = MPI_DATATYPE_NULL;
    EXPECT_EQ(MPI_Type_get_contents(outer, 0, 0, 1, nullptr, nullptr, &part), MPI_SUCCESS);
    EXPECT_EQ(envelope_of(part).combiner, MPI_COMBINER_CONTIGUOUS);
    EXPECT_EQ(size_of(part), 16);
    MPI_Type_free(&part);
    EXPECT_EQ(size_of(outer), 16);
}

TEST(Contents, OfPredefinedTypesAreNone) {
    EXPECT_EQ(envelope_of(MPI_INT).combiner, MPI_COMBINER_NAMED);
    EXPECT_EQ(MPI_Type_get_contents(MPI_INT, 0, 0, 0, nullptr, nullptr, nullptr), MPI_ERR_TYPE);
}

std::string name_of(MPI_Datatype type) {
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    EXPECT_EQ(MPI_Type_get_name(type, name, &length), MPI_SUCCESS);
    return {name, static_cast<std::size_t>(length)};
}

TEST(Name, CanBeSet) {
    EXPECT_EQ(name_of(MPI_UNSIGNED_LONG_LONG), "MPI_UNSIGNED_LONG_LONG");
    EXPECT_EQ(name_of(MPI_2INT), "MPI_2INT");
    EXPECT_EQ(name_of(MPI_DATATYPE_NULL), "MPI_DATATYPE_NULL");
    Made type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    EXPECT_EQ(name_of(type), "");
    MPI_Type_set_name(type, "a pair");
    EXPECT_EQ(name_of(type), "a pair");
}

TEST(Selection, MatchesSizesAndPrecisions) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    EXPECT_EQ(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type), MPI_SUCCESS);
    EXPECT_EQ(type, MPI_REAL8);
    EXPECT_EQ(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 3, &type), MPI_ERR_ARG);
    MPI_Datatype again = MPI_DATATYPE_NULL;
    EXPECT_EQ(MPI_Type_create_f90_real(10, MPI_UNDEFINED, &type), MPI_SUCCESS);
    EXPECT_EQ(MPI_Type_create_f90_real(10, MPI_UNDEFINED, &again), MPI_SUCCESS);
    EXPECT_EQ(type, again);
    EXPECT_EQ(size_of(type), 8);
    EXPECT_EQ(envelope_of(type).combiner, MPI_COMBINER_F90_REAL);
    EXPECT_EQ(MPI_Type_free(&type), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type), MPI_SUCCESS);
    EXPECT_EQ(type, MPI_DOUBLE_INT);
    EXPECT_EQ(MPI_Type_get_value_index(MPI_INT, MPI_DOUBLE, &type), MPI_SUCCESS);
    EXPECT_EQ(type, MPI_DATATYPE_NULL);
}

TEST(Pack, ContinuesAtItsPosition) {
    Made column;
    MPI_Type_vector(3, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    const std::array<int, 6> ints = {1, 2, 3, 4, 5, 6};
    int room = 0;
    EXPECT_EQ(MPI_Pack_size(1, column, MPI_COMM_WORLD, &room), MPI_SUCCESS);
    EXPECT_EQ(room, 12);
    std::array<int, 4> packed{};
    int position = 0;
    EXPECT_EQ(MPI_Pack(&ints[5], 1, MPI_INT, packed.data(), 16, &position, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(MPI_Pack(ints.data(), 1, column, packed.data(), 16, &position, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(position, 16);
    EXPECT_THAT(packed, ElementsAre(6, 1, 3, 5));
    EXPECT_EQ(MPI_Pack(ints.data(), 1, MPI_INT, packed.data(), 16, &position, MPI_COMM_WORLD),
              MPI_ERR_TRUNCATE);
    std::array<int, 6> back{};
    position = 4;
    EXPECT_EQ(MPI_Unpack(packed.data(), 16, &position, back.data(), 1, column, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_THAT(back, ElementsAre(1, 0, 3, 0, 5, 0));
}

TEST(Pack, External32) {
    const std::array<long, 2> longs = {-1, 0x01020304};
    MPI_Aint room = 0;
    EXPECT_EQ(MPI_Pack_external_size("external32", 2, MPI_LONG, &room), MPI_SUCCESS);
    EXPECT_EQ(room, 8);
    std::array<unsigned char, 8> packed{};
    MPI_Aint position = 0;
    EXPECT_EQ(MPI_Pack_external("external32", longs.data(), 2, MPI_LONG, packed.data(), 8, &position),
              MPI_SUCCESS);
    EXPECT_EQ(position, 8);
    EXPECT_THAT(packed, ElementsAre(0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4));
    std::array<long, 2> back{};
    position = 0;
    EXPECT_EQ(MPI_Unpack_external("external32", packed.data(), 8, &position, back.data(), 2, MPI_LONG),
              MPI_SUCCESS);
    EXPECT_EQ(back, longs);
    EXPECT_EQ(MPI_Pack_external_size("native", 2, MPI_LONG, &room), MPI_ERR_ARG);
}

TEST(Address, IsADistanceFromBottom) {
    int value = 0;
    MPI_Aint address = 0;
    EXPECT_EQ(MPI_Get_address(&value, &address), MPI_SUCCESS);
    EXPECT_EQ(address, reinterpret_cast<MPI_Aint>(&value));
    EXPECT_EQ(MPI_Aint_diff(MPI_Aint_add(address, 12), address), 12);
}

TEST(Datatype, WrongArgumentsAreRefused) {
    MPI_Datatype type = MPI_INT;
    EXPECT_EQ(MPI_Type_free(&type), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
    EXPECT_EQ(type, MPI_DATATYPE_NULL);
    EXPECT_EQ(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Type_indexed(2, nullptr, nullptr, MPI_INT, &type), MPI_ERR_ARG);
    const int whole[] = {4};
    const int part[] = {3};
    const int start[] = {2};
    EXPECT_EQ(MPI_Type_create_subarray(1, whole, part, start, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_create_subarray(1, whole, whole, whole, 99, MPI_INT, &type), MPI_ERR_ARG);
    const int block[] = {MPI_DISTRIBUTE_BLOCK};
    const int one[] = {1};
    const int two[] = {2};
    EXPECT_EQ(MPI_Type_create_darray(2, 0, 1, whole, block, one, two, MPI_ORDER_C, MPI_INT, &type),
              MPI_ERR_ARG);
}

TEST(Darray, GivesEachRankItsShare) {
    const int whole[] = {10};
    const int cyclic[] = {MPI_DISTRIBUTE_CYCLIC};
    const int run[] = {2};
    const int ranks[] = {3};
    const std::array<int, 10> ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    Made type;
    ASSERT_EQ(MPI_Type_create_darray(3, 1, 1, whole, cyclic, run, ranks, MPI_ORDER_C, MPI_INT, &type),
              MPI_SUCCESS);
    MPI_Type_commit(&type);
    std::array<int, 4> packed{};
    int position = 0;
    EXPECT_EQ(MPI_Pack(ints.data(), 1, type, packed.data(), 16, &position, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(position, 16);
    EXPECT_THAT(packed, ElementsAre(2, 3, 8, 9));
    EXPECT_THAT(extent_of(type), ElementsAre(0, 40));
}

TEST(Count, OfTypesWithoutDataIsZero) {
    Made empty;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    MPI_Status status;
    ASSERT_EQ(MPI_Sendrecv(nullptr, 4, empty, 0, 1, nullptr, 4, empty, 0, 1, MPI_COMM_WORLD, &status),
              MPI_SUCCESS);
    int count = -1;
    EXPECT_EQ(MPI_Get_count(&status, empty, &count), MPI_SUCCESS);
    EXPECT_EQ(count, 0);
}

}  // namespace
