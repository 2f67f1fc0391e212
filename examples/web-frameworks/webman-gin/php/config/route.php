<?php

use app\controller\Pages;
use Webman\Route;

foreach (['hello', 'sql', 'builder', 'orm'] as $page) {
    Route::get("/$page", [Pages::class, $page]);
}
Route::disableDefaultRoute();
