//! What objects contain: bytes that follow from the seed and the object's
//! number, so that every byte of every answer can be checked.
//!
//! All objects share one pool of random bytes. An object is one of a few *bodies*,
//! each a stretch of the pool from another offset; which one follows from its
//! number. So a body is sent by reference, its hash is known beforehand, and an answer
//! is checked by comparing memory. Where sizes differ, the bodies are a likeness of
//! their distribution, and each stands for its share of the objects.
//!
//! Where every object is to have content of its own, there is no pool, and content is
//! made while it is sent.
//!
//! Where objects are written over, each time with other content, a *number* stands for
//! an object and how often it has been written over: its generation.

pub(crate) mod checksum;
pub(crate) mod chunked;
mod in_memory;
mod numbers;
mod parts;
mod recipe;
mod sizes;
pub(crate) mod unique;

use std::num::NonZero;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread;

use sha2::{Digest, Sha256};
use tenbin_plan::{Checksum, Sizes};

use self::chunked::CHUNK;
pub use self::chunked::Framing;
pub(crate) use self::numbers::{generation_of, number, object_of};
use self::parts::Parts;
pub use self::recipe::Recipe;
use self::unique::Unique;
use crate::rng::{Rng, mix};
use crate::text::hex;

/// Bodies of small objects of one size.
const MOST_BODIES: u64 = 64;

/// Even the largest objects come in two kinds, or a server that mixes them up
/// would go unseen.
const FEWEST_BODIES: u64 = 2;

/// Bodies of objects of several sizes.
const MOST_SIZES: u64 = 512;
const FEWEST_SIZES: u64 = 32;

/// Bytes to hash before a run, at most, where the fewest bodies allow it.
const HASHED_BYTES: u64 = 256 << 20;

/// Pool bytes from one body to the next: a prime just above 4 KiB, so that bodies
/// share no block with a server that stores equal blocks once.
const STRIDE: usize = 4099;

/// Below this, hashing in parallel costs more than it saves.
const PARALLEL_BYTES: usize = 8 << 20;

/// Bodies of each size for the generations of an object, where sizes differ.
const VARIANTS: usize = 4;

/// Generations of unique content that are looked through: all are different, and this
/// is only how far back it is worth looking.
const UNIQUE_GENERATIONS: u64 = 1000;

/// The content of all objects of a workload: each object is one of the bodies.
pub struct Content {
    /// Empty where content is made while it is sent.
    pool: Vec<u8>,
    /// What makes content while it is sent, if it is.
    unique: Option<Unique>,
    /// Bodies that follow each other for the generations of an object; 1 where all
    /// bodies do.
    variants: usize,
    /// By body, where sizes differ: up to which number, drawn evenly from all there are,
    /// an object is that body.
    up_to: Vec<u64>,
    /// Whether the SHA-256 of what is sent is wanted.
    hashed: bool,
    framing: Framing,
    /// Each body's length; the `n`-th begins [`STRIDE`] bytes behind the one before.
    sizes: Vec<usize>,
    /// The size of all, if there is but one.
    only: Option<u64>,
    salt: u64,
    /// Of each body; empty when payloads are not signed.
    hashes: Vec<[u8; 64]>,
    /// Of each body, as headers have them; empty without a checksum.
    checksums: Vec<String>,
    /// Of each chunk of each body; empty without such chunks.
    chunk_hashes: Vec<Vec<[u8; 64]>>,
    /// Each body with its checksum behind it; empty where it does not stand there.
    framed: Vec<Vec<u8>>,
    /// The pool as a file in memory, for the kernel to send from.
    file: Option<OwnedFd>,
    parts: Parts,
    /// By object, where the content is not ours and only its size is known.
    found: Option<Arc<[u64]>>,
}

impl Content {
    /// Makes the pool and everything that is wanted of each body.
    pub fn new(seed: u64, recipe: &Recipe) -> Self {
        let only = recipe.sizes.only();
        let variants = match only {
            None if recipe.rewritten => VARIANTS,
            _ => 1,
        };
        let bodies = sizes::bodies(&recipe.sizes, bodies(&recipe.sizes));
        let sizes: Vec<usize> = bodies
            .iter()
            .flat_map(|body| std::iter::repeat_n(body.size, variants))
            .collect();
        let mut content = Self {
            pool: Vec::new(),
            unique: recipe
                .unique
                .then(|| Unique::new(seed, recipe.compressible)),
            up_to: up_to(&bodies),
            variants,
            hashed: recipe.hashed,
            framing: recipe.framing,
            only,
            sizes,
            salt: mix(seed),
            hashes: Vec::new(),
            checksums: Vec::new(),
            chunk_hashes: Vec::new(),
            framed: Vec::new(),
            file: None,
            parts: Parts::of_size(recipe.part_size),
            found: None,
        };
        if !recipe.unique {
            content.fill_pool(seed, recipe);
        }
        content
    }

    fn fill_pool(&mut self, seed: u64, recipe: &Recipe) {
        let sizes = self.sizes.iter().enumerate();
        let ends = sizes.map(|(at, size)| at * STRIDE + size);
        self.pool = vec![0; ends.max().unwrap_or(0)];
        Rng::new(seed, &[crate::rng::name_number("content")]).fill(&mut self.pool);
        unique::make_compressible(&mut self.pool, STRIDE, recipe.compressible);
        if recipe.part_size.is_some() {
            self.cut(recipe);
        }
        if recipe.hashed && recipe.whole {
            self.hashes = self.of_each(sha256);
        }
        if recipe.checksum != Checksum::None && recipe.whole {
            self.checksums = self.of_each(|body| checksum::of(recipe.checksum, body));
        }
        match (recipe.framing, checksum::header(recipe.checksum)) {
            (Framing::Signed, _) => {
                self.chunk_hashes = self.of_each(|body| body.chunks(CHUNK).map(sha256).collect());
            }
            (Framing::Trailer, Some(name)) => {
                let sums = self.checksums.iter().enumerate();
                self.framed = sums
                    .map(|(index, sum)| chunked::with_trailer(self.nth(index), name, sum))
                    .collect();
            }
            _ => {}
        }
    }

    /// Of objects that somebody else has put: by object, how large they are. Nothing
    /// else of them is known.
    pub fn found(sizes: Arc<[u64]>) -> Self {
        Self {
            found: Some(sizes),
            ..Self::new(0, &Recipe::plain(0))
        }
    }

    /// The content of an object; empty where it is made while it is sent.
    pub fn body(&self, number: u64) -> &[u8] {
        match self.unique {
            None => self.nth(self.index(number)),
            Some(_) => &[],
        }
    }

    /// Whether content is made while it is sent, by [`Content::write`].
    pub(crate) fn is_made(&self) -> bool {
        self.unique.is_some()
    }

    /// Makes the content of an object over what `out` held.
    pub(crate) fn write(&self, number: u64, out: &mut Vec<u8>) {
        // Not cleared before: what is there is written over, not filled first.
        out.resize(self.sizes[self.index(number)], 0);
        match self.unique {
            None => out.copy_from_slice(self.body(number)),
            Some(unique) => unique.fill(number, 0, out),
        }
    }

    /// Makes a part of the content of an object over what `out` held. Only where every
    /// object has content of its own.
    pub(crate) fn write_part(&self, number: u64, offset: u64, length: usize, out: &mut Vec<u8>) {
        out.resize(length, 0);
        if let Some(unique) = self.unique {
            unique.fill(number, offset, out);
        }
    }

    /// Hexadecimal SHA-256 of each chunk of [`Content::body`], if these were asked for.
    pub(crate) fn chunk_hashes(&self, number: u64) -> Option<&[[u8; 64]]> {
        self.chunk_hashes.get(self.index(number)).map(Vec::as_slice)
    }

    /// [`Content::body`] with its checksum behind it, if that was asked for.
    pub(crate) fn framed(&self, number: u64) -> Option<&[u8]> {
        self.framed.get(self.index(number)).map(Vec::as_slice)
    }

    /// Whether two contents have the same bytes in a stretch that both have.
    pub(crate) fn alike(&self, one: u64, other: u64, stretch: Range<u64>) -> bool {
        match self.unique {
            Some(unique) => unique.alike(one, other, stretch),
            None => {
                let (from, to) = (stretch.start as usize, stretch.end as usize);
                let part = |number| self.body(number).get(from..to);
                part(one) == part(other)
            }
        }
    }

    /// How many generations of an object have different contents, at most: after so
    /// many the first comes again.
    pub(crate) fn generations(&self) -> u64 {
        let bodies = match self.only {
            Some(_) => self.sizes.len(),
            None => self.variants,
        };
        match self.unique {
            Some(_) => UNIQUE_GENERATIONS,
            None => bodies as u64,
        }
    }

    /// How bodies are framed for sending.
    pub(crate) fn framing(&self) -> Framing {
        self.framing
    }

    /// The SHA-256 of content that was made just now, if such hashes were asked for.
    pub(crate) fn hash_made(&self, made: &[u8]) -> Option<[u8; 64]> {
        self.hashed.then(|| sha256(made))
    }

    /// Hexadecimal SHA-256 of [`Content::body`], if it was asked for.
    pub fn hash(&self, object: u64) -> Option<&[u8; 64]> {
        self.hashes.get(self.index(object))
    }

    /// The checksum of [`Content::body`] as headers have it, if it was asked for.
    pub fn checksum(&self, object: u64) -> Option<&str> {
        self.checksums.get(self.index(object)).map(String::as_str)
    }

    /// Whether `part` is what the object contains from `offset` on.
    pub fn matches(&self, object: u64, offset: u64, part: &[u8]) -> bool {
        if let Some(unique) = self.unique {
            let end = offset.checked_add(part.len() as u64);
            return end.is_some_and(|end| end <= self.size(object))
                && unique.matches(object, offset, part);
        }
        usize::try_from(offset)
            .ok()
            .and_then(|from| self.body(object).get(from..from.checked_add(part.len())?))
            == Some(part)
    }

    /// Size of an object, bytes.
    pub fn size(&self, object: u64) -> u64 {
        match (&self.found, self.only) {
            (Some(found), _) => usize::try_from(object)
                .ok()
                .and_then(|object| found.get(object).copied())
                .unwrap_or(0),
            (None, Some(size)) => size,
            (None, None) => self.sizes[self.index(object)] as u64,
        }
    }

    /// Which body an object is. Mixed, so that servers which confuse objects a fixed
    /// distance apart are found out as well. Generations that follow each other are
    /// different bodies of the same size.
    fn index(&self, number: u64) -> usize {
        let (bodies, variants) = (self.sizes.len() as u64, self.variants as u64);
        let object = mix(object_of(number) ^ self.salt);
        let generation = generation_of(number);
        let index = match self.only {
            Some(_) if generation == 0 => object % bodies,
            Some(_) => (object % bodies + generation) % bodies,
            None => {
                let body = self.up_to.partition_point(|&up_to| up_to < object);
                let last = bodies / variants - 1;
                (body as u64).min(last) * variants + generation % variants
            }
        };
        index as usize
    }

    fn nth(&self, index: usize) -> &[u8] {
        &self.pool[index * STRIDE..][..self.sizes[index]]
    }

    /// What `make` makes of each body; on all cores where there is much to do.
    fn of_each<T: Send>(&self, make: impl Fn(&[u8]) -> T + Sync) -> Vec<T> {
        let indices: Vec<usize> = (0..self.sizes.len()).collect();
        let bytes: usize = self.sizes.iter().sum();
        if bytes < PARALLEL_BYTES {
            return indices.iter().map(|&index| make(self.nth(index))).collect();
        }
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let make = &make;
        thread::scope(|scope| {
            let makers: Vec<_> = indices
                .chunks(indices.len().div_ceil(threads))
                .map(|share| {
                    let own = move || share.iter().map(|&index| make(self.nth(index)));
                    scope.spawn(move || own().collect::<Vec<_>>())
                })
                .collect();
            makers
                .into_iter()
                .flat_map(|maker| maker.join().expect("hashing cannot panic"))
                .collect()
        })
    }
}

/// How many bodies there are: a few dozen of one size, fewer if they are large; and
/// enough of several sizes to be a likeness of their distribution.
fn bodies(sizes: &Sizes) -> usize {
    let most = HASHED_BYTES / sizes.typical().max(1);
    let bodies = match sizes.only() {
        Some(_) => most.clamp(FEWEST_BODIES, MOST_BODIES),
        None => most.clamp(FEWEST_SIZES, MOST_SIZES),
    };
    bodies as usize
}

/// Up to which number, drawn evenly from all there are, each body reaches.
fn up_to(bodies: &[sizes::Body]) -> Vec<u64> {
    let mut sum = 0.0;
    let ends = bodies.iter().map(|body| {
        sum += body.share;
        // Rounds to the largest of all for 1.
        (sum * u64::MAX as f64) as u64
    });
    ends.collect()
}

fn sha256(bytes: &[u8]) -> [u8; 64] {
    hex(&Sha256::digest(bytes).into())
}

#[cfg(test)]
mod tests;
