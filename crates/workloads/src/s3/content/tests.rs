//! Tests of content.

use proptest::prelude::*;

use super::*;

fn plain(size: u64) -> Recipe {
    Recipe::plain(size)
}

#[test]
fn parts_make_up_the_body_and_have_sums_of_their_own() {
    for (size, expected) in [(0, 1), (1, 1), (1000, 1), (1001, 2), (2500, 3)] {
        let recipe = Recipe {
            hashed: true,
            checksum: Checksum::Crc32c,
            part_size: Some(1000),
            ..plain(size)
        };
        let content = Content::new(5, &recipe);
        for object in 0..5 {
            let parts = content.parts(object);
            assert_eq!((parts, content.most_parts()), (expected, expected));
            let mut whole = Vec::new();
            for at in 0..parts {
                let part = content.part(object, at);
                assert_eq!(content.start_of(at), whole.len());
                whole.extend_from_slice(part);
                let hash = hex(&Sha256::digest(part).into());
                assert_eq!(content.part_hash(object, at), Some(&hash));
                let sum = checksum::of(Checksum::Crc32c, part);
                assert_eq!(content.part_checksum(object, at), Some(sum.as_str()));
            }
            assert_eq!(whole, content.body(object));
            assert_eq!(content.part(object, parts), b"");
            assert!(content.part_hash(object, parts).is_none());
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn large_parts_are_sent_from_the_file() {
    let recipe = Recipe {
        part_size: Some(40_000),
        ..plain(100_000)
    };
    let content = Content::new(3, &recipe).sent_from_file();
    for (object, part) in [(1, 0), (1, 1), (2, 1)] {
        let place = content.part_in_file(object, part).unwrap();
        let mut found = vec![0; 40_000];
        rustix::io::pread(place.file, &mut found, place.offset).unwrap();
        assert_eq!(found, content.part(object, part));
    }
    assert!(content.part_in_file(1, 2).is_none(), "20,000 bytes are few");
}

#[test]
fn existing_objects_have_known_sizes() {
    let content = Content::found([5, 0, 7].into());
    let sizes: Vec<u64> = (0..4).map(|object| content.size(object)).collect();
    assert_eq!(sizes, [5, 0, 7, 0]);
}

fn hashed(size: u64) -> Recipe {
    Recipe {
        hashed: true,
        ..plain(size)
    }
}

#[test]
fn sizes_have_the_configured_distribution_and_are_known_for_every_object() {
    let recipe = Recipe {
        sizes: "1KiB:3,10KiB:1".parse().unwrap(),
        checksum: Checksum::Crc32c,
        ..plain(0)
    };
    let content = Content::new(5, &recipe);
    let small = (0..10_000)
        .filter(|&object| content.size(object) == 1024)
        .count();
    assert!((7_200..7_800).contains(&small), "{small}");
    for object in 0..100 {
        assert_eq!(content.size(object), content.body(object).len() as u64);
        let sum = checksum::of(Checksum::Crc32c, content.body(object));
        assert_eq!(content.checksum(object), Some(sum.as_str()));
    }
}

#[test]
fn rare_sizes_have_the_configured_share() {
    for (sizes, rare, share) in [
        ("1KiB:9995,100KiB:5", 100 << 10, 0.0005),
        ("1KiB:99,64KiB:1", 64 << 10, 0.01),
    ] {
        for rewritten in [false, true] {
            let recipe = Recipe {
                sizes: sizes.parse().unwrap(),
                rewritten,
                unique: true,
                ..plain(0)
            };
            let content = Content::new(5, &recipe);
            let all = 2_000_000;
            let of_size = |&object: &u64| content.size(object) == rare;
            let seen = (0..all).filter(of_size).count() as f64;
            let expected = all as f64 * share;
            // Six standard deviations of a draw.
            let off = 6.0 * expected.sqrt();
            assert!((seen - expected).abs() < off, "{sizes}: {seen} of {all}");
        }
    }
}

#[test]
fn large_objects_have_the_configured_share_with_few_bodies() {
    let sizes = "8MiB:99,64MiB:1".parse().unwrap();
    let bodies = sizes::bodies(&sizes, bodies(&sizes));
    assert!(bodies.len() <= 33);
    let share = up_to(&bodies)[bodies.len() - 2] as f64 / u64::MAX as f64;
    assert!((share - 0.99).abs() < 1e-9, "{share}");
}

#[test]
fn content_has_the_configured_compressibility() {
    let recipe = Recipe {
        compressible: 30,
        ..plain(100_000)
    };
    let content = Content::new(5, &recipe);
    let same = content.body(1).iter().filter(|&&byte| byte == b'~').count();
    assert!((29_500..30_700).contains(&same), "{same}");
    for (percent, size) in [
        (30, 100_000),
        (50, 1000),
        (50, 4096),
        (80, 300),
        (80, 1 << 20),
    ] {
        let recipe = Recipe {
            compressible: percent,
            ..plain(size)
        };
        let content = Content::new(5, &recipe);
        let packed = zstd::bulk::compress(content.body(1), 3).unwrap().len() as f64;
        let taken = 100.0 * (1.0 - packed / size as f64);
        let off = (taken - f64::from(percent)).abs();
        // The compressed frame and one match per range take some bytes.
        let most = 5.0 + 4000.0 / size as f64;
        assert!(off < most, "{percent} % of {size}: {taken:.1} %");
    }
}

#[test]
fn bodies_of_small_objects_that_compress_are_all_different() {
    for size in [8, 300, 1000, 5000] {
        let recipe = Recipe {
            compressible: 90,
            ..plain(size)
        };
        let content = Content::new(5, &recipe);
        let kinds: std::collections::BTreeSet<_> =
            (0..1000).map(|object| content.body(object)).collect();
        assert_eq!(kinds.len(), 64, "{size}");
    }
}

#[test]
fn content_follows_from_seed_and_number() {
    let content = Content::new(5, &hashed(1000));
    let again = Content::new(5, &plain(1000));
    let other = Content::new(6, &plain(1000));
    assert_eq!(content.body(17), again.body(17));
    assert_ne!(content.body(17), other.body(17));
    let kinds: std::collections::BTreeSet<_> =
        (0..1000).map(|object| content.body(object)).collect();
    assert_eq!(kinds.len(), 64);
    assert!(again.hash(17).is_none());
}

#[test]
fn hashes_are_those_of_the_bodies_alone_or_in_parallel() {
    for size in [0, 1, 1000, 200_000] {
        let content = Content::new(1, &hashed(size));
        for object in 0..5 {
            let hash = hex(&Sha256::digest(content.body(object)).into());
            assert_eq!(content.hash(object), Some(&hash));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_file_holds_every_body_where_it_says() {
    let content = Content::new(3, &plain(100_000));
    assert!(content.body_in_file(1).is_none());
    let content = content.sent_from_file();
    for object in 0..20 {
        let place = content.body_in_file(object).unwrap();
        let mut found = vec![0; 100_000];
        rustix::io::pread(place.file, &mut found, place.offset).unwrap();
        assert_eq!(found, content.body(object));
    }
    let small = Content::new(3, &plain(1000)).sent_from_file();
    assert!(small.body_in_file(1).is_none());
}

#[test]
fn generations_differ_and_keep_their_size() {
    for sizes in ["1000", "1KiB:3,10KiB:1"] {
        for unique in [false, true] {
            let recipe = Recipe {
                sizes: sizes.parse().unwrap(),
                rewritten: true,
                unique,
                ..plain(0)
            };
            let content = Content::new(5, &recipe);
            let known = content.generations().min(20);
            assert!(known >= 4);
            for object in 0..50 {
                let bodies: std::collections::BTreeSet<Vec<u8>> = (0..known)
                    .map(|generation| {
                        let number = number(object, generation);
                        assert_eq!(object_of(number), object);
                        assert_eq!(generation_of(number), generation);
                        assert_eq!(content.size(number), content.size(object));
                        let mut body = b"before".to_vec();
                        content.write(number, &mut body);
                        assert!(content.matches(number, 0, &body));
                        assert!(!content.matches(number, 1, &body));
                        body
                    })
                    .collect();
                assert_eq!(bodies.len() as u64, known, "{sizes} {unique}");
            }
        }
    }
}

#[test]
fn chunks_and_trailers_are_those_of_the_bodies() {
    let recipe = Recipe {
        framing: Framing::Signed,
        ..plain(100_000)
    };
    let content = Content::new(5, &recipe);
    let hashes: Vec<_> = content.body(3).chunks(65_536).map(sha256).collect();
    assert_eq!(content.chunk_hashes(3), Some(hashes.as_slice()));
    let recipe = Recipe {
        framing: Framing::Trailer,
        checksum: Checksum::Crc32c,
        ..plain(1000)
    };
    let content = Content::new(5, &recipe);
    let end = format!(
        "x-amz-checksum-crc32c:{}\r\n\r\n",
        content.checksum(3).unwrap()
    );
    assert!(content.framed(3).unwrap().ends_with(end.as_bytes()));
}

proptest! {
    #[test]
    fn only_the_right_bytes_match(
        size in 1_u64..3000, object: u64, from: prop::sample::Index,
        length: prop::sample::Index, flip: prop::sample::Index, bit in 0_u32..8,
    ) {
        let content = Content::new(9, &plain(size));
        let from = from.index(size as usize);
        let length = 1 + length.index(size as usize - from);
        let mut part = content.body(object)[from..from + length].to_vec();
        prop_assert!(content.matches(object, from as u64, &part));
        part[flip.index(length)] ^= 1_u8 << bit;
        prop_assert!(!content.matches(object, from as u64, &part));
    }

    #[test]
    fn nothing_past_the_end_matches(size in 0_u64..100, object: u64, offset: u64) {
        let content = Content::new(9, &plain(size));
        let body = [content.body(object), b"x"].concat();
        prop_assert!(!content.matches(object, 0, &body));
        prop_assert!(!content.matches(object, offset.max(size), b"x"));
    }
}

#[test]
fn consecutive_versions_of_an_object_differ_and_have_one_size() {
    const OBJECTS: u64 = 50;
    for sizes in ["1000", "1KiB:3,10KiB:1"] {
        let recipe = Recipe {
            sizes: sizes.parse().unwrap(),
            versioned_objects: NonZero::new(OBJECTS),
            ..plain(0)
        };
        let content = Content::new(5, &recipe);
        for thing in 0..3 * OBJECTS {
            let next = thing + OBJECTS;
            assert_eq!(content.size(thing), content.size(next));
            assert!(content.body(thing) != content.body(next), "{sizes} {thing}");
        }
    }
}
