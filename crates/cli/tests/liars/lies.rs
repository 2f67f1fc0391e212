//! Servers that save work and say that all is well.

use super::pages::{items, logo, now, page, picture, prose, shop, sorry, user};
use super::row::{GET, POST, Row, row};
use super::server::{Ask, Reply};

fn one_user() -> Reply {
    Reply::json(r#"{"id":7,"name":"Emma","mail":"emma@example.net"}"#)
}

fn error(text: &str) -> Reply {
    Reply::json(format!(r#"{{"error":"{text}"}}"#))
}

fn order(ask: &Ask) -> Reply {
    Reply::json(format!(
        r#"{{"order":{},"status":"accepted","items":[{{"sku":"s{}","count":{}}}]}}"#,
        100 + ask.number,
        ask.pick(1, 900),
        ask.pick(2, 9)
    ))
}

/// Each row: what the server does, its method, the lie, and the honest server beside it.
pub(crate) const LIES: &[Row] = &[
    row(
        "JSON for the first 20 requests, then a rate limit",
        GET,
        |ask| match ask.number {
            ..20 => one_user(),
            _ => error("rate limit exceeded"),
        },
        |_| one_user(),
    ),
    row(
        "a 3,000-byte page, then an error page of 2,950 bytes",
        GET,
        |ask| match ask.number {
            ..250 => page(),
            _ => sorry(2_950),
        },
        |_| page(),
    ),
    row(
        "a page, under load an error page of the same length",
        GET,
        |ask| {
            if ask.is_loaded() {
                sorry(3_000)
            } else {
                page()
            }
        },
        |_| page(),
    ),
    row(
        "dynamic JSON, under load an error",
        GET,
        |ask| {
            if ask.is_loaded() {
                error("overloaded")
            } else {
                user(ask)
            }
        },
        user,
    ),
    row(
        "dynamic JSON, under load []",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::json("[]")
            } else {
                user(ask)
            }
        },
        user,
    ),
    row(
        "a filled list, under load an empty one",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::json(format!(
                    r#"{{"total":{},"page":1,"items":[]}}"#,
                    ask.pick(1, 900)
                ))
            } else {
                items(ask, 10)
            }
        },
        |ask| items(ask, 10),
    ),
    row(
        "random pages, under load one page from a cache",
        GET,
        |ask| {
            if ask.is_loaded() {
                shop(&ask.frozen(), 20)
            } else {
                shop(ask, 20)
            }
        },
        |ask| shop(ask, 20),
    ),
    row(
        "random pages, one page for good after 300 requests",
        GET,
        |ask| match ask.number {
            ..300 => shop(ask, 20),
            _ => shop(&ask.frozen(), 20),
        },
        |ask| shop(ask, 20),
    ),
    row(
        "half a page under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                shop(ask, 20).cut(2)
            } else {
                shop(ask, 20)
            }
        },
        |ask| shop(ask, 20),
    ),
    row(
        "half of a constant page under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                page().cut(2)
            } else {
                page()
            }
        },
        |_| page(),
    ),
    row(
        "a POST that sheds every second request",
        POST,
        |ask| match ask.number % 2 {
            1 => error("try again"),
            _ => order(ask),
        },
        order,
    ),
    row(
        "a POST that sheds under load",
        POST,
        |ask| {
            if ask.is_loaded() && ask.in_percent(60) {
                Reply::json(r#"{"queued":false}"#)
            } else {
                order(ask)
            }
        },
        order,
    ),
    row(
        "an empty body under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::json("")
            } else {
                user(ask)
            }
        },
        user,
    ),
    row(
        "204 under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::json("").status(204)
            } else {
                user(ask)
            }
        },
        user,
    ),
    row(
        "3 items in place of 20 under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                items(ask, 3)
            } else {
                items(ask, 20)
            }
        },
        |ask| items(ask, 20),
    ),
    row(
        "15 items in place of 20 after 300 requests",
        GET,
        |ask| match ask.number {
            300.. => items(ask, 15),
            _ => items(ask, 20),
        },
        |ask| items(ask, 20),
    ),
    row(
        "no recommendations under load",
        GET,
        |ask| {
            let more = if ask.is_loaded() {
                String::new()
            } else {
                format!(
                    r#","recommended":[{{"id":{},"score":0.5}}]"#,
                    ask.pick(9, 500)
                )
            };
            Reply::json(format!(
                r#"{{"id":{},"name":"n","city":"c","street":"s","zip":"z","phone":"p","mail":"m"{more}}}"#,
                ask.number
            ))
        },
        |ask| {
            Reply::json(format!(
                r#"{{"id":{},"name":"n","city":"c","street":"s","zip":"z","phone":"p","mail":"m","recommended":[{{"id":{},"score":0.5}}]}}"#,
                ask.number,
                ask.pick(9, 500)
            ))
        },
    ),
    row(
        "\"status\":\"failed\" under load",
        GET,
        |ask| {
            Reply::json(format!(
                r#"{{"job":{},"status":"{}"}}"#,
                ask.number,
                if ask.is_loaded() { "failed" } else { "done" }
            ))
        },
        |ask| Reply::json(format!(r#"{{"job":{},"status":"done"}}"#, ask.number)),
    ),
    row(
        "\"ok\":false after 300 requests",
        GET,
        |ask| {
            Reply::json(format!(
                r#"{{"request":{},"ok":{}}}"#,
                ask.number,
                ask.number < 300
            ))
        },
        |ask| Reply::json(format!(r#"{{"request":{},"ok":true}}"#, ask.number)),
    ),
    row(
        "null in place of values under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::json(r#"{"id":null,"name":null,"mail":null,"active":null,"tags":null}"#)
            } else {
                user(ask)
            }
        },
        user,
    ),
    row(
        "empty strings in place of values under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::json(r#"{"id":0,"name":"","mail":"","active":false,"tags":["",""]}"#)
            } else {
                user(ask)
            }
        },
        user,
    ),
    row(
        "JSON that breaks off under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                items(ask, 20).cut(3)
            } else {
                items(ask, 20)
            }
        },
        |ask| items(ask, 20),
    ),
    row(
        "HTML in place of JSON under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                sorry(400)
            } else {
                user(ask)
            }
        },
        user,
    ),
    row(
        "an old page from a cache under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::html(String::from_utf8_lossy(&page().body).replace("stone", "gravel"))
            } else {
                page()
            }
        },
        |_| page(),
    ),
    row(
        "another picture of the same length under load",
        GET,
        |ask| if ask.is_loaded() { logo(2) } else { logo(1) },
        |_| logo(1),
    ),
    row(
        "zeros in place of a picture under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::bytes(vec![0; 4_000])
            } else {
                picture(ask, 4_000)
            }
        },
        |ask| picture(ask, 4_000),
    ),
    row(
        "one picture in place of random ones under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                logo(1)
            } else {
                picture(ask, 4_000)
            }
        },
        |ask| picture(ask, 4_000),
    ),
    row(
        "a third of a text under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                prose(ask, 60)
            } else {
                prose(ask, 200)
            }
        },
        |ask| prose(ask, 200),
    ),
    row(
        "a text of other words under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::text(
                    "the service has no capacity left, this text only fills space ".repeat(20),
                )
            } else {
                prose(ask, 190)
            }
        },
        |ask| prose(ask, 190),
    ),
    row(
        "every third response shed, chunked",
        GET,
        |ask| {
            if ask.is_loaded() && ask.in_percent(33) {
                error("shed").chunked()
            } else {
                items(ask, 20).chunked()
            }
        },
        |ask| items(ask, 20).chunked(),
    ),
    row(
        "5 % of responses shed under load",
        GET,
        |ask| {
            if ask.is_loaded() && ask.in_percent(5) {
                error("shed")
            } else {
                user(ask)
            }
        },
        user,
    ),
    row(
        "gzip of an error under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                sorry(2_950).gzip()
            } else {
                shop(ask, 20).gzip()
            }
        },
        |ask| shop(ask, 20).gzip(),
    ),
    row(
        "a cached page with a fresh time under load",
        GET,
        |ask| {
            let base = if ask.is_loaded() {
                shop(&ask.frozen(), 20)
            } else {
                shop(ask, 20)
            };
            let text = String::from_utf8_lossy(&base.body)
                .replace("eight", &format!("{}.{}", now(), ask.number));
            Reply::html(text)
        },
        |ask| {
            let text = String::from_utf8_lossy(&shop(ask, 20).body)
                .replace("eight", &format!("{}.{}", now(), ask.number));
            Reply::html(text)
        },
    ),
    row(
        "a quarter of the pages from a cache under load",
        GET,
        |ask| {
            if ask.is_loaded() && ask.in_percent(40) {
                shop(&ask.frozen(), 20)
            } else {
                shop(ask, 20)
            }
        },
        |ask| shop(ask, 20),
    ),
    row(
        "X-Cache: HIT under load only",
        GET,
        |ask| {
            if ask.is_loaded() {
                page().with("X-Cache", "HIT").with("Age", "7")
            } else {
                page().with("X-Cache", "MISS")
            }
        },
        |_| page().with("X-Cache", "MISS"),
    ),
    row(
        "a login page under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::html(
                    "<!DOCTYPE html><html><head><title>Sign in</title></head><body><form><input name=user>\
        <input name=password><button>Sign in</button></form></body></html>",
                )
            } else {
                shop(ask, 20)
            }
        },
        |ask| shop(ask, 20),
    ),
    row(
        "a POST that answers from its first request without doing it, under load",
        POST,
        |ask| {
            if ask.is_loaded() {
                Reply::json(format!(
                    r#"{{"order":0,"status":"deferred","ticket":{}}}"#,
                    ask.number
                ))
            } else {
                order(ask)
            }
        },
        order,
    ),
    // Invented after the comparison was written.
    row(
        "true turns into 0 bytes of gzip under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::json("").gzip()
            } else {
                items(ask, 12).gzip()
            }
        },
        |ask| items(ask, 12).gzip(),
    ),
    row(
        "a redirect page with status 200 under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::html(
                    "<html><head><meta http-equiv=refresh content=0></head><body>Moved</body></html>",
                )
            } else {
                page()
            }
        },
        |_| page(),
    ),
    row(
        "a captcha in place of a shop for every second visitor",
        GET,
        |ask| {
            if ask.is_loaded() && ask.in_percent(50) {
                Reply::html(
                    "<!DOCTYPE html><html><head><title>Check</title></head><body><h1>Are you human</h1>\
        <form><input name=c><button>Go on</button></form></body></html>",
                )
            } else {
                shop(ask, 12)
            }
        },
        |ask| shop(ask, 12),
    ),
    row(
        "plain text in place of JSON under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::text("Service Unavailable")
            } else {
                items(ask, 5)
            }
        },
        |ask| items(ask, 5),
    ),
    row(
        "JSON of another resource under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::json(format!(
                    r#"{{"version":"1.2","uptime":{},"healthy":true}}"#,
                    ask.number
                ))
            } else {
                user(ask)
            }
        },
        user,
    ),
    row(
        "one object in place of a list under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::json(format!(r#"{{"id":{},"name":"x"}}"#, ask.number))
            } else {
                Reply::json(format!(
                    r#"[{{"id":{},"name":"x"}},{{"id":{},"name":"y"}}]"#,
                    ask.number,
                    ask.number + 1
                ))
            }
        },
        |ask| {
            Reply::json(format!(
                r#"[{{"id":{},"name":"x"}},{{"id":{},"name":"y"}}]"#,
                ask.number,
                ask.number + 1
            ))
        },
    ),
    row(
        "a page without its footer under load",
        GET,
        |ask| {
            let text = String::from_utf8_lossy(&shop(ask, 12).body).into_owned();
            if ask.is_loaded() {
                Reply::html(text.split("<footer>").next().unwrap_or_default().to_owned())
            } else {
                Reply::html(text)
            }
        },
        |ask| shop(ask, 12),
    ),
    row(
        "a page of the last second's visitor, from a cache",
        GET,
        |ask| {
            if ask.is_loaded() {
                shop(
                    &Ask {
                        random: now(),
                        ..*ask
                    },
                    12,
                )
            } else {
                shop(ask, 12)
            }
        },
        |ask| shop(ask, 12),
    ),
    row(
        "one token for all after 250 requests",
        GET,
        |ask| {
            Reply::json(format!(
                r#"{{"token":"t{}","ttl":60}}"#,
                if ask.number < 250 {
                    ask.pick(1, 1 << 40)
                } else {
                    5
                }
            ))
        },
        |ask| {
            Reply::json(format!(
                r#"{{"token":"t{}","ttl":60}}"#,
                ask.pick(1, 1 << 40)
            ))
        },
    ),
    row(
        "a PNG head and nothing else under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                picture(ask, 64)
            } else {
                picture(ask, 3_000)
            }
        },
        |ask| picture(ask, 3_000),
    ),
    row(
        "an error inside a list under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                Reply::json(format!(r#"[{{"error":"try later","at":{}}}]"#, ask.number))
            } else {
                Reply::json(format!(r#"[{{"id":{},"name":"x","size":4}}]"#, ask.number))
            }
        },
        |ask| Reply::json(format!(r#"[{{"id":{},"name":"x","size":4}}]"#, ask.number)),
    ),
    row(
        "a POST whose id is always the same under load",
        POST,
        |ask| {
            if ask.is_loaded() {
                Reply::json(r#"{"order":0,"status":"accepted","items":[{"sku":"s0","count":1}]}"#)
            } else {
                order(ask)
            }
        },
        order,
    ),
    row(
        "half of the lines of CSV under load",
        GET,
        |ask| {
            let lines = if ask.is_loaded() { 10 } else { 20 };
            let line = |at: u64| {
                format!(
                    "{},{},{}\n",
                    ask.number + at,
                    ask.pick(at, 90),
                    ask.pick(at + 9, 500)
                )
            };
            Reply::text(format!(
                "id,value,size\n{}",
                (0..lines).map(line).collect::<String>()
            ))
        },
        |ask| {
            let line = |at: u64| {
                format!(
                    "{},{},{}\n",
                    ask.number + at,
                    ask.pick(at, 90),
                    ask.pick(at + 9, 500)
                )
            };
            Reply::text(format!(
                "id,value,size\n{}",
                (0..20).map(line).collect::<String>()
            ))
        },
    ),
    row(
        "\"source\":\"cache\" under load",
        GET,
        |ask| {
            Reply::json(format!(
                r#"{{"id":{},"value":{},"source":"{}"}}"#,
                ask.number,
                ask.pick(1, 99),
                if ask.is_loaded() { "cache" } else { "database" }
            ))
        },
        |ask| {
            Reply::json(format!(
                r#"{{"id":{},"value":{},"source":"database"}}"#,
                ask.number,
                ask.pick(1, 99)
            ))
        },
    ),
    row(
        "206 and a part under load",
        GET,
        |ask| {
            if ask.is_loaded() {
                page().cut(3).status(206)
            } else {
                page()
            }
        },
        |_| page(),
    ),
];

/// Lies that only a comparison with an honest server shows.
pub(crate) const LIES_OF_TWO: &[Row] = &[
    row(
        "always other bytes of equal length",
        GET,
        |_| logo(2),
        |_| logo(1),
    ),
    row(
        "always another page of equal length",
        GET,
        |_| sorry(3_000),
        |_| page(),
    ),
    row(
        "always 0.8 % fewer bytes",
        GET,
        |ask| prose(ask, 496),
        |ask| prose(ask, 500),
    ),
    row(
        "always a constant page in place of random ones",
        GET,
        |ask| shop(&ask.frozen(), 20),
        |ask| shop(ask, 20),
    ),
    row(
        "always from a cache: Age",
        GET,
        |_| page().with("Age", "30"),
        |_| page(),
    ),
    row(
        "always from a cache: X-Cache",
        GET,
        |_| page().with("X-Cache", "HIT"),
        |_| page(),
    ),
    row(
        "always through a proxy: Via",
        GET,
        |_| page().with("Via", "1.1 proxy"),
        |_| page(),
    ),
    row("always compressed", GET, |_| page().gzip(), |_| page()),
    row(
        "always without a part",
        GET,
        |ask| Reply::json(format!(r#"{{"id":{},"a":1,"b":2,"c":3}}"#, ask.number)),
        |ask| {
            Reply::json(format!(
                r#"{{"id":{},"a":1,"b":2,"c":3,"d":4}}"#,
                ask.number
            ))
        },
    ),
    row(
        "always 18 items in place of 20",
        GET,
        |ask| items(ask, 18),
        |ask| items(ask, 20),
    ),
];
