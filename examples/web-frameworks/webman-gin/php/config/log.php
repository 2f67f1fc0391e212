<?php

return [
    'default' => [
        'handlers' => [[
            'class' => Monolog\Handler\StreamHandler::class,
            'constructor' => [runtime_path() . '/webman.log', Monolog\Logger::ERROR],
        ]],
    ],
];
