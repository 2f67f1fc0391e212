//! Checks how fast this machine encrypts, because a slow one limits load over TLS.

use std::time::{Duration, Instant};

use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};

use super::machine::bytes;
use super::{Check, CheckConfig, Outcome};

/// How long to encrypt.
const DURATION: Duration = Duration::from_millis(50);
/// Largest content of a TLS record, bytes.
const RECORD: usize = 16 * 1024;
/// Speed in bytes per second below which the processor lacks instructions for AES, or they are not used:
/// with them, a core of the last ten years encrypts more than 1 GiB/s; without them, about 0.2 GiB/s.
const SLOW: f64 = 0.5 * (1_u64 << 30) as f64;

pub(super) struct Encryption;

impl Check for Encryption {
    fn name(&self) -> &'static str {
        "tls"
    }

    fn of_machine(&self, _config: &CheckConfig) -> Vec<Outcome> {
        let authorities = rustls_native_certs::load_native_certs().certs.len();
        vec![measure().map_or_else(
            || Outcome::unknown("AES-128-GCM cannot be measured"),
            |speed| judge(speed, authorities),
        )]
    }
}

/// Bytes per second of AES-128-GCM on one core.
fn measure() -> Option<f64> {
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &[7; 16]).ok()?);
    let mut record = vec![0; RECORD];
    let start = Instant::now();
    let mut records = 0_u32;
    while start.elapsed() < DURATION {
        // The nonce repeats, which is safe because nobody gets the result.
        let nonce = Nonce::assume_unique_for_key([0; 12]);
        let _tag = key
            .seal_in_place_separate_tag(nonce, Aad::empty(), &mut record)
            .ok()?;
        records += 1;
    }
    Some(f64::from(records) * RECORD as f64 / start.elapsed().as_secs_f64())
}

fn judge(speed: f64, authorities: usize) -> Outcome {
    let evidence = format!(
        "one core encrypts {}/s (AES-128-GCM); {authorities} certificate authorities of the system{}",
        bytes(speed as u64),
        if authorities == 0 {
            ": https needs --cacert or --insecure"
        } else {
            ""
        }
    );
    if speed < SLOW {
        let advice = "encryption is slow, so the load generator can be the limit over TLS: the processor \
                      has no instructions for AES, or a hypervisor hides them";
        return Outcome::warning(evidence, advice);
    }
    Outcome::ok(evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    #[test]
    fn slow_encryption_is_a_warning_and_missing_authorities_are_named() {
        let fast = judge(3.0e9, 140);
        assert_eq!(fast.state, State::Ok);
        assert!(fast.evidence.contains("140 certificate authorities"));
        assert!(!fast.evidence.contains("--cacert"));
        assert_eq!(judge(2.0e8, 140).state, State::Warning);
        assert!(judge(3.0e9, 0).evidence.contains("--cacert"));
    }

    #[test]
    fn the_speed_is_measured() {
        assert!(measure().is_some_and(|speed| speed > 1.0e6));
    }
}
