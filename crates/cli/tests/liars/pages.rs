//! Pages that servers of this test send.

use std::time::{SystemTime, UNIX_EPOCH};

use super::server::{Ask, Reply};

pub(crate) const NAMES: [&str; 12] = [
    "Aiko", "Ben", "Carla", "Daichi", "Emma", "Farid", "Greta", "Hiro", "Ines", "Jonas", "Kenji",
    "Lena",
];
const THINGS: [&str; 10] = [
    "lamp", "table", "bicycle", "kettle", "garden chair", "umbrella", "notebook", "violin",
    "blanket", "compass",
];
const WORDS: [&str; 24] = [
    "river", "stone", "window", "bright", "morning", "quiet", "harbour", "letter", "garden",
    "yellow", "copper", "winter", "feather", "market", "silver", "orchard", "lantern", "meadow",
    "thunder", "velvet", "pepper", "island", "castle", "ribbon",
];

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// One user as JSON, another one each time.
pub(crate) fn user(ask: &Ask) -> Reply {
    Reply::json(format!(
        r#"{{"id":{},"name":"{}","mail":"{}@example.net","active":true,"tags":["{}","{}"]}}"#,
        ask.pick(1, 100_000),
        ask.one(2, &NAMES),
        ask.one(3, &WORDS),
        ask.one(4, &WORDS),
        ask.one(5, &WORDS)
    ))
}

/// A list of `count` items as JSON.
pub(crate) fn items(ask: &Ask, count: u64) -> Reply {
    let item = |at: u64| {
        format!(
            r#"{{"sku":"s{}","title":"{}","price":{}.{}}}"#,
            ask.pick(at * 3, 9_000),
            ask.one(at * 3 + 1, &THINGS),
            ask.pick(at * 3 + 2, 90),
            10 + ask.pick(at * 3 + 4, 80)
        )
    };
    let all: Vec<String> = (0..count).map(item).collect();
    Reply::json(format!(
        r#"{{"total":{},"page":{},"items":[{}]}}"#,
        40 + ask.pick(99, 900),
        ask.pick(98, 20),
        all.join(",")
    ))
}

/// A shop page with `count` things, others each time.
pub(crate) fn shop(ask: &Ask, count: u64) -> Reply {
    let item = |at: u64| {
        format!(
            "<li><a href=\"/item/{}\">{}</a> <b>{} EUR</b></li>\n",
            ask.pick(at * 2, 5_000),
            ask.one(at * 2 + 1, &THINGS),
            ask.pick(at + 77, 400)
        )
    };
    let all: String = (0..count).map(item).collect();
    Reply::html(format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>The corner shop</title>\
         <link rel=\"stylesheet\" href=\"/s.css\"></head>\n<body><header><h1>Welcome to the corner shop</h1>\
         <nav><a href=\"/\">Home</a> <a href=\"/cart\">Cart</a> <a href=\"/help\">Help</a></nav></header>\n\
         <main><h2>Things for you, {}</h2><ul>\n{all}</ul></main>\n\
         <footer><p>Open every day until eight</p></footer></body></html>\n",
        ask.one(55, &NAMES)
    ))
}

/// A page of the shop that is always the same, 3,000 bytes long.
pub(crate) fn page() -> Reply {
    let mut page = String::from(
        "<!DOCTYPE html>\n<html><head><title>About us</title></head><body><h1>About the corner shop</h1>\n",
    );
    let mut at = 0;
    while page.len() < 2_900 {
        at += 1;
        let word = |of: usize| WORDS[(at * 7 + of * 5) % WORDS.len()];
        page += &format!(
            "<p>Our {} {} meets the {} {} here.</p>\n",
            word(0),
            word(1),
            word(2),
            word(3)
        );
    }
    let rest = 3_000 - "</body></html>\n".len() - page.len();
    page += &" ".repeat(rest);
    page += "</body></html>\n";
    Reply::html(page)
}

/// An error page of `length` bytes with status 200.
pub(crate) fn sorry(length: usize) -> Reply {
    let mut page = String::from(
        "<!DOCTYPE html>\n<html><head><title>Sorry</title></head><body><h1>We are too busy</h1>\n",
    );
    while page.len() + 70 < length {
        page += "<p>Too many visitors, please come back in a while.</p>\n";
    }
    page += &" ".repeat(length.saturating_sub(page.len() + 15));
    page += "</body></html>\n";
    Reply::html(page)
}

/// Random text of `count` words.
pub(crate) fn prose(ask: &Ask, count: u64) -> Reply {
    let word = |at: u64| ask.one(at + 300, &WORDS).to_owned();
    let words: Vec<String> = (0..count).map(word).collect();
    Reply::text(words.join(" ") + "\n")
}

/// Random bytes behind a fixed head.
pub(crate) fn picture(ask: &Ask, length: usize) -> Reply {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut at = 0;
    while bytes.len() < length {
        bytes.push(ask.pick(at, 256) as u8);
        at += 1;
    }
    Reply::bytes(bytes)
}

/// A picture that is always the same.
pub(crate) fn logo(of: u64) -> Reply {
    let ask = Ask {
        number: 0,
        busy: 1,
        random: of,
        age: std::time::Duration::ZERO,
    };
    picture(&ask, 4_000)
}
