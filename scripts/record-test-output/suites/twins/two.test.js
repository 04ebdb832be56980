describe('parser', () => {
  it('reads', () => {
    throw new Error('third');
  });
  it('reads', () => {
    throw new Error('fourth');
  });
});
