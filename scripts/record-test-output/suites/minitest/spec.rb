require 'minitest/autorun'

describe 'parser' do
  it('adds') { _(1 + 1).must_equal 2 }
  it('fails') { _(1).must_equal 2 }
end
