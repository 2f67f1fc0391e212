//! The page of a running benchmark: figures arrive as server-sent events, and a script displays
//! them.
//!
//! The page loads nothing except the events of its own server. The script inserts text only as
//! text, so nothing from a server becomes HTML.

use std::collections::BTreeMap;

use tenbin_result::Language;

use super::served::{ServedPage, hash};
use super::{STYLE, short};
use crate::chart;
use crate::escape::for_xml;
use crate::language::of_ui;

const LIVE_STYLE: &str = include_str!("live.css");
const SCRIPT: &str = include_str!("live.js");

/// The texts of the script, with their arguments in braces.
const TEXTS: &[(&str, &str)] = &[
    ("now", "{workload} on {target}"),
    ("slice", "slice {slice}"),
    ("slice_of", "slice {slice} of {slices}"),
    ("about", ", about {time} left, until {clock}"),
    ("at_most", ", at most {time} left, until {clock}"),
    ("axis", "0 to {rate}, last {seconds} s"),
    ("rounds", "rounds that have ended"),
    (
        "after",
        "{ratio} ({interval}) after {rounds} rounds, not final",
    ),
    ("more", "and {more} more, which are in the report"),
    ("closed", "the run has closed the connection"),
    ("silent", "the run has ended or does not respond"),
];

/// Creates the page for the run and targets with these names. The page reads `events` relative to
/// its address, and opens `report.html` there when the run has ended.
pub fn live_page(language: Language, name: &str, targets: &[&str]) -> ServedPage {
    let say = |english| of_ui(language, english);
    let texts: BTreeMap<&str, &str> = TEXTS.iter().map(|(id, text)| (*id, say(text))).collect();
    let texts = serde_json::to_string(&texts).unwrap_or_default();
    let style = format!("{}{STYLE}{LIVE_STYLE}", chart::STYLE);
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'",
        hash(&style),
        hash(SCRIPT)
    );
    let name = for_xml(&short(name));
    let targets: Vec<String> = targets
        .iter()
        .map(|target| for_xml(&short(target)))
        .collect();
    let heads = |names: &[&'static str]| -> String { heads(names, &say) };
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"{tag}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{name}: {running}</title>\n<style>{style}</style>\n</head>\n<body>\n\
         <main data-texts=\"{texts}\">\n<header>\n\
         <p class=\"run\"><span>Tenbin</span> <span>{running}</span></p>\n<h1>{name}: {targets}</h1>\n\
         <div class=\"answer\"><p id=\"now\">{waiting}</p></div>\n\
         <p id=\"progress\" class=\"faint\"></p>\n\
         <p id=\"said\" class=\"unseen\" role=\"status\"></p>\n</header>\n\
         <noscript><p>{no_script}</p></noscript>\n\
         <section id=\"ratios\" hidden>\n<h2>{so_far}</h2>\n\
         <p class=\"faint\">{about_ratios}</p>\n<div id=\"courses\"></div>\n</section>\n\
         <section>\n<h2>{last_second}</h2>\n\
         <div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{table}\"><table role=\"table\">\n\
         <thead role=\"rowgroup\"><tr role=\"row\">{columns}</tr>\
         </thead>\n<tbody role=\"rowgroup\" id=\"rows\"></tbody></table></div>\n\
         <p class=\"faint\">{about_seconds}</p>\n</section>\n\
         <section id=\"errors\" hidden>\n<h2>{errors}</h2>\n\
         <div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{errors}\"><table role=\"table\">\n\
         <thead role=\"rowgroup\"><tr role=\"row\">{classes}</tr></thead>\n\
         <tbody role=\"rowgroup\" id=\"classes\"></tbody></table></div>\n</section>\n\
         <section id=\"messages\" hidden>\n<h2>{messages}</h2>\n\
         <div class=\"log\" tabindex=\"0\" role=\"group\" aria-label=\"{messages}\"><ul id=\"list\"></ul></div>\n\
         </section>\n\
         </main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        tag = language.tag(),
        texts = for_xml(&texts),
        targets = targets.join(", "),
        running = say("running"),
        waiting = say("waiting for the first figures"),
        no_script = say(
            "This page needs JavaScript. The report, which is written at the end of the run, does not."
        ),
        so_far = say("Ratios so far, not final"),
        about_ratios = say(
            "The primary ratios of the rounds that have ended, each with its interval as in \
             the report. An interval that is checked repeatedly excludes 1 by chance more often \
             than its confidence says: the verdict is in the report."
        ),
        last_second = say("Last second of each target"),
        table = say("table"),
        columns = heads(&[
            "workload", "target", "throughput", "p50", "p99", "failed", "CPU, cores",
            "throughput by second"
        ]),
        about_seconds = say(
            "Single seconds, without intervals. Failures are those since the start of the run. Which \
             target is faster is computed at the end of the run."
        ),
        errors = say("Errors by class"),
        classes = heads(&["workload", "target", "class", "failures"]),
        messages = say("Messages"),
    );
    ServedPage { html, policy }
}

/// The heads of the columns; those of figures stand at the right.
fn heads(names: &[&'static str], say: &dyn Fn(&'static str) -> &'static str) -> String {
    let heads = names.iter().map(|name| {
        let class = match *name {
            "workload" | "target" | "class" | "throughput by second" => "",
            _ => " class=\"n\"",
        };
        let name = say(name);
        format!("<th scope=\"col\" role=\"columnheader\"{class}>{name}</th>")
    });
    heads.collect()
}
