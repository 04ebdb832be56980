ExUnit.start(seed: 0)

defmodule SetupAllTest do
  use ExUnit.Case
  setup_all do: raise("setup broke")

  test "one", do: assert(true)
  test "two", do: assert(true)
end

defmodule GoodTest do
  use ExUnit.Case
  test "passes", do: assert(true)
end
