<?php
require __DIR__ . '/does-not-exist.php';
