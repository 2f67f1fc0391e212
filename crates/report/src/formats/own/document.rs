//! The format of `result.json`: the result document.

use std::io;

use serde::Serialize as _;
use serde_json::Serializer;
use tenbin_plan::{Sentence, sentence};
use tenbin_result::{Document, SCHEMA, document_from_json};

use crate::escape::Harmless;
use crate::formats::content::Content;
use crate::formats::format::Format;
use crate::formats::readable::readable;
use crate::formats::reader::{Fault, Read, Reader, whole};
use crate::formats::write::{Writer, nothing};

pub(in crate::formats) const FORMAT: Format = Format {
    name: "json",
    about: "Tenbin's result document; docs/result.schema.json describes it",
    file: "result.json",
    kept: true,
    read: Some(Reader::new(
        |beginning| {
            let is_object = beginning.trim_ascii_start().starts_with(b"{");
            is_object && readable(beginning).contains("\"tenbin.result/")
        },
        Read::Content(|text, selection| {
            let content = whole(text, selection, "a result of Tenbin")?;
            document(&content).map_err(Fault::of_the_file)
        }),
    )),
    write: Some(Writer::Document {
        lacks: nothing,
        write,
    }),
};

fn write(document: &Document, to: &mut dyn io::Write) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(&mut *to, Harmless::default());
    document.serialize(&mut serializer)?;
    to.write_all(b"\n")
}

fn document(content: &[u8]) -> Result<Content, Sentence> {
    let document = document_from_json(content)
        .map_err(|error| sentence!("no-own-result", "is not a result of Tenbin: {error}", error))?;
    if document.schema == SCHEMA {
        Ok(Content::Document(Box::new(document)))
    } else {
        Err(sentence!(
            "result-of-other-version",
            "is of version {schema:?}, and this Tenbin reads {known:?}",
            schema = document.schema,
            known = SCHEMA
        ))
    }
}
