describe('parser', () => {
  it('adds', () => expect(1 + 1).toBe(2));
  it('compares objects', () => expect({ a: 1 }).toEqual({ a: 2 }));
  xit('is disabled', () => {});
  it('is pending', () => pending('later'));
  describe('deeper', () => {
    it('throws', () => {
      throw new TypeError('boom\nsecond line');
    });
    it('prints', () => {
      console.log('9 specs, 0 failures');
      expect(1).toBe(1);
    });
  });
});
