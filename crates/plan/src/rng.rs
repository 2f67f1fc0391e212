//! A small, fast random number generator with the same output on every machine.

/// xoshiro256++ of Blackman and Vigna ("Scrambled linear pseudorandom number
/// generators", ACM TOMS 47, 2021), seeded through SplitMix64. Not for secrets.
#[derive(Debug, Clone)]
pub struct Rng([u64; 4]);

impl Rng {
    /// A generator whose numbers are determined by `seed` and `parts` (for example, the number of a
    /// thread).
    pub fn new(seed: u64, parts: &[u64]) -> Self {
        let mut state = parts
            .iter()
            .fold(mix(seed), |state, &part| mix(state ^ mix(part)));
        Self(std::array::from_fn(|_| {
            state = state.wrapping_add(GOLDEN);
            mix(state)
        }))
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number from 0 (included) to 1 (excluded), a multiple of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number from the exponential distribution of mean 1, by inversion.
    pub fn exponential(&mut self) -> f64 {
        -(-self.unit()).ln_1p()
    }

    /// A number from 0 to `end` - 1, uniform to within `end` / 2⁶⁴.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(end)) >> 64) as u64
    }

    /// Fills `out` with random bytes.
    pub fn fill(&mut self, out: &mut [u8]) {
        for chunk in out.chunks_mut(8) {
            let bytes = self.next_u64().to_le_bytes();
            chunk.copy_from_slice(&bytes[..chunk.len()]);
        }
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a bijection in which every bit
/// of the argument affects all bits of the result.
pub const fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The next number of a SplitMix64 generator.
pub fn split_mix(state: &mut u64) -> u64 {
    let drawn = mix(*state);
    *state = state.wrapping_add(GOLDEN);
    drawn
}

/// The inverse of [`mix`].
pub fn unmix(value: u64) -> u64 {
    // Inverses modulo 2⁶⁴ of the two factors, and each shift undone by repeating it.
    let mut z = value ^ (value >> 31) ^ (value >> 62);
    z = z.wrapping_mul(0x3196_42b2_d24d_8ec3);
    z = z ^ (z >> 27) ^ (z >> 54);
    z = z.wrapping_mul(0x96de_1b17_3f11_9089);
    z = z ^ (z >> 30) ^ (z >> 60);
    z.wrapping_sub(GOLDEN)
}

/// A hash of a name, the same on every machine (FNV-1a, 64 bits).
pub fn name_number(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_xoshiro256_plus_plus() {
        // First outputs for the state 1, 2, 3, 4, as in the authors' reference code.
        let mut rng = Rng([1, 2, 3, 4]);
        let first: Vec<u64> = (0..4).map(|_| rng.next_u64()).collect();
        assert_eq!(
            first,
            [41943041, 58720359, 3588806011781223, 3591011842654386]
        );
    }

    #[test]
    fn mixing_can_be_undone() {
        let mut rng = Rng::new(1, &[]);
        for _ in 0..1000 {
            let value = rng.next_u64();
            assert_eq!(unmix(mix(value)), value);
            assert_eq!(mix(unmix(value)), value);
        }
    }

    #[test]
    fn streams_differ_by_every_part_and_repeat() {
        let draw = |seed, parts: &[u64]| Rng::new(seed, parts).next_u64();
        assert_eq!(draw(1, &[2, 3]), draw(1, &[2, 3]));
        assert_ne!(draw(1, &[2, 3]), draw(1, &[3, 2]));
        assert_ne!(draw(1, &[2, 3]), draw(2, &[2, 3]));
        assert_ne!(draw(1, &[2, 3]), draw(1, &[2, 4]));
    }

    #[test]
    fn choices_are_spread_evenly() {
        let mut rng = Rng::new(7, &[]);
        let mut seen = [0_u32; 10];
        for _ in 0..100_000 {
            seen[rng.below(10) as usize] += 1;
        }
        // Each count is binomial(100 000, 0.1) with a standard deviation of 95; the limit is six of
        // them.
        assert!(seen.iter().all(|&n| n.abs_diff(10_000) < 570), "{seen:?}");
    }
}
