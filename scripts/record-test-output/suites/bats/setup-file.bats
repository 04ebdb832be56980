setup_file() {
  false
}
@test "one" {
  true
}
@test "two" {
  true
}
