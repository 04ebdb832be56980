require('tape');
