<?php

return [
    'debug' => false,
    'default_timezone' => 'UTC',
    'request_class' => support\Request::class,
    'public_path' => base_path() . '/public',
    'runtime_path' => getenv('RUNTIME') ?: base_path() . '/runtime',
    'controller_suffix' => '',
    'controller_reuse' => true,
];
