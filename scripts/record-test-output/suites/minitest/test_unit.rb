require 'test/unit'

class TestUnit < Test::Unit::TestCase
  def test_adds = assert_equal(2, 1 + 1)
  def test_compares = assert_equal(1, 2)
  def test_pending = pend('later')
  def test_omitted = omit('not now')
  def test_throws = raise('boom')
end
