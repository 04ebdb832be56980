ExUnit.start(seed: 0)

defmodule PassTest do
  use ExUnit.Case

  test "adds", do: assert(1 + 1 == 2)
  test "reads", do: assert([] == [])
end
