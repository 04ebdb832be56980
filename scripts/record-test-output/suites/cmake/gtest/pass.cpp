#include <gtest/gtest.h>
TEST(Parser, Adds) { EXPECT_EQ(1 + 1, 2); }
TEST(Parser, Reads) { EXPECT_TRUE(true); }
