//! Honest servers whose responses vary.

use super::pages::{NAMES, items, now, page, picture, prose, shop, user};
use super::row::{GET, POST, Row, honest};
use super::server::{Ask, Reply};

fn hex(ask: &Ask, of: u64) -> String {
    format!("{:016x}", ask.pick(of, u64::MAX))
}

/// Each row: how the responses vary, and the server.
pub(crate) const HONEST: &[Row] = &[
    honest("a constant page", GET, |_| page()),
    honest("the time in seconds", GET, |_| {
        Reply::text(format!("the time is {}\n", now()))
    }),
    honest("the time in milliseconds", GET, |ask| {
        Reply::json(format!(
            r#"{{"now":{},"zone":"UTC"}}"#,
            1_764_000_000_000 + ask.age.as_millis() as u64
        ))
    }),
    honest("the hour, in a page", GET, |_| {
        let text = format!("<p>It is {}:{:02}</p>", now() / 3600 % 24, now() / 60 % 60);
        Reply::html(
            String::from_utf8_lossy(&page().body).replace("<p>Our", &format!("{text}<p>Our")),
        )
    }),
    honest("a page with the time in seconds", GET, |_| {
        Reply::html(
            String::from_utf8_lossy(&page().body).replace("stone", &format!("at {}", now())),
        )
    }),
    honest("random tokens", GET, |ask| {
        Reply::json(format!(r#"{{"token":"{}","ttl":60}}"#, hex(ask, 1)))
    }),
    honest("UUIDs", GET, |ask| {
        let (a, b) = (hex(ask, 1), hex(ask, 2));
        Reply::text(format!(
            "{}-{}-4{}-{}-{}\n",
            &a[..8],
            &a[8..12],
            &a[13..16],
            &b[..4],
            &b[4..]
        ))
    }),
    honest("different users", GET, user),
    honest("different users, in HTML", GET, |ask| shop(ask, 20)),
    honest("A/B content, half and half", GET, |ask| {
        if ask.in_percent(50) {
            page()
        } else {
            shop(&ask.frozen(), 8)
        }
    }),
    honest("A/B content, one in ten", GET, |ask| {
        if ask.in_percent(10) {
            Reply::json(format!(
                r#"{{"layout":"new","blocks":[{{"id":{},"kind":"hero"}}]}}"#,
                ask.number
            ))
        } else {
            Reply::json(format!(
                r#"{{"layout":"old","rows":[{{"n":{}}}],"title":"t"}}"#,
                ask.number
            ))
        }
    }),
    honest("gzip by chance", GET, |ask| {
        if ask.in_percent(50) {
            page().gzip()
        } else {
            page()
        }
    }),
    honest("gzip by chance, of random pages", GET, |ask| {
        if ask.in_percent(50) {
            shop(ask, 20).gzip()
        } else {
            shop(ask, 20)
        }
    }),
    honest("chunked by chance", GET, |ask| {
        if ask.in_percent(50) {
            items(ask, 12).chunked()
        } else {
            items(ask, 12)
        }
    }),
    honest("a growing list", GET, |ask| items(ask, 3 + ask.number / 8)),
    honest("a growing list of POSTs", POST, |ask| {
        let all: Vec<String> = (0..ask.number % 2_000).map(|at| at.to_string()).collect();
        Reply::json(format!(
            r#"{{"added":{},"all":[{}]}}"#,
            ask.number,
            all.join(",")
        ))
    }),
    honest("lists of 0 to 12 items", GET, |ask| {
        items(ask, ask.pick(7, 13))
    }),
    honest("lists of 1 to 60 items", GET, |ask| {
        items(ask, 1 + ask.pick(7, 60))
    }),
    honest("JSON with optional keys", GET, |ask| {
        let maybe = |of, key: &str| match ask.pick(of, 3) {
            0 => String::new(),
            1 => format!(r#","{key}":null"#),
            _ => format!(r#","{key}":"{}""#, ask.one(of + 1, &NAMES)),
        };
        Reply::json(format!(
            r#"{{"id":{}{}{}{}{}}}"#,
            ask.number,
            maybe(10, "nick"),
            maybe(20, "title"),
            maybe(30, "city"),
            maybe(40, "team")
        ))
    }),
    honest("a key in one of 30 responses", GET, |ask| {
        let badge = if ask.pick(3, 30) == 0 {
            r#","badge":"gold""#
        } else {
            ""
        };
        Reply::json(format!(
            r#"{{"id":{},"name":"x","level":{}{badge}}}"#,
            ask.number,
            ask.pick(1, 9)
        ))
    }),
    honest("items in random order", GET, |ask| {
        let mut names = NAMES.to_vec();
        for at in (1..names.len()).rev() {
            names.swap(at, ask.pick(at as u64, at as u64 + 1) as usize);
        }
        Reply::json(format!("{names:?}"))
    }),
    honest("keys in random order", GET, |ask| {
        if ask.in_percent(50) {
            Reply::json(format!(r#"{{"id":{},"name":"x"}}"#, ask.number))
        } else {
            Reply::json(format!(r#"{{"name":"x","id":{}}}"#, ask.number))
        }
    }),
    honest("four languages", GET, |ask| {
        Reply::html(format!(
            "<html><head><title>{}</title></head><body><h1>{}</h1><p>{}</p></body></html>",
            ask.one(1, &["Welcome", "Willkommen", "Bienvenue", "ようこそ"]),
            ask.one(
                1,
                &[
                    "Good day to you all", "Guten Tag zusammen", "Bonjour tout le monde",
                    "皆さんこんにちは"
                ]
            ),
            ask.one(
                1,
                &[
                    "Please choose a room",
                    "Bitte einen Raum wählen",
                    "Choisissez une salle",
                    "部屋を選んでください"
                ]
            ),
        ))
    }),
    honest("an advertisement in some pages", GET, |ask| {
        let ad = match ask.pick(5, 3) {
            0 => String::new(),
            at => format!(
                "<aside><div><img src=ad{at}><p>Buy our {} today</p></div></aside>",
                ask.one(6, &NAMES)
            ),
        };
        Reply::html(
            String::from_utf8_lossy(&shop(ask, 10).body)
                .replace("</main>", &format!("{ad}</main>")),
        )
    }),
    honest("cookies and entity tags", GET, |ask| {
        page()
            .with("Set-Cookie", format!("s={}", hex(ask, 3)))
            .with("ETag", format!("\"{}\"", hex(ask, 4)))
    }),
    honest("pages of a list, the last one short", GET, |ask| {
        items(ask, if ask.pick(8, 10) == 9 { 4 } else { 20 })
    }),
    honest("a counter", GET, |ask| {
        Reply::text(format!("visitor {}\n", ask.number))
    }),
    honest("connections in progress", GET, |ask| {
        Reply::text(format!(
            "Active connections: {}\nReading: 0 Writing: {} Waiting: 0\n",
            ask.busy, ask.busy
        ))
    }),
    honest("random text", GET, |ask| prose(ask, 150 + ask.pick(3, 20))),
    honest("random pictures", GET, |ask| picture(ask, 4_000)),
    honest("one of 40 documents", GET, |ask| {
        shop(
            &Ask {
                random: ask.pick(9, 40),
                ..*ask
            },
            15,
        )
    }),
    honest("a quote out of five", GET, |ask| {
        Reply::text(
            ask.one(
                1,
                &[
                    "well begun is half done",
                    "fortune favours the brave",
                    "time and tide wait for no man",
                    "many hands make light work",
                    "look before you leap",
                ],
            )
            .to_owned(),
        )
    }),
    honest("a POST that returns ids", POST, |ask| {
        Reply::json(format!(r#"{{"id":"{}","created":{}}}"#, hex(ask, 1), now()))
    }),
    honest("a POST that returns 201", POST, |ask| {
        Reply::json(format!(r#"{{"id":{}}}"#, ask.number)).status(201)
    }),
    honest("a POST with an empty response", POST, |_| {
        Reply::json("").status(204)
    }),
    honest("the first response is cold", GET, |ask| match ask.number {
        0 => Reply::html("<html><body><p>starting</p></body></html>"),
        _ => shop(ask, 20),
    }),
    honest("always from a cache", GET, |ask| {
        page()
            .with("X-Cache", "HIT")
            .with("Age", format!("{}", ask.age.as_secs()))
    }),
    honest("comments with times at the end", GET, |ask| {
        let mut reply = shop(ask, 12);
        reply.body.extend_from_slice(
            format!(
                "<!-- made in 0.{} s by web{} -->\n",
                ask.pick(1, 900),
                ask.pick(2, 4)
            )
            .as_bytes(),
        );
        reply
    }),
    honest("prices that change every 100 ms", GET, |ask| {
        let at = ask.age.as_millis() as u64 / 100;
        Reply::json(format!(
            r#"{{"symbol":"TNB","price":{}.{}}}"#,
            100 + at % 7,
            at % 100
        ))
    }),
    honest("an XML feed", GET, |ask| {
        let item = |at: u64| {
            format!(
                "<item><title>{}</title><guid>{}</guid></item>",
                ask.one(at, &NAMES),
                hex(ask, at)
            )
        };
        let all: String = (0..4 + ask.pick(1, 6)).map(item).collect();
        Reply::html(format!(
            "<?xml version=\"1.0\"?><rss><channel><title>News</title>{all}</channel></rss>"
        ))
    }),
    honest("CSV", GET, |ask| {
        let line = |at: u64| {
            format!(
                "{},{},{}\n",
                ask.number + at,
                ask.one(at, &NAMES),
                ask.pick(at, 500)
            )
        };
        Reply::text(format!(
            "id,name,value\n{}",
            (0..20).map(line).collect::<String>()
        ))
    }),
    honest("a search with no hits at times", GET, |ask| {
        match ask.pick(4, 4) {
            0 => Reply::json("[]"),
            _ => Reply::json(format!(
                r#"[{{"id":{},"title":"{}"}}]"#,
                ask.number,
                ask.one(2, &NAMES)
            )),
        }
    }),
    // Invented after the comparison was written.
    honest("a map with UUIDs as keys", GET, |ask| {
        Reply::json(format!(
            r#"{{"{}":{{"n":{}}},"{}":{{"n":{}}}}}"#,
            hex(ask, 1),
            ask.pick(3, 9),
            hex(ask, 2),
            ask.pick(4, 9)
        ))
    }),
    honest("events, one JSON document a line", GET, |ask| {
        let line = |at: u64| {
            format!(
                "{{\"seq\":{},\"kind\":\"{}\"}}\n",
                ask.number + at,
                ask.one(at, &["open", "close", "move"])
            )
        };
        Reply::text((0..5 + ask.pick(1, 9)).map(line).collect::<String>())
    }),
    honest("a nested tree of random depth", GET, |ask| {
        let depth = 1 + ask.pick(1, 5) as usize;
        Reply::json(format!(
            "{}{}{}",
            r#"{"node":"#.repeat(depth),
            ask.number,
            "}".repeat(depth)
        ))
    }),
    honest("true or false", GET, |ask| {
        Reply::json(format!(r#"{{"open":{}}}"#, ask.in_percent(50)))
    }),
    honest("a number", GET, |ask| {
        Reply::text(format!("{}", ask.pick(1, 1_000_000)))
    }),
    honest("a word", GET, |ask| {
        Reply::text(ask.one(1, &NAMES).to_owned())
    }),
    honest("an empty body", GET, |_| Reply::text("")),
    honest("metrics", GET, |ask| {
        Reply::text(format!(
            "# TYPE requests counter\nrequests_total {}\n# TYPE load gauge\nload {}.{}\nbusy {}\n",
            ask.number,
            ask.pick(1, 4),
            ask.pick(2, 99),
            ask.busy
        ))
    }),
    honest("a bulletin with an optional banner", GET, |ask| {
        let banner = if ask.in_percent(20) {
            "<div><b>Snow tonight</b><a href=x>more</a></div>"
        } else {
            ""
        };
        Reply::html(String::from_utf8_lossy(&page().body).replace("<h1>", &format!("{banner}<h1>")))
    }),
    honest("Japanese sentences", GET, |ask| {
        Reply::text(format!(
            "{}は{}を{}",
            ask.one(1, &["田中さん", "鈴木さん", "佐藤さん"]),
            ask.one(2, &["新聞", "手紙", "地図", "写真"]),
            ask.one(3, &["読みました。", "書きました。", "見ました。"])
        ))
    }),
    honest("four server names in turn", GET, |ask| {
        Reply::text(format!(
            "hello from web{} in rack {}\n",
            ask.number % 4,
            ["north", "south", "east", "west"][(ask.number % 4) as usize]
        ))
    }),
    honest("a GraphQL response with null or a list", GET, |ask| {
        if ask.in_percent(30) {
            Reply::json(r#"{"data":{"me":{"friends":null,"name":"x","age":3}}}"#)
        } else {
            Reply::json(format!(
                r#"{{"data":{{"me":{{"friends":[{{"id":{}}}],"name":"x","age":3}}}}}}"#,
                ask.number
            ))
        }
    }),
    honest("compressed pictures of random size", GET, |ask| {
        picture(ask, 900 + ask.pick(77, 800) as usize)
    }),
    honest(
        "a list that shrinks to nothing and grows again",
        GET,
        |ask| items(ask, (ask.number / 5) % 16),
    ),
    honest("a page with a form token", GET, |ask| {
        Reply::html(format!(
            "<html><head><title>Write to us</title></head><body><form><input type=hidden value={}><textarea></textarea><button>Send it</button></form></body></html>",
            hex(ask, 1)
        ))
    }),
];
