require 'minitest/autorun'

class TestPass < Minitest::Test
  def test_adds = assert_equal(2, 1 + 1)
  def test_reads = assert_equal([], [])
end
