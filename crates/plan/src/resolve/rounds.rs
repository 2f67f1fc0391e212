//! How slices follow each other.

use std::time::Duration;

use super::comparing::{self, Shape};
use crate::comparing::Until;
use crate::desk::Desk;
use crate::draft::RoundsDraft;
use crate::duration::Time;
use crate::names::Named as _;
use crate::problem::Place;
use crate::questions::blocks_that_tell;
use crate::relaunch::Relaunch;
use crate::rounds::Rounds;
use crate::scalar::Field;
use crate::scalar::Scalar;
use crate::schedule::rounds_per_block;

const DEFAULT_SLICE: Duration = Duration::from_secs(2);
const DEFAULT_SLICE_OF_MANY: Duration = Duration::from_secs(1);
const DEFAULT_GAP: Duration = Duration::from_millis(200);
const DEFAULT_WARMUP: Duration = Duration::from_secs(2);
const LONGEST_DEFAULT_LEAD: Duration = Duration::from_millis(500);
const SHORTEST_SLICE: Duration = Duration::from_millis(100);
const MOST_ROUNDS: u64 = 100_000;

/// The most rounds of a run that ends by precision, as a multiple of the fewest.
const USUAL_MOST: u32 = 8;

pub(super) fn resolve(desk: &mut Desk<'_>, draft: &RoundsDraft, shape: &Shape) -> Rounds {
    let targets = shape.targets;
    let block = shape.block();
    let asked = asked_rounds(desk, "count", &draft.count);
    let slice = desk.read("slice", &draft.slice, slice_length);
    let duration = desk.read("duration", &draft.duration, Scalar::time);
    if let (Some(asked), Some(slice), Some(duration)) = (asked, slice, duration) {
        check_agreement(desk, place(&draft.duration), asked, slice, duration);
    }
    let count = asked.map(|asked| asked.next_multiple_of(block));
    let (count, slice) = match (count, slice, duration) {
        (count, Some(slice), Some(duration)) => {
            (count.unwrap_or(blocks_in(duration, slice, block)), slice)
        }
        (count, None, Some(duration)) => {
            let count = count.unwrap_or_else(|| match targets {
                0..=2 => default_count(shape),
                _ => default_count(shape).min(whole_blocks_within(duration, block)),
            });
            let slice = duration / count;
            if slice < SHORTEST_SLICE {
                desk.wrong(
                    place(&draft.duration),
                    "duration",
                    too_short(duration, count),
                );
            }
            (count, slice)
        }
        (count, slice, None) => (
            count.unwrap_or(default_count(shape)),
            slice.unwrap_or(default_slice(shape)),
        ),
    };
    Rounds {
        count,
        asked: asked.filter(|asked| *asked < count),
        until: until(desk, draft, count, shape),
        slice,
        gap: desk
            .read("gap", &draft.gap, Scalar::time)
            .unwrap_or(DEFAULT_GAP),
        warmup: desk
            .read("warmup", &draft.warmup, Scalar::time)
            .unwrap_or(DEFAULT_WARMUP),
        relaunch: desk
            .read("relaunch", &draft.relaunch, relaunch)
            .unwrap_or_default(),
        lead: desk
            .read("lead", &draft.lead, Scalar::time)
            .unwrap_or((slice / 10).min(LONGEST_DEFAULT_LEAD)),
    }
}

/// As a name, or as `true` and `false`, which older plans say.
fn relaunch(scalar: &Scalar) -> Result<Relaunch, String> {
    match scalar.switch() {
        Ok(true) => Ok(Relaunch::Slice),
        Ok(false) => Ok(Relaunch::Never),
        Err(_) => scalar.choice(Relaunch::NAMES),
    }
}

fn default_count(shape: &Shape) -> u32 {
    if shape.compared == 0 {
        return usual_rounds(shape.targets, shape.questions);
    }
    // Eight blocks, or more where several questions share the 5 %.
    blocks_that_tell(shape.questions).max(8) * shape.block()
}

/// The rounds of a plan that names none: eight for one target and eight quads for two,
/// or more where several `questions` ([`Plan::questions`](crate::Plan::questions)) share the 5 %; for three targets and
/// more, the fewest blocks with which any difference can be shown.
pub fn usual_rounds(targets: usize, questions: usize) -> u32 {
    let least = blocks_that_tell(questions) * rounds_per_block(targets);
    match targets {
        0 | 1 => 8,
        2 => least.max(16),
        _ => least,
    }
}

/// The more targets, the more slices: shorter ones keep a run within minutes.
fn default_slice(shape: &Shape) -> Duration {
    match shape.targets {
        0..=2 => DEFAULT_SLICE,
        _ => DEFAULT_SLICE_OF_MANY,
    }
}

/// The rounds that a key asks for; not always whole blocks.
fn asked_rounds(desk: &mut Desk<'_>, key: &str, field: &Field) -> Option<u32> {
    let count = desk.read(key, field, |scalar| scalar.whole(1, MOST_ROUNDS))?;
    u32::try_from(count).ok()
}

/// When the run may end by precision, `count` being the fewest rounds.
fn until(desk: &mut Desk<'_>, draft: &RoundsDraft, count: u32, shape: &Shape) -> Option<Until> {
    let within = desk.read("until", &draft.until, comparing::precision);
    let most = asked_rounds(desk, "max_count", &draft.max_count);
    let most = most.map(|most| most.next_multiple_of(shape.block()));
    if draft.until.is_none() {
        if let Some(most) = &draft.max_count {
            desk.wrong(
                most.place,
                "max_count",
                "is for a run that ends by precision; say how precise its ratios must be, with \
                 until (--until)",
            );
        }
        return None;
    }
    if let Some(most) = most
        && most < count
    {
        desk.wrong(
            place(&draft.max_count),
            "max_count",
            format!("{most} is below the fewest rounds, {count}"),
        );
    }
    let block = shape.block();
    let limit = u32::try_from(MOST_ROUNDS).unwrap_or(u32::MAX) / block * block;
    Some(Until {
        within: within?,
        most: most.unwrap_or(count.saturating_mul(USUAL_MOST).min(limit).max(count)),
    })
}

/// As many whole blocks of slices as come nearest to `duration`, at least one.
fn blocks_in(duration: Duration, slice: Duration, block: u32) -> u32 {
    let blocks = duration.as_secs_f64() / slice.as_secs_f64() / f64::from(block);
    let most = u32::try_from(MOST_ROUNDS).unwrap_or(u32::MAX) / block;
    // The cast saturates, and what is beyond the limit is cut off.
    (blocks.round() as u32).clamp(1, most) * block
}

/// As many rounds of whole blocks as there is time for with the shortest slices, at
/// least one block.
fn whole_blocks_within(duration: Duration, block: u32) -> u32 {
    let rounds = duration.as_nanos() / SHORTEST_SLICE.as_nanos();
    let rounds = u32::try_from(rounds).unwrap_or(u32::MAX);
    (rounds / block).max(1) * block
}

fn slice_length(scalar: &Scalar) -> Result<Duration, String> {
    let slice = scalar.time()?;
    if slice < SHORTEST_SLICE {
        let shortest = Time(SHORTEST_SLICE);
        return Err(format!(
            "{} is too short for a slice; the shortest is {shortest}",
            Time(slice)
        ));
    }
    Ok(slice)
}

fn too_short(duration: Duration, count: u32) -> String {
    format!(
        "{} over {count} rounds makes slices of {}, and the shortest is {}; \
         give at least {}, or fewer rounds",
        Time(duration),
        Time(duration / count),
        Time(SHORTEST_SLICE),
        Time(SHORTEST_SLICE * count),
    )
}

fn check_agreement(
    desk: &mut Desk<'_>,
    place: Place,
    count: u32,
    slice: Duration,
    duration: Duration,
) {
    let product = slice.saturating_mul(count);
    if product != duration {
        desk.wrong(
            place,
            "duration",
            format!(
                "{} contradicts {count} rounds of {}, which make {}; leave one of the three out",
                Time(duration),
                Time(slice),
                Time(product),
            ),
        );
    }
}

fn place(field: &Field) -> Place {
    field.as_ref().map_or(Place::Nowhere, |field| field.place)
}
