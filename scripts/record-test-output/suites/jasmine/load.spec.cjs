require('./does-not-exist.cjs');
