<?php

namespace app\controller;

use app\Database;
use app\model\User;
use PDO;
use support\Response;

/** A page without work, and one user read from MariaDB in three ways. */
class Pages
{
    private const USER_ID = 7;

    public function hello(): Response
    {
        return new Response(200, ['Content-Type' => 'text/plain'], 'hello');
    }

    public function sql(): Response
    {
        $query = Database::connection()->getPdo()->prepare('SELECT id, name, email FROM users WHERE id = ?');
        $query->execute([self::USER_ID]);
        return $this->user($query->fetch(PDO::FETCH_ASSOC));
    }

    public function builder(): Response
    {
        $row = Database::connection()->table('users')
            ->select(['id', 'name', 'email'])
            ->where('id', self::USER_ID)
            ->first();
        return $this->user((array) $row);
    }

    public function orm(): Response
    {
        Database::connection();
        $user = User::query()->select(['id', 'name', 'email'])->find(self::USER_ID);
        return $this->user($user->toArray());
    }

    private function user(array $row): Response
    {
        return new Response(200, ['Content-Type' => 'application/json; charset=utf-8'], json_encode($row));
    }
}
