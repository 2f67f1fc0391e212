//! Entries of a page of a listing.

use memchr::memmem;

use crate::s3::messages::listing::text_of;

/// An object, or a version of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) key: String,
    pub(super) version: Option<String>,
    /// Whether the item is a delete marker, which cannot be locked.
    pub(super) marker: bool,
    /// Size according to the listing, bytes.
    pub(super) size: u64,
}

/// The entries of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entries {
    pub(super) items: Vec<Item>,
    /// Number of entries whose key cannot be parsed, so that their owner is unknown.
    pub(super) unreadable: usize,
}

/// The entries of a page, in order.
pub(super) fn entries(page: &[u8]) -> Entries {
    let starts = |tag: &'static [u8]| memmem::find_iter(page, tag);
    let mut starts: Vec<(usize, bool)> = starts(b"<Contents>")
        .chain(starts(b"<Version>"))
        .map(|at| (at, false))
        .chain(starts(b"<DeleteMarker>").map(|at| (at, true)))
        .collect();
    starts.sort_unstable();
    let ends = starts.iter().skip(1).map(|(at, _)| *at);
    let ends = ends.chain([page.len()]);
    let each = starts.iter().zip(ends);
    let items: Vec<Item> = each
        .filter_map(|(&(start, marker), end)| {
            let element = &page[start..end];
            let size = text_of(element, "Size").and_then(|size| size.trim().parse().ok());
            Some(Item {
                key: text_of(element, "Key")?,
                version: text_of(element, "VersionId").filter(|id| !id.is_empty()),
                marker,
                size: size.unwrap_or(0),
            })
        })
        .collect();
    Entries {
        unreadable: starts.len() - items.len(),
        items,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_element_by_element() {
        let page = b"<ListVersionsResult><KeyMarker>x</KeyMarker>\
            <DeleteMarker><Key>a</Key><VersionId>2</VersionId></DeleteMarker>\
            <Version><VersionId>1</VersionId><Key>a&amp;b</Key></Version>\
            <Version><Key>c</Key></Version></ListVersionsResult>";
        let item = |key: &str, version: Option<&str>, marker| Item {
            key: key.to_owned(),
            version: version.map(ToOwned::to_owned),
            marker,
            size: 0,
        };
        let read = entries(page);
        assert_eq!(
            read.items,
            [
                item("a", Some("2"), true),
                item("a&b", Some("1"), false),
                item("c", None, false)
            ]
        );
        assert_eq!(read.unreadable, 0);
    }

    #[test]
    fn a_key_that_cannot_be_read_is_counted() {
        let page = b"<ListBucketResult><Contents><Key>a&nosuch;b</Key><Size>5</Size></Contents>\
            <Contents><Key>c</Key><Size>12</Size></Contents></ListBucketResult>";
        let read = entries(page);
        assert_eq!((read.items.len(), read.unreadable), (1, 1));
        assert_eq!(read.items[0].size, 12);
    }
}
