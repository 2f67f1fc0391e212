//! DeleteObject.

use tenbin_engine::{Exchange, Judgement, Moment, Next};
use tenbin_plan::S3Operation;

use crate::s3::action::{Action, ActionKind, Layout, Setting};
use crate::s3::choose::Chooser;
use crate::s3::desk::Desk;
use crate::s3::scribe::Ask;
use crate::s3::versions;

pub(crate) const KIND: ActionKind = ActionKind {
    operation: S3Operation::Delete,
    layout: Layout::Objects,
    probe: None,
    make: |setting| Box::new(Delete::new(setting)),
};

/// Deletes every object, or every version of each, once; in a mix, those that PUT has
/// made there. [`Exchange::tag`] is the thing.
struct Delete {
    chooser: Chooser,
}

impl Delete {
    fn new(setting: &Setting<'_>) -> Self {
        Self {
            chooser: Chooser::each_once(setting),
        }
    }

    fn ask(desk: &mut Desk, now: Moment, exchange: &mut Exchange, object: u64) {
        let bucket = desk.place.bucket_of(object);
        let ask = Ask {
            query: &desk.query,
            ..Ask::plain("DELETE", bucket, desk.path.of(bucket, object))
        };
        desk.scribe.write(exchange, now.unix_seconds, &ask);
    }
}

/// The object that PUT made first, with its version in the desk's query.
fn fresh(desk: &mut Desk) -> Option<u64> {
    if desk.work.versions == 0 {
        return desk.fresh.pop_front();
    }
    let (object, id) = desk.fresh_versions.pop_front()?;
    versions::write_query(&mut desk.query, &id);
    Some(object)
}

impl Action for Delete {
    fn operations(&self) -> &'static [&'static str] {
        &["DELETE"]
    }

    fn next(&mut self, desk: &mut Desk, now: Moment, exchange: &mut Exchange) -> Next {
        let thing = match desk.mixed {
            true => fresh(desk),
            false => self.chooser.next(),
        };
        match thing {
            Some(thing) => exchange.tag = thing,
            None if desk.mixed => return Next::Wait,
            None => return Next::Exhausted,
        }
        if !desk.mixed {
            desk.ask_version(exchange.tag);
        }
        // In a mix PUT makes objects of its own, behind those with versions.
        let object = match desk.mixed {
            true => exchange.tag,
            false => desk.object_of(exchange.tag),
        };
        Self::ask(desk, now, exchange, object);
        Next::Ready
    }

    fn judge(
        &mut self,
        desk: &mut Desk,
        exchange: &mut Exchange,
        status: u16,
        _length: u64,
    ) -> Judgement {
        desk.refusals.judge_done(exchange, status)
    }
}
