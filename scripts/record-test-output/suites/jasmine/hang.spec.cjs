describe('hang', () => {
  it('passes', () => expect(1).toBe(1));
  it('hangs', async () => {
    await new Promise((resolve) => setTimeout(resolve, 60000));
  }, 120000);
});
