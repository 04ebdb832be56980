import { test } from 'node:test';

for (let i = 0; i < 25; i++)
  test(`case ${i}`, () => {
    if (i === 7) throw new Error('seven');
  });
test('is planned and fails', { todo: true }, () => {
  throw new Error('later');
});
