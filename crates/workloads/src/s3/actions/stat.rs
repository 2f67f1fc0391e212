//! HeadObject.

use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment};
use tenbin_plan::S3Operation;

use super::each::{Each, OneRequest};
use crate::s3::action::{ActionKind, Layout};
use crate::s3::choose::Chooser;
use crate::s3::desk::Desk;
use crate::s3::scribe::Ask;

pub(crate) const KIND: ActionKind = ActionKind {
    operation: S3Operation::Stat,
    layout: Layout::Objects,
    probe: None,
    make: |setting| Box::new(Each::new(Chooser::of_things(setting), Stat)),
};

/// In [`Exchange::note`]: the object has another size, or none that is told.
const WRONG: u64 = 1;

/// Looks at objects, or versions of them, without reading them.
struct Stat;

impl OneRequest for Stat {
    const NAMES: &'static [&'static str] = &["STAT"];

    fn ask(&mut self, desk: &mut Desk, now: Moment, exchange: &mut Exchange) {
        let object = desk.object_of(exchange.tag);
        let bucket = desk.place.bucket_of(object);
        desk.ask_version(exchange.tag);
        exchange.bodyless_answer = true;
        let ask = Ask {
            query: &desk.query,
            standing: &desk.standing.read,
            ..Ask::plain("HEAD", bucket, desk.path.of(bucket, object))
        };
        desk.scribe.write(exchange, now.unix_seconds, &ask);
    }

    fn head(&mut self, desk: &mut Desk, exchange: &mut Exchange, head: &AnswerHead<'_>) -> BodyUse {
        let size = desk.content.size(exchange.tag);
        if head.status == 200 && head.length != Some(size) {
            exchange.note = WRONG;
        }
        desk.refusals.head(exchange, head)
    }

    fn judge(
        &mut self,
        desk: &mut Desk,
        exchange: &mut Exchange,
        status: u16,
        _length: u64,
    ) -> Judgement {
        match status {
            200 if exchange.note == WRONG => {
                Judgement::Failed(ErrorClass::Wrong, "another size, or none".to_owned())
            }
            200 => Judgement::Correct,
            _ => desk.refusals.failed(exchange),
        }
    }
}
