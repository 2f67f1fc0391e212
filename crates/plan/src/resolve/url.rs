//! URLs that Tenbin can send requests to.

use url::Url;

use crate::plan_file::mistake::Mistake;
use crate::secrets::{conceal_url, placeholders};
use crate::{Sentence, sentence};

/// Reads a base URL.
pub(super) fn checked(text: &str) -> Result<Url, Mistake> {
    let Some((scheme, rest)) = text.split_once("://") else {
        let text = conceal_url(text);
        if let Some(why) = of_file(&text) {
            return Err(why.into());
        }
        return Err(Mistake::NotAUrl {
            meant: format!("http://{}", without_scheme(&text)),
            text,
        });
    };
    Ok(with_scheme(text, scheme, rest)?)
}

/// Endings of files that are given in place of a URL.
const FILES: &[&str] = &[
    "js", "mjs", "ts", "lua", "toml", "json", "yaml", "yml", "csv", "txt", "jmx", "har",
];

/// What to do with a file; `None` for a text that does not end like the name of a file, or can be a
/// URL without its scheme.
fn of_file(text: &str) -> Option<Sentence> {
    let (stem, ending) = text.rsplit_once('.')?;
    let is_path = text.starts_with(['.', '/']) || !stem.contains('/');
    let is_name = !stem.is_empty() && !stem.contains([':', '?', '=']);
    let is_file = FILES.contains(&ending) && is_path && is_name;
    is_file.then(|| match ending {
        "toml" => sentence!(
            "url-is-plan",
            "{text:?} is not a URL; run a plan file with `tenbin run {text}`",
            text
        ),
        "js" | "mjs" | "ts" | "lua" => sentence!(
            "url-is-script",
            "{text:?} is not a URL, and Tenbin does not run scripts; `tenbin import {text}` prints the \
             command line that comes closest to a script of k6 or wrk",
            text
        ),
        _ => sentence!(
            "url-is-file",
            "{text:?} is not a URL; write for example \"http://127.0.0.1:8080/\", and name a file of \
             requests with --patterns",
            text
        ),
    })
}

fn with_scheme(text: &str, scheme: &str, rest: &str) -> Result<Url, Sentence> {
    // The message does not repeat any part of the URL, which can contain a password.
    if rest
        .split(['/', '?', '#'])
        .next()
        .is_some_and(|authority| authority.contains('@'))
    {
        return Err(sentence!(
            "url-user",
            "a URL with a user name or password in it is not supported; for an HTTP target, use -H \
             'Authorization: Basic …'"
        ));
    }
    let parsed = Url::parse(text);
    // A query can contain a secret, too.
    let shown = conceal_url(text);
    let text = shown.as_str();
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => {}
        other => {
            return Err(sentence!(
                "unknown-scheme",
                "unknown scheme {other:?} in {text:?}; use http:// or https://",
                other,
                text
            ));
        }
    }
    let url = parsed.map_err(|error| {
        sentence!(
            "bad-url",
            "{text:?} is not a URL ({error}); write for example \"http://127.0.0.1:8080/\"",
            text,
            error
        )
    })?;
    // With more than two slashes, the host is after the part that was checked above.
    if !url.username().is_empty() || url.password().is_some() || url.as_str().contains("://@") {
        return Err(sentence!(
            "url-user",
            "a URL with a user name or password in it is not supported; for an HTTP target, use -H \
             'Authorization: Basic …'"
        ));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(sentence!("url-no-host", "{text:?} names no host", text));
    }
    // Full-width braces of other scripts become plain braces in a host name, and would be read as a
    // range or a placeholder when the plan is read again.
    if url.host_str().is_some_and(|host| host.contains(['{', '}'])) {
        return Err(sentence!(
            "url-braces",
            "{text:?} has braces in the name of its host",
            text
        ));
    }
    if url.port() == Some(0) {
        return Err(sentence!(
            "url-port-zero",
            "{text:?} has port 0, which nothing can listen on",
            text
        ));
    }
    if url.fragment().is_some() {
        return Err(sentence!(
            "url-fragment",
            "{text:?} has a fragment (#…), which is never sent to a server",
            text
        ));
    }
    Ok(url)
}

/// Splits a URL with a scheme into the text before the authority, the authority (between `://` and
/// the path), and the text after it.
pub(super) fn around_authority(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find("://")? + "://".len();
    let length = text[start..].find(['/', '?', '#']);
    let end = length.map_or(text.len(), |length| start + length);
    Some((&text[..start], &text[start..end], &text[end..]))
}

/// The host and path in `text`, without a misspelt scheme: `http:/`, `http//`. Other texts are
/// returned unchanged.
fn without_scheme(text: &str) -> &str {
    text.strip_prefix("http")
        .filter(|rest| rest.starts_with(":/") || rest.starts_with("//"))
        .map_or(text, |rest| rest.trim_start_matches([':', '/']))
}

/// Whether `url` is only scheme, host and port.
pub(super) fn is_bare(url: &Url) -> bool {
    matches!(url.path(), "" | "/") && url.query().is_none()
}

/// Reads a URL with placeholders. `swept` are the names of the target's sweep parameters, which are
/// placeholders, too.
pub(super) fn url_template(text: &str, swept: &[&str]) -> Result<String, Mistake> {
    placeholders::check(text, swept)?;
    if placeholders::names(text).any(|name| name == "secret_key") {
        return Err(sentence!(
            "secret-in-url",
            "{{secret_key}} is not allowed in a URL, because URLs are printed and logged"
        )
        .into());
    }
    let filled = placeholders::filled(text, swept);
    let (shown_filled, shown) = (conceal_url(&filled), conceal_url(text));
    let as_written = |mistake: Mistake| match mistake {
        Mistake::NotAUrl { meant, .. } => Mistake::NotAUrl {
            meant: meant.replace(without_scheme(&shown_filled), without_scheme(&shown)),
            text: shown.clone(),
        },
        other => other.sentence().replaced(&shown_filled, &shown).into(),
    };
    checked(&filled).map_err(as_written)?;
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_place_of_a_url_gets_the_command_for_it() {
        for (text, part) in [
            ("s.js", "`tenbin import s.js` prints"),
            ("./load/post.lua", "`tenbin import ./load/post.lua` prints"),
            ("plan.toml", "`tenbin run plan.toml`"),
            ("urls.txt", "with --patterns"),
        ] {
            let said = checked(text).unwrap_err().sentence();
            assert!(said.text().contains(part), "{said}");
        }
        for text in ["localhost:8080/app.js", "host/app.js", "example.com", ".js"] {
            let said = checked(text).unwrap_err().sentence();
            assert!(said.text().contains("did you mean"), "{text}: {said}");
        }
    }
}
