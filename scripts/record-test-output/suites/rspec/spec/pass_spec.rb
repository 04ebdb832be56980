RSpec.describe 'parser' do
  it('adds') { expect(1 + 1).to eq(2) }
  it('reads') { expect([]).to eq([]) }
end
