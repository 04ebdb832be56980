require 'minitest/autorun'

class TestMixed < Minitest::Test
  def test_adds = assert_equal(2, 1 + 1)
  def test_compares = assert_equal({ a: 1 }, { a: 2 })
  def test_skipped = skip('not now')
  def test_throws = raise(TypeError, "boom\nsecond line")

  def test_prints
    puts "\n9 runs, 9 assertions, 0 failures, 0 errors, 0 skips\n"
    pass
  end
end
