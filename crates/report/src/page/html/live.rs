//! The page of a running benchmark: figures arrive as server-sent events, and a script displays
//! them.
//!
//! The page loads nothing except the events of its own server. The script inserts text only as
//! text, so nothing from a server becomes HTML.

use super::served::{ServedPage, hash};
use super::{STYLE, short};
use crate::chart;
use crate::escape::for_xml;

const LIVE_STYLE: &str = include_str!("live.css");
const SCRIPT: &str = include_str!("live.js");

/// Creates the page for the run and targets with these names. The page reads `events` relative to
/// its address, and opens `report.html` there when the run has ended.
pub fn live_page(name: &str, targets: &[&str]) -> ServedPage {
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
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{name}: running</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n<header>\n\
         <p class=\"run\"><span>Tenbin</span> <span>running</span></p>\n<h1>{name}: {}</h1>\n\
         <div class=\"answer\"><p id=\"now\" role=\"status\">waiting for the first figures</p></div>\n\
         <p id=\"progress\" class=\"faint\"></p>\n</header>\n\
         <noscript><p>This page needs JavaScript. The report, which is written at the end of the run, \
         does not.</p></noscript>\n\
         <section id=\"ratios\" hidden>\n<h2>Ratios so far, not final</h2>\n\
         <p class=\"faint\">The primary ratios of the blocks of rounds that have ended, each with its interval as in \
         the report. An interval that is looked at again and again excludes 1 by chance more often than its \
         confidence says: the verdict is in the report.</p>\n<div id=\"courses\"></div>\n</section>\n\
         <section>\n<h2>Last second of each target</h2>\n\
         <div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"table\"><table role=\"table\">\n\
         <thead role=\"rowgroup\"><tr role=\"row\"><th scope=\"col\" role=\"columnheader\">workload</th><th scope=\"col\" role=\"columnheader\">target</th>\
         <th scope=\"col\" role=\"columnheader\" class=\"n\">throughput</th><th scope=\"col\" role=\"columnheader\" class=\"n\">p50</th>\
         <th scope=\"col\" role=\"columnheader\" class=\"n\">p99</th><th scope=\"col\" role=\"columnheader\" class=\"n\">failed</th>\
         <th scope=\"col\" role=\"columnheader\" class=\"n\">CPU, cores</th><th scope=\"col\" role=\"columnheader\">throughput by second</th></tr>\
         </thead>\n<tbody role=\"rowgroup\" id=\"rows\"></tbody></table></div>\n\
         <p class=\"faint\">Single seconds, without intervals. Failures are those since the start of \
         the run. Which target is faster is computed at the end of the run.</p>\n</section>\n\
         <section id=\"errors\" hidden>\n<h2>Errors by class</h2>\n\
         <div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"errors by class\"><table role=\"table\">\n\
         <thead role=\"rowgroup\"><tr role=\"row\"><th scope=\"col\" role=\"columnheader\">workload</th>\
         <th scope=\"col\" role=\"columnheader\">target</th><th scope=\"col\" role=\"columnheader\">class</th>\
         <th scope=\"col\" role=\"columnheader\" class=\"n\">failures</th></tr></thead>\n\
         <tbody role=\"rowgroup\" id=\"classes\"></tbody></table></div>\n</section>\n\
         <section id=\"messages\" hidden>\n<h2>Messages</h2>\n<ul id=\"list\"></ul>\n</section>\n\
         </main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        targets.join(", ")
    );
    ServedPage { html, policy }
}
