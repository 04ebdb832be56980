@test "adds" {
  [ $((1 + 1)) -eq 2 ]
}
@test "reads" {
  true
}
