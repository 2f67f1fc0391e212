<?php

namespace app\model;

use Illuminate\Database\Eloquent\Model;

/** A row of the table `users`. */
class User extends Model
{
    public $timestamps = false;
}
