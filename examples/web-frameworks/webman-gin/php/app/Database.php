<?php

namespace app;

use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Connection;
use PDO;

/** One connection per worker process, which all pages share. */
class Database
{
    private static ?Manager $manager = null;

    public static function connection(): Connection
    {
        self::$manager ??= self::connect();
        return self::$manager->getConnection();
    }

    private static function connect(): Manager
    {
        $manager = new Manager();
        $manager->addConnection([
            'driver' => 'mysql',
            'unix_socket' => getenv('DATABASE_SOCKET'),
            'host' => 'localhost',
            'database' => 'tenbin',
            'username' => 'tenbin',
            'password' => '',
            'charset' => 'utf8mb4',
            // PDO's default, but not that of this library: the values are part of the statement's
            // text, so that every page needs one exchange with the database.
            'options' => [PDO::ATTR_EMULATE_PREPARES => true],
        ]);
        $manager->bootEloquent();
        return $manager;
    }
}
