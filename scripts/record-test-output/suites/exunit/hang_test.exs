ExUnit.start(seed: 0)

defmodule HangTest do
  use ExUnit.Case
  test "passes", do: assert(true)
  test "hangs", do: Process.sleep(50_000)
end
