//! XML documents and headers of an S3 server that may send anything.
#![no_main]

#[path = "../checks/s3_xml.rs"]
mod s3_xml;

libfuzzer_sys::fuzz_target!(|input: &[u8]| s3_xml::check(input));
