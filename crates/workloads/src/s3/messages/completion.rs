//! Whether an answer of status 200 is the document that was promised, or an error in
//! its place: some operations are answered before they are through, so that what goes
//! wrong late can only stand in the body (Amazon S3 API reference, "CopyObject").

use memchr::memmem;
use quick_xml::Reader;
use quick_xml::events::Event;

/// Whether an answer is one whole document with this root and no error in it.
pub(crate) fn is_whole(answer: &[u8], root: &str) -> bool {
    count_in_whole(answer, root, "").is_some()
}

/// How many elements of this name there are in one whole document with this root;
/// none if it is cut short, is another, or holds an error.
pub(crate) fn count_in_whole(answer: &[u8], root: &str, name: &str) -> Option<u64> {
    let mut reader = Reader::from_reader(answer);
    let (mut depth, mut roots, mut count) = (0_u32, 0_u32, 0);
    loop {
        let event = reader.read_event().ok()?;
        if let Event::Start(tag) | Event::Empty(tag) = &event {
            let own = tag.local_name();
            let own: &str = own.as_ref();
            if own == "Error" || depth == 0 && own != root {
                return None;
            }
            roots += u32::from(depth == 0);
            count += u64::from(own == name);
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.checked_sub(1)?,
            Event::Text(text) if depth == 0 && !is_blank(text.as_ref()) => return None,
            Event::Eof => return (depth == 0 && roots == 1).then_some(count),
            _ => {}
        }
    }
}

/// Whether an answer that needs no body is an error all the same.
pub(crate) fn is_error(answer: &[u8]) -> bool {
    if memmem::find(answer, b"Error").is_none() {
        return false;
    }
    let mut reader = Reader::from_reader(answer);
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                let own = tag.local_name();
                let own: &str = own.as_ref();
                return own == "Error";
            }
            Ok(Event::Eof) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

fn is_blank(text: &str) -> bool {
    // What some servers put in front of a document is not a character of it.
    text.trim_start_matches('\u{feff}').trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <CopyObjectResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
        <ETag>&quot;Error&quot;</ETag></CopyObjectResult>\n";

    #[test]
    fn a_whole_document_is_one_however_it_is_padded() {
        let padded = format!("{}{DONE}", " ".repeat(6000));
        let named = DONE
            .replace("<CopyObjectResult xmlns", "<s3:CopyObjectResult xmlns:s3")
            .replace("</CopyObjectResult", "</s3:CopyObjectResult");
        for whole in [DONE, &padded, &named, "<CopyObjectResult/>"] {
            assert!(is_whole(whole.as_bytes(), "CopyObjectResult"), "{whole}");
            assert!(!is_error(whole.as_bytes()), "{whole}");
        }
    }

    #[test]
    fn what_is_cut_or_another_or_holds_an_error_is_not_it() {
        for cut in 0..DONE.len() - 1 {
            assert!(!is_whole(&DONE.as_bytes()[..cut], "CopyObjectResult"));
        }
        let padded = format!("{}<Error><Code>SlowDown</Code></Error>", " ".repeat(6000));
        for other in [
            "",
            "<html><body>done</body></html>",
            "done",
            "<Error><Code>Slow Down</Code></Error>",
            "<CopyObjectResult><Error/></CopyObjectResult>",
            "<CopyObjectResult/><Error/>",
            "<CopyObjectResult/><CopyObjectResult/>",
            "<CopyObjectResult></Other>",
            &padded,
        ] {
            assert!(!is_whole(other.as_bytes(), "CopyObjectResult"), "{other}");
        }
        assert!(is_error(padded.as_bytes()));
        assert!(is_error(b"<Error><Code>Slow D"));
        assert!(!is_error(b"{\"Error\": null}"));
    }

    #[test]
    fn elements_are_counted() {
        let answer = b"<R><Deleted><Key>a</Key></Deleted><Deleted/><Other/></R>";
        assert_eq!(count_in_whole(answer, "R", "Deleted"), Some(2));
    }
}
