RSpec.describe 'hooks' do
  before(:context) { raise 'setup broke' }
  it('one') { expect(1).to eq(1) }
  it('two') { expect(1).to eq(1) }
end
