//! Resolves the hosts of a target: one, or several that share the load.

use std::collections::BTreeSet;

use url::Url;

use super::url as urls;
use crate::keys::scalar::{At, Scalar};
use crate::plan_file::mistake::Mistake;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::target::{Host, TargetDraft};
use crate::{Sentence, sentence};

/// Maximum number of hosts of a target: a larger number is taken for a typing error.
const MOST_HOSTS: usize = 1000;
const MOST_WEIGHT: u32 = 1000;

/// All hosts, in the order given; `None` if a host is wrong, which is reported.
pub(super) fn resolve(resolver: &mut Resolver<'_>, draft: &TargetDraft) -> Option<Vec<Host>> {
    let (key, items) = match (&draft.urls, &draft.url) {
        (Some(urls), Some(url)) => {
            resolver.wrong(
                url.place,
                "url",
                sentence!(
                    "url-or-urls",
                    "set either url or urls, not both; urls lists all hosts"
                ),
            );
            ("urls", urls.items())
        }
        (Some(urls), None) => ("urls", urls.items()),
        (None, url) => ("url", url.iter().map(borrowed).collect()),
    };
    if let (Some(urls), true) = (&draft.urls, items.is_empty()) {
        resolver.wrong(
            urls.place,
            "urls",
            sentence!(
                "urls-empty",
                "is empty; write for example [\"http://db1:9000\", \"http://db2:9000 weight 2\"]"
            ),
        );
    }
    let mut hosts = Vec::new();
    let mut all_right = !items.is_empty();
    for At { value, place } in items {
        match read(value, key == "urls") {
            Ok(read) => hosts.extend(read.into_iter().map(|host| (host, place))),
            Err(message) => {
                resolver.wrong(place, key, message);
                all_right = false;
            }
        }
    }
    let alike = all_right && go_together(resolver, key, &hosts);
    alike.then(|| hosts.into_iter().map(|(host, _)| host).collect())
}

fn borrowed(field: &At<Scalar>) -> At<&Scalar> {
    At {
        value: &field.value,
        place: field.place,
    }
}

fn read(scalar: &Scalar, may_weigh: bool) -> Result<Vec<Host>, Mistake> {
    let text = scalar.text()?;
    let (url, weight) = match text.split_once(char::is_whitespace) {
        Some((url, weight)) if may_weigh => (url, read_weight(weight.trim())?),
        _ => (text, 1),
    };
    expand(url)?
        .iter()
        .map(|url| {
            let url = urls::checked(url)?;
            Ok(Host { url, weight })
        })
        .collect()
}

fn read_weight(text: &str) -> Result<u32, Sentence> {
    let number = text.strip_prefix("weight").map(str::trim_start);
    number
        .and_then(|number| number.parse().ok())
        .filter(|weight| (1..=MOST_WEIGHT).contains(weight))
        .ok_or_else(|| {
            sentence!(
                "no-weight",
                "{text:?} behind a URL is not a weight; write for example \"weight 3\", at most \
                 {most_weight}",
                text,
                most_weight = MOST_WEIGHT
            )
        })
}

/// Expands `http://db{1...3}:9000` to three URLs. Every range in host and port is replaced by each
/// of its numbers, padded with zeros to the width of the first number.
fn expand(url: &str) -> Result<Vec<String>, Sentence> {
    let Some((before, authority, after)) = urls::around_authority(url) else {
        return Ok(vec![url.to_owned()]);
    };
    let mut done = Vec::new();
    let mut open = vec![authority.to_owned()];
    while let Some(authority) = open.pop() {
        let Some((head, range, tail)) = first_braces(&authority) else {
            done.push(format!("{before}{authority}{after}"));
            continue;
        };
        let numbers = numbers(range)?;
        // Reversed, because the last element of the stack is expanded first.
        open.extend(
            numbers
                .iter()
                .rev()
                .map(|number| format!("{head}{number}{tail}")),
        );
        if open.len() + done.len() > MOST_HOSTS {
            return Err(sentence!(
                "url-many-hosts",
                "{url:?} expands to more than {most_hosts} hosts, the maximum per target",
                url,
                most_hosts = MOST_HOSTS
            ));
        }
    }
    Ok(done)
}

fn first_braces(text: &str) -> Option<(&str, &str, &str)> {
    let (head, rest) = text.split_once('{')?;
    let (range, tail) = rest.split_once('}')?;
    Some((head, range, tail))
}

fn numbers(range: &str) -> Result<Vec<String>, Sentence> {
    let wrong = || {
        sentence!(
            "no-host-range",
            "{{{range}}} is not a range of hosts; write for example {{1...4}}, with three \
                dots and the smaller number first",
            range
        )
    };
    let (first, last) = range.split_once("...").ok_or_else(wrong)?;
    let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
    let (from, to) = (number(first)?, number(last)?);
    if from > to {
        return Err(wrong());
    }
    if (to - from) as usize >= MOST_HOSTS {
        return Err(sentence!(
            "range-many-hosts",
            "{{{range}}} makes more than {most_hosts} hosts",
            range,
            most_hosts = MOST_HOSTS
        ));
    }
    let width = first.len();
    Ok((from..=to)
        .map(|number| format!("{number:0width$}"))
        .collect())
}

/// Whether all hosts have the same scheme and path, and no host is given twice. If not, reports the
/// first wrong host.
fn go_together(resolver: &mut Resolver<'_>, key: &str, hosts: &[(Host, Place)]) -> bool {
    let Some((Host { url: first, .. }, _)) = hosts.first() else {
        return false;
    };
    let mut seen = BTreeSet::new();
    for (Host { url, .. }, place) in hosts {
        let what = if url.scheme() != first.scheme() {
            sentence!("same-scheme", "have the same scheme")
        } else if (url.path(), url.query()) != (first.path(), first.query()) {
            sentence!("same-path", "have the same path")
        } else if !seen.insert(location(url)) {
            let message = sentence!(
                "url-twice",
                "{url:?} is named twice; give it a weight",
                url = url.as_str()
            );
            resolver.wrong(*place, key, message);
            return false;
        } else {
            continue;
        };
        let message = sentence!(
            "hosts-differ",
            "all hosts of a target {what}, and {first:?} and {url:?} do not",
            first = first.as_str(),
            url = url.as_str(),
            what
        );
        resolver.wrong(*place, key, message);
        return false;
    }
    if hosts.len() > MOST_HOSTS {
        let message = sentence!(
            "many-hosts",
            "has more than {most_hosts} hosts",
            most_hosts = MOST_HOSTS
        );
        resolver.wrong(hosts[0].1, key, message);
        return false;
    }
    true
}

fn location(url: &Url) -> (Option<&str>, Option<u16>) {
    (url.host_str(), url.port_or_known_default())
}
