<?php

return [
    'pid_file' => runtime_path() . '/webman.pid',
    'status_file' => runtime_path() . '/webman.status',
    'stdout_file' => runtime_path() . '/stdout.log',
    'log_file' => runtime_path() . '/workerman.log',
];
