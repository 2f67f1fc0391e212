//! Tests of command files: the parser accepts or refuses every text without a panic, and parses
//! written commands to the original commands.

use proptest::prelude::*;
use tenbin_corpus::droonga::Converter;
use tenbin_corpus::groonga::{Columns, Command, Item, Response, Script};
use tenbin_corpus::json::Json;
use tenbin_corpus::{Page, PageWriter};

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,9}",
        any::<String>(),
        r#"[ '"\\n\t\u{3042}#\[\]{},:-]{0,12}"#,
    ]
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(
        text in r#"(load --table T\n)?[\[\]{}",:0-9a-z\\ \n]{0,60}"#,
        bytes in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        for input in [text.as_bytes(), &bytes[..]] {
            let mut failures = 0;
            for item in Script::new("any", input) {
                failures += u32::from(item.is_err());
            }
            prop_assert!(failures <= 1);
            let _ = Response::parse(input).map(|answer| Columns::of(&answer.body).is_ok());
        }
    }

    #[test]
    fn a_written_command_is_parsed_unchanged(
        arguments in prop::collection::vec(("[a-z_]{1,8}", words()), 0..5)
    ) {
        let command = Command { name: "select".to_owned(), arguments };
        prop_assert_eq!(&Command::parse(&command.to_string()).unwrap(), &command);
        prop_assert_eq!(&Command::parse(&command.path()).unwrap(), &command);
    }

    #[test]
    fn pages_are_written_parsed_and_converted(
        pages in prop::collection::vec(
            (any::<u64>(), any::<String>(), any::<String>(), prop::collection::vec(any::<String>(), 0..3)),
            0..5,
        )
    ) {
        let mut writer = PageWriter::new(Vec::new()).unwrap();
        for (id, title, text, categories) in &pages {
            let (title, text) = (title.clone(), text.clone());
            writer.write(&Page { id: *id, title, text, categories: categories.clone() }).unwrap();
        }
        let (count, bytes) = writer.finish().unwrap();
        prop_assert_eq!(count, pages.len() as u64);
        let mut converter = Converter::new("Default");
        let mut read = Vec::new();
        for item in Script::new("pages", &bytes[..]) {
            let item = item.unwrap();
            prop_assert!(matches!(item, Item::Record(_)));
            let message = converter.message(&item).to_string();
            let message = Json::parse(message.as_bytes()).unwrap();
            let body = message.get("body").unwrap();
            let values = body.get("values").unwrap();
            let text = |name: &str| values.get(name).unwrap().as_text().unwrap().to_owned();
            let categories = values.get("categories").unwrap().as_list().unwrap();
            read.push((
                body.get("key").unwrap().as_u64().unwrap(),
                text("title"),
                text("text"),
                categories.iter().map(|name| name.as_text().unwrap().to_owned()).collect(),
            ));
        }
        prop_assert_eq!(read, pages);
    }
}
