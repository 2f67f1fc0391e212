//! Tests of Wikipedia dumps: extracted articles, and errors for invalid dumps.

use std::io::{BufReader, Cursor, Write as _};

use proptest::prelude::*;
use tenbin_corpus::wikipedia::{Dump, End};
use tenbin_corpus::{Error, Page, unpacked};

const HEAD: &str = r#"<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="ja">
  <siteinfo>
    <sitename>Wikipedia</sitename>
    <namespaces>
      <namespace key="-1" case="first-letter">特別</namespace>
      <namespace key="0" case="first-letter" />
      <namespace key="14" case="first-letter">カテゴリ</namespace>
      <namespace key="10" case="first-letter">Template</namespace>
    </namespaces>
  </siteinfo>
"#;

fn page(id: &str, title: &str, namespace: &str, inside: &str, text: &str) -> String {
    format!(
        "  <page>\n    <title>{title}</title>\n    {namespace}\n    <id>{id}</id>\n    {inside}\n    \
         <revision>\n      <id>99</id>\n      <contributor><username>A</username><id>7</id></contributor>\n      \
         <text bytes=\"3\" xml:space=\"preserve\">{text}</text>\n    </revision>\n  </page>\n"
    )
}

fn dump() -> String {
    let article = "<ns>0</ns>";
    [
        HEAD.to_owned(),
        page(
            "5",
            "アンパサンド &amp; &#x41;",
            article,
            "",
            "A &lt;b&gt; &quot;c&quot;\n[[Category:記号]][[カテゴリ:文字|x]]",
        ),
        page(
            "6", "Redirected", article, "<redirect title=\"x\" />", "text",
        ),
        page("7", "Redirects", article, "", "#redirect [[x]]"),
        page("8", "転送", article, "", " #転送 [[x]]"),
        page("9", "Template:T", "<ns>10</ns>", "", "no article"),
        page("10", "Template:Old", "", "", "no number of a namespace"),
        page("11", "2001: A Space Odyssey", "", "", "<![CDATA[<raw>]]>"),
        page("12", "Empty", article, "", ""),
        "</mediawiki>\n".to_owned(),
    ]
    .concat()
}

fn read(bytes: &[u8]) -> (Vec<Page>, Result<End, String>, u64) {
    let input = BufReader::with_capacity(7, Cursor::new(bytes.to_vec()));
    let input = unpacked(input).expect("memory can be read");
    let mut dump = Dump::new("dump.xml", input, None);
    let mut pages = Vec::new();
    let end = loop {
        match dump.next_page() {
            Ok(Some(page)) => pages.push(page),
            Ok(None) => break Ok(dump.end().expect("it has ended")),
            Err(error) => break Err(error.to_string()),
        }
    };
    (pages, end, dump.skipped())
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}

#[test]
fn only_articles_are_extracted() {
    let (pages, end, skipped) = read(dump().as_bytes());
    assert_eq!(end, Ok(End::Whole));
    assert_eq!(skipped, 5);
    let titles: Vec<(u64, &str)> = pages.iter().map(|page| (page.id, &*page.title)).collect();
    assert_eq!(
        titles,
        [
            (5, "アンパサンド & A"),
            (11, "2001: A Space Odyssey"),
            (12, "Empty")
        ]
    );
    assert_eq!(
        pages[0].text,
        "A <b> \"c\"\n[[Category:記号]][[カテゴリ:文字|x]]"
    );
    assert_eq!(pages[0].categories, ["記号", "文字"]);
    assert_eq!(pages[1].text, "<raw>");
}

/// The head of the dump lists only "Category" and "ファイル"; the pages also use other names.
#[test]
fn japanese_words_for_namespaces_need_not_be_listed() {
    let head = HEAD.replace("カテゴリ", "Category");
    let text = "[[カテゴリ:駅|えき]] [[ファイル:a.jpg|thumb|[[カテゴリ:内]]]] [[Category:町]]";
    let pages = [
        page("5", "東京駅", "<ns>0</ns>", "", text),
        page("6", "ファイル:東京.jpg", "", "", "no article"),
        page("7", "カテゴリ:駅", "", "", "no article"),
        page("8", "利用者:x", "", "", "no article"),
    ];
    let dump = [head, pages.concat(), "</mediawiki>\n".to_owned()].concat();
    let (pages, _, skipped) = read(dump.as_bytes());
    assert_eq!(skipped, 3);
    assert_eq!(pages[0].categories, ["駅", "内", "町"]);
}

#[test]
fn compressed_dumps_give_the_same_pages() {
    let plain = dump();
    // Wikipedia's multistream dumps consist of several concatenated streams.
    let (first, rest) = plain.as_bytes().split_at(700);
    let streams = [packed(first), packed(rest)].concat();
    assert_eq!(read(&streams), read(plain.as_bytes()));
}

#[test]
fn complete_pages_of_a_truncated_dump_are_kept() {
    let whole = dump();
    let (all, ..) = read(whole.as_bytes());
    let after_first = whole.find("</page>").expect("a page") + "</page>".len();
    for cut in (HEAD.len()..whole.len() - "</mediawiki>\n".len()).step_by(3) {
        let (pages, end, _) = read(&whole.as_bytes()[..cut]);
        assert_eq!(end, Ok(End::CutOff), "cut at byte {cut}");
        assert_eq!(pages, all[..pages.len()], "cut at byte {cut}");
        assert_eq!(pages.is_empty(), cut < after_first, "cut at byte {cut}");
    }
    let (first, rest) = whole.as_bytes().split_at(after_first);
    let streams = [packed(first), packed(rest)].concat();
    let (pages, end, _) = read(&streams[..streams.len() - 40]);
    assert_eq!((pages.len(), end), (1, Ok(End::CutOff)));
}

#[test]
fn invalid_dumps_are_errors_with_position_and_reason() {
    let broken_tag = dump().replacen("</title>", "</tilte>", 1);
    let unknown = dump().replacen("&amp;", "&uuml;", 1);
    let no_number = dump().replacen("<id>5</id>", "<id>five</id>", 1);
    let no_title = dump().replacen("<title>アンパサンド &amp; &#x41;</title>", "", 1);
    let mut not_utf8 = dump().into_bytes();
    let at = HEAD.len() + 25;
    not_utf8[at] = 0xff;
    let mut corrupt = packed(dump().as_bytes());
    let middle = corrupt.len() / 2;
    corrupt[middle] ^= 0x55;
    for (bytes, place, reason) in [
        (Vec::new(), "line 1 (byte 0)", "it is empty"),
        (b"\n\n".to_vec(), "line 3 (byte 2)", "it has no tag"),
        (
            b"<html><body/></html>".to_vec(),
            "line 1",
            "it starts with <html>",
        ),
        (
            b"{\"a\": 1}".to_vec(),
            "line 1",
            "text where a tag is expected",
        ),
        (
            broken_tag.into_bytes(),
            "line 12",
            "expected `</title>`, but `</tilte>` was found",
        ),
        (unknown.into_bytes(), "line 12", "unknown entity &uuml;"),
        (
            no_number.into_bytes(),
            "line 22",
            "its <id> is \"five\", which is not a number",
        ),
        (
            no_title.into_bytes(),
            "line 22",
            "the page that ends here has no <title>",
        ),
        (not_utf8, "line 12", "UTF-8"),
        (corrupt, "line ", "it cannot be decompressed"),
    ] {
        let (_, end, _) = read(&bytes);
        let error = end.expect_err(reason);
        assert!(error.starts_with("dump.xml, "), "{error}");
        assert!(error.contains(place) && error.contains(reason), "{error}");
    }
}

#[test]
fn an_endless_text_does_not_fill_the_memory() {
    let head = [HEAD, "<page><title>x</title><id>1</id><revision><text>"].concat();
    let endless = std::io::Read::chain(Cursor::new(head), std::io::repeat(b'x'));
    let mut dump = Dump::new("dump.xml", BufReader::new(endless), None);
    match dump.next_page() {
        Err(Error::Malformed { reason, .. }) => {
            assert!(reason.text().contains("64 MiB"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
    }

    #[test]
    fn a_damaged_dump_is_read_or_refused(
        at in 0_usize..2_000,
        bytes in prop::collection::vec(any::<u8>(), 0..9),
        pack in any::<bool>(),
    ) {
        let mut whole = if pack { packed(dump().as_bytes()) } else { dump().into_bytes() };
        let at = at % whole.len();
        let end = (at + bytes.len()).min(whole.len());
        whole.splice(at..end, bytes);
        let _ = read(&whole);
    }
}
