describe('closing', () => {
  afterAll(() => {
    throw new Error('teardown broke');
  });
  it('passes', () => expect(1).toBe(1));
});
