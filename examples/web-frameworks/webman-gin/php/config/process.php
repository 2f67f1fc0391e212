<?php

return [
    'webman' => [
        'handler' => Webman\App::class,
        'listen' => 'http://127.0.0.1:' . getenv('PORT'),
        'count' => (int) getenv('WORKERS'),
        'constructor' => [
            'requestClass' => support\Request::class,
            'logger' => support\Log::channel('default'),
            'appPath' => app_path(),
            'publicPath' => public_path(),
        ],
    ],
];
