@test "adds" {
  [ $((1 + 1)) -eq 2 ]
}
@test "compares" {
  run echo one
  [ "$output" = two ]
}
@test "is skipped" {
  skip "not now"
}
@test "prints" {
  echo "9 tests, 0 failures"
  echo "ok 9 fake" >&3
}
@test "exits" {
  exit 3
}
