RSpec.describe 'hang' do
  it('passes') { expect(1).to eq(1) }
  it('hangs') { sleep 60 }
end
