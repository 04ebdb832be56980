describe('parser', () => {
  it('adds', () => expect(1 + 1).toBe(2));
  it('reads', () => expect([]).toEqual([]));
});
