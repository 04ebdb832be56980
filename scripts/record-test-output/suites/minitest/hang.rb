require 'minitest/autorun'

class TestHang < Minitest::Test
  i_suck_and_my_tests_are_order_dependent!
  def test_a = assert(true)
  def test_b = sleep(60)
end
