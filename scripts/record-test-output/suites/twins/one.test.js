describe('parser', () => {
  it('reads', () => {
    throw new Error('first');
  });
  it('reads', () => {
    throw new Error('second');
  });
});
