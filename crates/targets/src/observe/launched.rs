//! What Tenbin launched: everything below its guard.

use super::processes::{Observer, Root};
use super::{Kind, Lost, Source, Subject};
use crate::usage::{Depth, Usage};

pub(super) struct Launched;

impl Kind for Launched {
    fn open(&self, subject: &Subject<'_>) -> Option<Result<Box<dyn Source>, String>> {
        if subject.observe.is_some() {
            return None;
        }
        let observer = Observer::new(Root::Guard(subject.guard?));
        Some(Ok(Box::new(Tree(observer))))
    }
}

#[derive(Debug)]
struct Tree(Observer);

impl Source for Tree {
    fn look(&mut self, depth: Depth) -> Result<Usage, Lost> {
        self.0.usage(depth).ok_or(Lost::Ended)
    }

    fn is_here(&self) -> bool {
        true
    }
}
