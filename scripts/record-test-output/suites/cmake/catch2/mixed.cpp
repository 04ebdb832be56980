#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
TEST_CASE("adds") { REQUIRE(1 + 1 == 2); }
TEST_CASE("compares") { CHECK(1 == 2); CHECK(3 == 3); }
TEST_CASE("throws") { throw std::runtime_error("boom"); }
TEST_CASE("may fail", "[!mayfail]") { CHECK(1 == 2); }
TEST_CASE("sections") { SECTION("one") { REQUIRE(true); } SECTION("two") { REQUIRE(false); } }
TEST_CASE("prints") { puts("All tests passed (9 assertions in 9 test cases)"); REQUIRE(true); }
TEST_CASE("hidden", "[.]") { REQUIRE(false); }
TEST_CASE("crashes") { if (getenv("CRASH")) abort(); }
