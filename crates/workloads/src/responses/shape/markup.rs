//! Features of HTML and XML: tags with their parents, and words.

use super::features::{Features, Names, add, mix};
use super::text;

/// Maximum number of open tags that are remembered.
const MOST_DEPTH: usize = 64;
/// Longest name of a tag, bytes.
const NAME_BYTES: usize = 32;

/// Tags of HTML without an end tag.
const VOID: [&[u8]; 14] = [
    b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta", b"param",
    b"source", b"track", b"wbr",
];

/// Reads a document, which may be malformed.
pub(super) fn read(body: &[u8], features: &mut Features, names: &mut dyn Names) {
    let mut open: Vec<Vec<u8>> = Vec::new();
    let mut rest = body;
    while let Some(at) = memchr::memchr(b'<', rest) {
        text::words(&rest[..at], &mut features.words, names);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix(b"<!--") {
            let end = memchr::memmem::find(comment, b"-->");
            rest = end.map_or(&[][..], |end| &comment[end + 3..]);
            continue;
        }
        let Some(end) = memchr::memchr(b'>', rest) else {
            features.last_tag = mix(0, b"unfinished tag");
            return;
        };
        let tag = &rest[1..end];
        rest = &rest[end + 1..];
        let (is_end, named) = match tag.strip_prefix(b"/") {
            Some(named) => (true, named),
            None => (false, tag),
        };
        let is_part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b':' | b'-' | b'_' | b'.');
        let name: Vec<u8> = named
            .iter()
            .take_while(is_part)
            .take(NAME_BYTES)
            .collect::<Vec<_>>()
            .into_iter()
            .map(u8::to_ascii_lowercase)
            .collect();
        if name.is_empty() {
            // A declaration, or a sign in a text.
            continue;
        }
        features.last_tag = mix(u64::from(is_end), &name);
        if is_end {
            if let Some(at) = open.iter().rposition(|known| *known == name) {
                open.truncate(at);
            }
            continue;
        }
        let parent = open.last().map_or(&[][..], Vec::as_slice);
        let feature = mix(mix(1, parent), &name);
        add(&mut features.skeleton, feature);
        names.name(feature, &|| {
            let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
            format!("<{}> in <{}>", text(&name), text(parent))
        });
        if VOID.contains(&name.as_slice()) || tag.ends_with(b"/") {
            continue;
        }
        if matches!(name.as_slice(), b"script" | b"style") {
            let close = [b"</".as_slice(), &name].concat();
            let end = memchr::memmem::find(rest, &close);
            rest = end.map_or(&[][..], |end| &rest[end..]);
            continue;
        }
        if open.len() < MOST_DEPTH {
            open.push(name);
        }
    }
    text::words(rest, &mut features.words, names);
}
