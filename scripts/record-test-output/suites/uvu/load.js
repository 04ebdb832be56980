import { nothing } from './does-not-exist.js';

console.log(nothing);
