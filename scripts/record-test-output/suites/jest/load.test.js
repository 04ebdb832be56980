require('./does-not-exist.js');
