//! Contents of S3 requests and responses other than objects: XML documents, errors, headers.

pub(crate) mod batch;
pub(crate) mod completion;
pub(crate) mod document;
pub(crate) mod extra_headers;
pub(crate) mod judging;
pub(crate) mod listing;
pub(crate) mod tagging;
