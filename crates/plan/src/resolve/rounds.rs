//! Resolves the number and the length of slices.

use std::time::Duration;

use super::comparing::{self, Shape};
use crate::comparison::until::{Goal, Until};
use crate::draft::{
    Rounds, RoundsDraft,
    rounds::{MOST_ROUNDS, SHORTEST_SLICE},
};
use crate::keys::scalar::Field;
use crate::load::RateSearch;
use crate::plan::hypotheses::fewest_blocks;
use crate::plan::schedule::{FEWEST_OF_GATE, rounds_per_block};
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::units::duration::Time;
use crate::{Sentence, sentence};

const DEFAULT_SLICE: Duration = Duration::from_secs(2);
const DEFAULT_SLICE_OF_MANY: Duration = Duration::from_secs(1);
const LONGEST_DEFAULT_LEAD: Duration = Duration::from_millis(500);

/// Default maximum number of rounds of a run that ends by precision, as a multiple of the minimum.
const USUAL_MOST: u32 = 8;
/// Default maximum number of rounds of a gate.
const MOST_OF_GATE: u32 = 80;

pub(super) fn resolve(resolver: &mut Resolver<'_>, draft: &RoundsDraft, shape: &Shape) -> Rounds {
    let targets = shape.targets;
    let block = shape.block();
    let asked: Option<u32> = resolver.value(&RoundsDraft::count, &draft.count);
    let slice = resolver.value(&RoundsDraft::slice, &draft.slice);
    let duration = resolver.value(&RoundsDraft::duration, &draft.duration);
    if let (Some(asked), Some(slice), Some(duration)) = (asked, slice, duration) {
        check_agreement(resolver, place(&draft.duration), asked, slice, duration);
    }
    let count = asked.map(|asked| asked.next_multiple_of(block));
    let (count, slice) = match (count, slice, duration) {
        (count, slice, Some(duration)) if shape.only_searches => {
            let slice = slice_of_search(resolver, place(&draft.duration), duration, slice);
            (count.unwrap_or(default_count(shape)), slice)
        }
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
                resolver.wrong(
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
    let mut rounds = Rounds {
        count,
        asked: asked.filter(|asked| *asked < count),
        until: until(resolver, draft, count, shape),
        ..Rounds::default()
    };
    rounds.read_keys(resolver, draft);
    rounds.slice = slice;
    if draft.lead.is_none() {
        rounds.lead = (slice / 10).min(LONGEST_DEFAULT_LEAD);
    }
    rounds
}

/// The slice of maximum-rate searches that take at most `duration` for each target.
fn slice_of_search(
    resolver: &mut Resolver<'_>,
    place: Place,
    duration: Duration,
    slice: Option<Duration>,
) -> Duration {
    let longest = RateSearch::MOST_SLICES;
    if let Some(slice) = slice {
        let why = sentence!(
            "search-duration-and-slice",
            "a maximum-rate search takes at most {longest} slices, {time} with slices of {slice}; \
             set duration or slice, not both",
            longest,
            time = Time(slice * longest),
            slice = Time(slice)
        );
        resolver.wrong(place, "duration", why);
        return slice;
    }
    let slice = duration / longest;
    if slice < SHORTEST_SLICE {
        let why = sentence!(
            "search-too-short",
            "a maximum-rate search takes up to {longest} slices, and the shortest slice is \
             {shortest}; set at least {least}",
            longest,
            shortest = Time(SHORTEST_SLICE),
            least = Time(SHORTEST_SLICE * longest)
        );
        resolver.wrong(place, "duration", why);
    }
    slice
}

fn default_count(shape: &Shape) -> u32 {
    if shape.gate {
        return FEWEST_OF_GATE * shape.block();
    }
    if shape.compared == 0 {
        return default_rounds(shape.targets, shape.hypotheses);
    }
    // Eight blocks, or more if several hypotheses share the significance level of 5 %.
    fewest_blocks(shape.hypotheses).max(8) * shape.block()
}

/// The default number of rounds. One target: 8. Two targets: 16 (eight quads), or more if several
/// hypotheses ([`Plan::hypotheses`](crate::Plan::hypotheses)) share the significance level of 5 %.
/// Three or more targets: the rounds of the fewest blocks with which a difference can be
/// significant.
pub fn default_rounds(targets: usize, hypotheses: usize) -> u32 {
    let least = fewest_blocks(hypotheses) * rounds_per_block(targets);
    match targets {
        0 | 1 => 8,
        2 => least.max(16),
        _ => least,
    }
}

/// The default length of a slice: 2 s for one or two targets; 1 s for more, so that a run still
/// takes minutes, and for a gate, which looks after every block.
fn default_slice(shape: &Shape) -> Duration {
    match shape.targets {
        _ if shape.gate => DEFAULT_SLICE_OF_MANY,
        0..=2 => DEFAULT_SLICE,
        _ => DEFAULT_SLICE_OF_MANY,
    }
}

/// Resolves the precision or the gate at which the run can end; `count` is the minimum number of rounds.
fn until(
    resolver: &mut Resolver<'_>,
    draft: &RoundsDraft,
    count: u32,
    shape: &Shape,
) -> Option<Until> {
    let within = resolver.read("until", &draft.until, comparing::precision);
    let most: Option<u32> = resolver.value(&RoundsDraft::max_count, &draft.max_count);
    let most = most.map(|most| most.next_multiple_of(shape.block()));
    if draft.until.is_none() && !shape.gate {
        if let Some(most) = &draft.max_count {
            resolver.wrong(
                most.place,
                "max_count",
                sentence!(
                    "max-needs-until",
                    "requires until (--until), the precision at which the run ends, or a gate"
                ),
            );
        }
        return None;
    }
    if let Some(most) = most
        && most < count
    {
        resolver.wrong(
            place(&draft.max_count),
            "max_count",
            sentence!(
                "fewer-than-rounds",
                "{most} is below the minimum number of rounds, {count}",
                most,
                count
            ),
        );
    }
    let block = shape.block();
    let limit = u32::try_from(MOST_ROUNDS).unwrap_or(u32::MAX) / block * block;
    let (goal, usual) = match (within, shape.gate) {
        (Some(within), _) => (Goal::Precision(within), count.saturating_mul(USUAL_MOST)),
        (None, true) => (Goal::Gate, MOST_OF_GATE.next_multiple_of(block)),
        (None, false) => return None,
    };
    Some(Until {
        goal,
        most: most.unwrap_or(usual.min(limit).max(count)),
    })
}

/// The number of rounds, in whole blocks, whose slices of length `slice` add up to the time nearest
/// to `duration`; at least one block.
fn blocks_in(duration: Duration, slice: Duration, block: u32) -> u32 {
    let blocks = duration.as_secs_f64() / slice.as_secs_f64() / f64::from(block);
    let most = u32::try_from(MOST_ROUNDS).unwrap_or(u32::MAX) / block;
    // The cast saturates, and `clamp` applies the limit.
    (blocks.round() as u32).clamp(1, most) * block
}

/// The largest number of rounds, in whole blocks, that fit into `duration` with the shortest
/// slices; at least one block.
fn whole_blocks_within(duration: Duration, block: u32) -> u32 {
    let rounds = duration.as_nanos() / SHORTEST_SLICE.as_nanos();
    let rounds = u32::try_from(rounds).unwrap_or(u32::MAX);
    (rounds / block).max(1) * block
}

fn too_short(duration: Duration, count: u32) -> Sentence {
    sentence!(
        "slices-too-short",
        "{duration} over {count} rounds makes slices of {slice}, and the shortest slice is \
            {shortest_slice}; set at least {least}, or fewer rounds",
        duration = Time(duration),
        count,
        slice = Time(duration / count),
        shortest_slice = Time(SHORTEST_SLICE),
        least = Time(SHORTEST_SLICE * count)
    )
}

fn check_agreement(
    resolver: &mut Resolver<'_>,
    place: Place,
    count: u32,
    slice: Duration,
    duration: Duration,
) {
    let product = slice.saturating_mul(count);
    if product != duration {
        resolver.wrong(
            place,
            "duration",
            sentence!(
                "duration-contradicts",
                "{duration} contradicts {count} rounds of {slice}, which make {product}; leave \
                 one of the three out",
                duration = Time(duration),
                count,
                slice = Time(slice),
                product = Time(product)
            ),
        );
    }
}

fn place(field: &Field) -> Place {
    field.as_ref().map_or(Place::Nowhere, |field| field.place)
}
