@test "passes" {
  true
}
@test "hangs" {
  sleep 20
}
