def say
  puts File.read("printed/#{ENV.fetch('PRINTS')}.txt")
end

RSpec.describe 'math' do
  it('adds') { expect(1 + 1).to eq 2 }
  it('prints') { say }
  describe 'inner' do
    it 'breaks' do
      next if ENV['RED'] != '1'

      say
      expect(1).to eq 2
    end
    it('later') { skip 'later' }
  end
  it('last one') {}
end
