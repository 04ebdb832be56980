@test "broken" {
  if true
}
