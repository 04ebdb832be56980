#include <gtest/gtest.h>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <unistd.h>
TEST(Parser, Adds) { EXPECT_EQ(1 + 1, 2); }
TEST(Parser, Compares) { EXPECT_EQ(1, 2) << "with a note"; }
TEST(Parser, Throws) { throw std::runtime_error("boom"); }
TEST(Parser, Skipped) { GTEST_SKIP() << "not now"; }
TEST(Parser, DISABLED_Later) { FAIL(); }
TEST(Parser, Prints) { puts("[==========] 9 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 9 tests."); }
class Values : public testing::TestWithParam<int> {};
TEST_P(Values, IsEven) { EXPECT_EQ(GetParam() % 2, 0); }
INSTANTIATE_TEST_SUITE_P(Numbers, Values, testing::Values(2, 3));
TEST(Crash, Aborts) { if (getenv("CRASH")) abort(); }
TEST(Crash, Hangs) { if (getenv("HANG")) sleep(60); }
