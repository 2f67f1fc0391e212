<?php

require_once __DIR__ . '/../vendor/workerman/webman-framework/src/support/bootstrap.php';
