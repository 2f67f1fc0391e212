//! Ends a listing that makes no progress: a server can announce more pages forever, each time with
//! a new token.

use std::collections::HashSet;

use crate::rng::name_number;

/// Maximum number of pages without a new key in one listing. A server that skips deleted objects
/// can send such pages (Amazon S3 API reference, "ListObjectsV2": a page can have fewer keys than
/// requested).
const MOST_BARREN: u32 = 300;

/// Maximum number of pages with fewer than [`THIN`] keys in one listing; each request asks for a
/// thousand keys.
const MOST_THIN: u32 = 1000;
/// Number of keys below which a page makes hardly any progress.
const THIN: usize = 10;

/// Maximum number of pages of one listing: two hundred million keys.
const MOST_PAGES: u32 = 200_000;

/// Progress of the listing of one bucket.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// Hashes of the first and last key of each page; hashes of all keys would need too much
    /// memory.
    seen: HashSet<u64>,
    barren: u32,
    thin: u32,
    pages: u32,
}

impl Progress {
    /// Records a page that announces more pages; returns false if the listing should end.
    pub(crate) fn makes_progress<'a>(&mut self, names: impl Iterator<Item = &'a str>) -> bool {
        let before = self.seen.len();
        let mut count = 0;
        let mut names = names.inspect(|_| count += 1);
        let ends = [names.next(), names.last()];
        self.thin += u32::from(count < THIN);
        self.seen
            .extend(ends.into_iter().flatten().map(name_number));
        self.pages += 1;
        self.barren += u32::from(self.seen.len() == before);
        self.barren < MOST_BARREN && self.thin < MOST_THIN && self.pages < MOST_PAGES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of pages after which a listing is ended; `None` if ten thousand pages are read.
    fn pages(page: impl Fn(u32) -> Vec<String>) -> Option<u32> {
        let mut progress = Progress::default();
        (1..10_000).find(|&at| !progress.makes_progress(page(at).iter().map(String::as_str)))
    }

    #[test]
    fn a_listing_without_progress_is_ended() {
        assert_eq!(pages(|_| Vec::new()), Some(MOST_BARREN));
        assert_eq!(pages(|_| vec!["a".into()]), Some(MOST_BARREN + 1));
        assert_eq!(
            pages(|at| vec![format!("k{}", at % 7)]),
            Some(MOST_BARREN + 7)
        );
        assert_eq!(pages(|at| vec![format!("k{at}")]), Some(MOST_THIN));
        let ten = |at| (0..10).map(|key| format!("k{at}-{key}")).collect();
        assert_eq!(pages(ten), None);
        assert_eq!(pages(|at| vec![format!("k{}", at / 50)]), Some(307));
    }

    #[test]
    fn a_listing_that_brings_new_keys_for_ever_is_given_up_too() {
        let mut progress = Progress::default();
        let keys: Vec<String> = (0..THIN).map(|key| format!("k{key}")).collect();
        let mut at = 0_u32;
        let mut page = || {
            at += 1;
            let fresh = at.to_string();
            progress.makes_progress(keys.iter().map(String::as_str).chain([fresh.as_str()]))
        };
        assert!((1..MOST_PAGES).all(|_| page()));
        assert!(!page());
    }
}
