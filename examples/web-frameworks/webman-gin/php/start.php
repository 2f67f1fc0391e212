<?php

chdir(__DIR__);
require_once __DIR__ . '/vendor/autoload.php';
support\App::run();
