ExUnit.start(seed: 0, exclude: [:slow])

defmodule MixedTest do
  use ExUnit.Case

  test "adds", do: assert(1 + 1 == 2)
  test "compares", do: assert(%{a: 1} == %{a: 2})
  @tag skip: "not now"
  test "is skipped", do: assert(false)
  @tag :slow
  test "is excluded", do: assert(false)
  test "is not written"

  describe "deeper" do
    test "throws", do: raise(ArgumentError, "boom\nsecond line")
    test "prints", do: IO.puts("\n9 tests, 0 failures\n")
  end
end
