RSpec.describe 'parser' do
  it('adds') { expect(1 + 1).to eq(2) }
  it('compares') { expect({ a: 1 }).to eq({ a: 2 }) }
  xit('is skipped') { expect(1).to eq(2) }
  it 'is pending' do
    pending 'later'
    raise 'still broken'
  end
  it('is not written')
  context 'deeper' do
    it('throws') { raise TypeError, "boom\nsecond line" }
    it('prints') { puts '9 examples, 0 failures' }
  end
end
