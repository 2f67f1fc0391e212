//! Whether a listing gets anywhere: a server that says "more" for ever, with a fresh
//! token each time, must not keep anybody for ever.

use std::collections::HashSet;

use crate::rng::name_number;

/// Pages that bring nothing new although more are to follow, of one listing, at most. A
/// server may pass over what has been deleted without a word (Amazon S3 API reference,
/// "ListObjectsV2": fewer keys than asked for, never more).
const MOST_BARREN: u32 = 300;

/// Pages with fewer than [`THIN`] keys although more are to follow, of one listing, at most:
/// a thousand keys a page are asked for.
const MOST_THIN: u32 = 1000;
/// Keys of a page below which it hardly brings anything.
const THIN: usize = 10;

/// Pages of one listing, at most: two hundred million keys.
const MOST_PAGES: u32 = 200_000;

/// How far a listing of one bucket has come.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// First and last of each page, as numbers: keys may be long, and all of them too
    /// many to remember.
    seen: HashSet<u64>,
    barren: u32,
    thin: u32,
    pages: u32,
}

impl Progress {
    /// Takes a page down that says that more follow; false if it is hopeless to go on.
    pub(crate) fn goes_on<'a>(&mut self, names: impl Iterator<Item = &'a str>) -> bool {
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

    /// Pages until it is given up, of ten thousand.
    fn pages(page: impl Fn(u32) -> Vec<String>) -> Option<u32> {
        let mut progress = Progress::default();
        (1..10_000).find(|&at| !progress.goes_on(page(at).iter().map(String::as_str)))
    }

    #[test]
    fn what_brings_nothing_new_is_given_up_and_nothing_else() {
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
            progress.goes_on(keys.iter().map(String::as_str).chain([fresh.as_str()]))
        };
        assert!((1..MOST_PAGES).all(|_| page()));
        assert!(!page());
    }
}
