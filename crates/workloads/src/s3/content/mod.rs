//! Content of objects, determined by the seed and the number of the object, so that every byte of
//! every response can be checked.
//!
//! All objects share one pool of random bytes. The number of an object selects one of a few
//! *bodies*: ranges of the pool at different offsets. Bodies are sent by reference, their hashes
//! are computed before the run, and responses are checked by comparing memory. If sizes differ, the
//! sizes of the bodies approximate the configured distribution.
//!
//! Unique content for every object is generated for each request, without a pool.
//!
//! Each time an object is overwritten, its content changes. A *number* then identifies an object
//! and its *generation*: how many times the object has been overwritten.

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
use tenbin_engine::equal;
use tenbin_plan::{Checksum, Sizes};

use self::chunked::CHUNK;
pub use self::chunked::Framing;
pub(crate) use self::numbers::{generation_of, number, object_of};
use self::parts::Parts;
pub use self::recipe::Recipe;
use self::unique::Unique;
use crate::rng::{Rng, mix};
use crate::text::hex;

/// Maximum number of bodies for small objects of one size.
const MOST_BODIES: u64 = 64;

/// Minimum number of bodies, even for the largest objects, so that a server that mixes up objects
/// is detected.
const FEWEST_BODIES: u64 = 2;

/// Maximum number of bodies for objects of several sizes.
const MOST_SIZES: u64 = 512;
const FEWEST_SIZES: u64 = 32;

/// Maximum number of bytes that are hashed before a run. The minimum number of bodies can exceed
/// this limit.
const HASHED_BYTES: u64 = 256 << 20;

/// Distance between the bodies in the pool: a prime slightly above 4 KiB, so that bodies share no
/// block on a server with deduplication.
const STRIDE: usize = 4099;

/// Minimum total size of the bodies, bytes, for which hashing runs in parallel.
const PARALLEL_BYTES: usize = 8 << 20;

/// Number of bodies per size if sizes differ and objects are overwritten or have versions:
/// consecutive generations and versions of an object use different bodies.
const VARIANTS: usize = 4;

/// Maximum number of generations of unique content that a response is compared with. All
/// generations differ; the maximum only limits the search.
const UNIQUE_GENERATIONS: u64 = 1000;

/// The content of all objects of a workload: the content of each object is one of the bodies,
/// unless content is unique.
pub struct Content {
    /// The random bytes of all bodies; empty if content is generated for each request.
    pool: Vec<u8>,
    /// Generator of unique content, if used.
    unique: Option<Unique>,
    /// Number of consecutive bodies of each size, between which the generations and versions of an
    /// object alternate; 1 if all objects have one size, because they then alternate between all
    /// bodies.
    variants: usize,
    /// One value per size, if sizes differ: an object has the first size whose value is at least
    /// the hash of the object's number.
    up_to: Vec<u64>,
    /// Whether SHA-256 hashes are needed.
    hashed: bool,
    framing: Framing,
    /// Length of each body, bytes; body `n`, from 0, starts at offset `n` × [`STRIDE`] of the pool.
    sizes: Vec<usize>,
    /// The one size that all bodies have, bytes; `None` if sizes differ.
    only: Option<u64>,
    /// Number of objects, if each has several versions.
    versioned_objects: Option<NonZero<u64>>,
    salt: u64,
    /// Hexadecimal SHA-256 by body; empty if payloads are not signed.
    hashes: Vec<[u8; 64]>,
    /// Checksums by body, as in headers; empty without a checksum.
    checksums: Vec<String>,
    /// Hexadecimal SHA-256 by body and chunk; empty without signed chunks.
    chunk_hashes: Vec<Vec<[u8; 64]>>,
    /// Framed bodies with trailing checksum; empty without a trailer.
    framed: Vec<Vec<u8>>,
    /// The pool as a file in memory, for `sendfile`.
    file: Option<OwnedFd>,
    parts: Parts,
    /// Sizes by object, bytes, if the objects existed before the run.
    found: Option<Arc<[u64]>>,
}

impl Content {
    /// Creates the pool and the hashes that `recipe` needs.
    pub fn new(seed: u64, recipe: &Recipe) -> Self {
        let only = recipe.sizes.only();
        let variants = match only {
            None if recipe.rewritten || recipe.versioned_objects.is_some() => VARIANTS,
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
            versioned_objects: recipe.versioned_objects,
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

    /// Content of objects that existed before the run: only the sizes are known.
    pub fn found(sizes: Arc<[u64]>) -> Self {
        Self {
            found: Some(sizes),
            ..Self::new(0, &Recipe::plain(0))
        }
    }

    /// The content of an object; empty if content is generated for each request.
    pub fn body(&self, number: u64) -> &[u8] {
        match self.unique {
            None => self.nth(self.index(number)),
            Some(_) => &[],
        }
    }

    /// Whether the content is known, and not only the sizes.
    pub(crate) fn is_known(&self) -> bool {
        self.found.is_none()
    }

    /// Whether content is generated for each request, by [`Content::write`].
    pub(crate) fn is_made(&self) -> bool {
        self.unique.is_some()
    }

    /// Replaces `out` with the content of an object.
    pub(crate) fn write(&self, number: u64, out: &mut Vec<u8>) {
        // `out` is not cleared first, so that existing bytes are overwritten but not filled with
        // zeros.
        out.resize(self.sizes[self.index(number)], 0);
        match self.unique {
            None => out.copy_from_slice(self.body(number)),
            Some(unique) => unique.fill(number, 0, out),
        }
    }

    /// Replaces `out` with a part of the content of an object. Only for unique content.
    pub(crate) fn write_part(&self, number: u64, offset: u64, length: usize, out: &mut Vec<u8>) {
        out.resize(length, 0);
        if let Some(unique) = self.unique {
            unique.fill(number, offset, out);
        }
    }

    /// Hexadecimal SHA-256 of each chunk of [`Content::body`], if requested.
    pub(crate) fn chunk_hashes(&self, number: u64) -> Option<&[[u8; 64]]> {
        self.chunk_hashes.get(self.index(number)).map(Vec::as_slice)
    }

    /// [`Content::body`] with its trailing checksum, if requested.
    pub(crate) fn framed(&self, number: u64) -> Option<&[u8]> {
        self.framed.get(self.index(number)).map(Vec::as_slice)
    }

    /// Whether the contents that the numbers `one` and `other` identify are equal in the range
    /// `stretch`, which must lie within both contents.
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

    /// Number of generations of an object that a response is compared with. Without unique content,
    /// later generations repeat the content of earlier generations.
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

    /// Framing of bodies.
    pub(crate) fn framing(&self) -> Framing {
        self.framing
    }

    /// The SHA-256 of generated content, if requested.
    pub(crate) fn hash_made(&self, made: &[u8]) -> Option<[u8; 64]> {
        self.hashed.then(|| sha256(made))
    }

    /// Hexadecimal SHA-256 of [`Content::body`], if requested.
    pub fn hash(&self, object: u64) -> Option<&[u8; 64]> {
        self.hashes.get(self.index(object))
    }

    /// The checksum of [`Content::body`] as in headers, if requested.
    pub fn checksum(&self, object: u64) -> Option<&str> {
        self.checksums.get(self.index(object)).map(String::as_str)
    }

    /// Whether `part` is the content of the object from `offset` on.
    pub fn matches(&self, object: u64, offset: u64, part: &[u8]) -> bool {
        if let Some(unique) = self.unique {
            let end = offset.checked_add(part.len() as u64);
            return end.is_some_and(|end| end <= self.size(object))
                && unique.matches(object, offset, part);
        }
        usize::try_from(offset)
            .ok()
            .and_then(|from| self.body(object).get(from..from.checked_add(part.len())?))
            .is_some_and(|expected| equal(expected, part))
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

    /// Index of the body of an object. Numbers are hashed, so that a server that confuses objects
    /// at a fixed distance is also detected. Consecutive generations and versions of an object have
    /// different bodies of the same size.
    fn index(&self, number: u64) -> usize {
        let (bodies, variants) = (self.sizes.len() as u64, self.variants as u64);
        let thing = object_of(number);
        let (object, version) = match self.versioned_objects {
            Some(objects) => (thing % objects, thing / objects),
            None => (thing, 0),
        };
        let object = mix(object ^ self.salt);
        let turn = generation_of(number) + version;
        let index = match self.only {
            Some(_) if turn == 0 => object % bodies,
            Some(_) => (object % bodies + turn) % bodies,
            None => {
                let body = self.up_to.partition_point(|&up_to| up_to < object);
                let last = bodies / variants - 1;
                (body as u64).min(last) * variants + turn % variants
            }
        };
        index as usize
    }

    fn nth(&self, index: usize) -> &[u8] {
        &self.pool[index * STRIDE..][..self.sizes[index]]
    }

    /// The result of `make` for each body, computed on all cores if the bodies have at least
    /// [`PARALLEL_BYTES`] in total.
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

/// Number of bodies: for one size, up to [`MOST_BODIES`], and fewer for large objects; for several
/// sizes, enough to approximate their distribution.
fn bodies(sizes: &Sizes) -> usize {
    let most = HASHED_BYTES / sizes.typical().max(1);
    let bodies = match sizes.only() {
        Some(_) => most.clamp(FEWEST_BODIES, MOST_BODIES),
        None => most.clamp(FEWEST_SIZES, MOST_SIZES),
    };
    bodies as usize
}

/// [`Content::up_to`]: the cumulative share of each size, scaled to the range of hash values.
fn up_to(bodies: &[sizes::Body]) -> Vec<u64> {
    let mut sum = 0.0;
    let ends = bodies.iter().map(|body| {
        sum += body.share;
        // A sum of 1 becomes `u64::MAX`.
        (sum * u64::MAX as f64) as u64
    });
    ends.collect()
}

fn sha256(bytes: &[u8]) -> [u8; 64] {
    hex(&Sha256::digest(bytes).into())
}

#[cfg(test)]
mod tests;
