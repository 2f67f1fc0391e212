//! Distinguishes the expected document in a response with status 200 from an error. Some operations
//! send the status before they are complete, so that a late error can only be in the body (Amazon
//! S3 API reference, "CopyObject").

use memchr::memmem;
use quick_xml::Reader;
use quick_xml::events::Event;

/// Whether a response is one complete document with this root and without an error.
pub(crate) fn is_whole(response: &[u8], root: &str) -> bool {
    count_in_whole(response, root, "").is_some()
}

/// Number of elements with this name in one complete document with this root; `None` if the
/// document is incomplete, has another root or contains an error.
pub(crate) fn count_in_whole(response: &[u8], root: &str, name: &str) -> Option<u64> {
    let mut reader = Reader::from_reader(response);
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

/// Whether a response that needs no body contains an error.
pub(crate) fn is_error(response: &[u8]) -> bool {
    if memmem::find(response, b"Error").is_none() {
        return false;
    }
    let mut reader = Reader::from_reader(response);
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
    // Some servers put a byte order mark before a document.
    text.trim_start_matches('\u{feff}').trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <CopyObjectResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
        <ETag>&quot;Error&quot;</ETag></CopyObjectResult>\n";

    #[test]
    fn a_complete_document_is_accepted_with_any_padding() {
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
    fn incomplete_other_and_error_documents_are_refused() {
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
        let response = b"<R><Deleted><Key>a</Key></Deleted><Deleted/><Other/></R>";
        assert_eq!(count_in_whole(response, "R", "Deleted"), Some(2));
    }
}
