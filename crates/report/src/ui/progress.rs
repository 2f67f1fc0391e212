//! A run that is running.

use std::fmt::Write as _;
use std::time::Duration;

use tenbin_record::NewestSecond;
use tenbin_result::format::{RATE, TIME, UNKNOWN};
use tenbin_result::{Value, message};

use super::site::Site;
use crate::escape::for_xml;
use crate::page::html::short;

/// How far a run is.
#[derive(Debug, Clone, Default)]
pub struct RunProgress<'a> {
    /// The newest second of each workload on each target.
    pub seconds: &'a [NewestSecond],
    /// Number of slices of the plan, if it is known.
    pub slices: Option<usize>,
    /// Time since the start.
    pub elapsed: Option<Duration>,
    /// Time that the measurements can take at most.
    pub forecast: Option<Duration>,
    /// Address of the live page.
    pub live: Option<String>,
    /// Whether the page is loaded again after some seconds.
    pub refreshes: bool,
}

/// Prints the progress.
pub(super) fn progress(main: &mut String, site: &Site<'_>, name: &str, seen: &RunProgress<'_>) {
    main.push_str("<section>\n");
    let _ = writeln!(
        main,
        "<p><b class=\"badge\">{}</b> {}</p>",
        site.text("running"),
        said(site, seen)
    );
    if let Some(live) = &seen.live {
        let _ = writeln!(
            main,
            "<p><a class=\"button\" href=\"{}\">{}</a></p>",
            for_xml(live),
            site.text("Live page")
        );
    }
    main.push_str("</section>\n");
    if !seen.seconds.is_empty() {
        table(main, site, seen.seconds);
    }
    let (address, text) = if seen.refreshes {
        ("?refresh=off", "Stop refreshing")
    } else {
        ("", "Refresh every 5 seconds")
    };
    let _ = writeln!(
        main,
        "<p class=\"bar\"><a href=\"{}\">{}</a> <a href=\"{}\">{}</a></p>",
        site.run(name, address),
        site.text(text),
        site.run(name, "?report=now"),
        site.text("Report so far")
    );
    let cost =
        "The report so far is computed on the cores of the load generator, which disturbs the run.";
    let _ = writeln!(main, "<p class=\"faint\">{}</p>", site.text(cost));
}

/// The slice and the time so far.
fn said(site: &Site<'_>, seen: &RunProgress<'_>) -> String {
    let Some(newest) = seen.seconds.last() else {
        return site.text("No figures yet.").to_owned();
    };
    let time = |time: Option<Duration>| {
        time.map_or(Value::Unknown, |it| {
            Value::Seconds(it.as_secs_f64().round())
        })
    };
    site.say(&message!(
        "ui-progress",
        slice = u64::from(newest.slice) + 1,
        slices = seen
            .slices
            .map_or(Value::Unknown, |all| Value::Plain(all as u64)),
        known = seen.slices.is_some(),
        elapsed = time(seen.elapsed),
        forecast = time(seen.forecast)
    ))
}

fn table(main: &mut String, site: &Site<'_>, seconds: &[NewestSecond]) {
    let _ = writeln!(
        main,
        "<section>\n<h2>{}</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"group\" \
         aria-label=\"{}\"><table role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">",
        site.text("Last second of each target"),
        site.text("table")
    );
    let heads =
        ["workload", "target", "throughput", "p50", "p99", "failed"].map(|head| site.text(head));
    for (at, head) in heads.iter().enumerate() {
        let class = if at < 2 { "" } else { " class=\"n\"" };
        let _ = write!(
            main,
            "<th scope=\"col\" role=\"columnheader\"{class}>{head}</th>"
        );
    }
    main.push_str("</tr></thead>\n<tbody role=\"rowgroup\">\n");
    for second in seconds {
        let time =
            |ns: Option<u64>| ns.map_or_else(|| UNKNOWN.to_owned(), |ns| TIME.of(ns as f64 / 1e9));
        let rate = second
            .rate
            .map_or_else(|| UNKNOWN.to_owned(), |rate| RATE.of(rate));
        let figures = [
            rate,
            time(second.p50_ns),
            time(second.p99_ns),
            second.failed.to_string(),
        ];
        main.push_str("<tr role=\"row\">");
        for (head, name) in heads.iter().zip([&second.workload, &second.target]) {
            let _ = write!(
                main,
                "<th scope=\"row\" role=\"rowheader\" data-h=\"{head}\">{}</th>",
                for_xml(&short(name))
            );
        }
        for (head, figure) in heads.iter().skip(2).zip(figures) {
            let _ = write!(
                main,
                "<td role=\"cell\" class=\"n\" data-h=\"{head}\">{figure}</td>"
            );
        }
        main.push_str("</tr>\n");
    }
    let _ = writeln!(
        main,
        "</tbody></table></div>\n<p class=\"faint\">{}</p>\n</section>",
        site.text("Single seconds, without intervals. Which target is faster is computed at the end of the run.")
    );
}
