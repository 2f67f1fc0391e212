//! Values in requests that are secrets by the names of their parameters.

use url::form_urlencoded;

use super::is_secret_name;

/// Replaces the value of a parameter with the name of a secret.
const CONCEALED: &str = "…";
/// How often a value is decoded: a parameter of a URL that is a parameter of another one is encoded twice.
const DEPTH: usize = 3;

/// A method and path, or a path, with `…` in place of the values of parameters whose names are those of
/// secrets: in the query, in the path (`;jsessionid=`), and in a URL or an object that is a value.
pub fn conceal_parameters(request: &str) -> String {
    if let Some((path, query)) = request.split_once('?') {
        return format!("{}?{}", conceal_in_path(path), conceal_pairs(query));
    }
    match request.split_once('#') {
        Some((path, fragment)) => {
            format!("{}#{}", conceal_in_path(path), conceal_pairs(fragment))
        }
        None => conceal_in_path(request),
    }
}

/// A URL as somebody wrote it, also without its scheme, with `…` in place of a user with a password, and
/// of the values of parameters as in [`conceal_parameters`].
pub fn conceal_url(text: &str) -> String {
    let rest = match text.split_once("://") {
        Some((_, rest)) => rest,
        None => text.strip_prefix("http").unwrap_or(text),
    };
    let rest = rest.trim_start_matches([':', '/']);
    let before = &text[..text.len() - rest.len()];
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.rsplit_once('@') {
        Some((user, _)) => {
            conceal_parameters(&format!("{before}{CONCEALED}{}", &rest[user.len()..]))
        }
        None => conceal_parameters(text),
    }
}

fn conceal_pairs(query: &str) -> String {
    let parameters: Vec<String> = query.split('&').map(conceal_parameter).collect();
    parameters.join("&")
}

fn conceal_in_path(path: &str) -> String {
    let mut parts = path.split(';');
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find('/').unwrap_or(part.len());
        let (parameter, rest) = part.split_at(end);
        shown.push(';');
        shown += &conceal_parameter(parameter);
        shown += rest;
    }
    shown
}

fn conceal_parameter(parameter: &str) -> String {
    let Some((name, value)) = parameter.split_once('=') else {
        return parameter.to_owned();
    };
    if is_secret_parameter(name) || holds_secret(value, DEPTH) {
        format!("{name}={CONCEALED}")
    } else {
        parameter.to_owned()
    }
}

/// Whether a parameter with this name, which can be percent-encoded, holds a secret.
pub(super) fn is_secret_parameter(name: &str) -> bool {
    is_secret_name(&decoded(name))
}

/// Whether a value has a secret inside: `/next?token=…`, `{"token": …}` or `http://user:…@host`, encoded or
/// not.
fn holds_secret(value: &str, depth: usize) -> bool {
    if has_user(value) || assigned_names(value).any(is_secret_name) {
        return true;
    }
    depth > 0 && value.contains('%') && holds_secret(&decoded(value), depth - 1)
}

fn has_user(value: &str) -> bool {
    let rest = value.split_once("://").map(|(_, rest)| rest);
    let authority = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    authority.is_some_and(|authority| authority.contains('@'))
}

/// The names before `=` and `:`.
fn assigned_names(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    text.match_indices(['=', ':']).map(move |(at, _)| {
        let before = text[..at].trim_end_matches(['"', '\'', ' ']);
        before
            .rsplit(|c: char| !is_name(c))
            .next()
            .unwrap_or_default()
    })
}

/// The text without its URL encoding.
fn decoded(text: &str) -> String {
    let parts = text.split('&').map(|part| {
        let pair = format!("={part}");
        let value = form_urlencoded::parse(pair.as_bytes()).next();
        value.map_or_else(String::new, |(_, value)| value.into_owned())
    });
    parts.collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_secret_parameters_are_concealed() {
        for (request, shown) in [
            ("GET /a", "GET /a"),
            ("GET /a?b=c&token", "GET /a?b=c&token"),
            (
                "GET /a?X-Amz-Credential=AK/1&partNumber=2&X-Amz-Signature=0a==",
                "GET /a?X-Amz-Credential=…&partNumber=2&X-Amz-Signature=…",
            ),
            ("/a?api%5Fkey=1&q=token", "/a?api%5Fkey=…&q=token"),
            ("/a#access_token=1&q=token", "/a#access_token=…&q=token"),
        ] {
            assert_eq!(conceal_parameters(request), shown);
        }
    }

    #[test]
    fn users_and_parameters_of_urls_are_concealed() {
        for (url, shown) in [
            ("http://h:1/a@b?q=1", "http://h:1/a@b?q=1"),
            ("http://me:x@h/?q=1", "http://…@h/?q=1"),
            ("me:x@h:80/", "…@h:80/"),
            ("http:/me:x@h/", "http:/…@h/"),
            ("http:///me:x@h/", "http:///…@h/"),
            ("ftp://h/?Passwd=x&key=a", "ftp://h/?Passwd=…&key=a"),
            ("h:80/#access_token=x", "h:80/#access_token=…"),
        ] {
            assert_eq!(conceal_url(url), shown);
        }
    }

    #[test]
    fn secrets_in_paths_and_in_values_are_concealed() {
        for (request, shown) in [
            ("/a;jsessionid=1F/b;v=1?c=d", "/a;jsessionid=…/b;v=1?c=d"),
            ("/a;JSESSIONID=1F", "/a;JSESSIONID=…"),
            ("/a?next=/b?access_token=x&c=d", "/a?next=…&c=d"),
            ("/a?next=%2Fb%3Faccess_token%3Dx&c=d", "/a?next=…&c=d"),
            ("/a?next=%252Fb%253Faccess%255Ftoken%253Dx", "/a?next=…"),
            ("/a?f={\"password\": \"x\"}", "/a?f=…"),
            ("/a?u=http://me:x@b/&c=d", "/a?u=…&c=d"),
            ("/a?b=1;token=x", "/a?b=…"),
            ("/a?b=1#access_token=x", "/a?b=…"),
            (
                "/a?next=http%3A%2F%2Fb%2F%3Fd%3De&q=a@b",
                "/a?next=http%3A%2F%2Fb%2F%3Fd%3De&q=a@b",
            ),
        ] {
            assert_eq!(conceal_parameters(request), shown);
        }
    }
}
