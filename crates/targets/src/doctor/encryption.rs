//! Checks how fast this machine encrypts, because a slow one limits load over TLS.

use std::time::{Duration, Instant};

use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use tenbin_plan::sentence;

use super::machine::bytes;
use super::{Check, CheckConfig, Outcome};

/// How long to encrypt, in total and in each part. The fastest part counts: other programs and the
/// hypervisor take the core away from some parts.
const DURATION: Duration = Duration::from_millis(50);
const PART: Duration = Duration::from_millis(2);
/// Largest content of a TLS record, bytes.
const RECORD: usize = 16 * 1024;
/// Speed in bytes per second below which encryption limits the load: with instructions for AES, a core
/// of the last ten years encrypts more than 1 GiB/s; without them, about 0.2 GiB/s.
const SLOW: f64 = 0.5 * (1_u64 << 30) as f64;

pub(super) struct Encryption;

impl Check for Encryption {
    fn name(&self) -> &'static str {
        "tls"
    }

    fn of_machine(&self, _config: &CheckConfig) -> Vec<Outcome> {
        let authorities = rustls_native_certs::load_native_certs().certs.len();
        vec![measure().map_or_else(
            || {
                Outcome::unknown(sentence!(
                    "aes-unmeasured",
                    "AES-128-GCM cannot be measured"
                ))
            },
            |speed| judge(speed, has_instructions(), authorities),
        )]
    }
}

/// Whether the processor has instructions for AES, as it says itself; `None` on other architectures.
fn has_instructions() -> Option<bool> {
    #[cfg(target_arch = "x86_64")]
    let known = Some(std::arch::is_x86_feature_detected!("aes"));
    #[cfg(target_arch = "aarch64")]
    let known = Some(std::arch::is_aarch64_feature_detected!("aes"));
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let known = None;
    known
}

/// Bytes per second of AES-128-GCM on one core, in the fastest part of the measurement.
fn measure() -> Option<f64> {
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &[7; 16]).ok()?);
    let mut record = vec![0; RECORD];
    let start = Instant::now();
    let (mut part, mut records, mut fastest) = (start, 0_u32, 0.0_f64);
    while start.elapsed() < DURATION {
        // The nonce repeats, which is safe because nobody gets the result.
        let nonce = Nonce::assume_unique_for_key([0; 12]);
        let _tag = key
            .seal_in_place_separate_tag(nonce, Aad::empty(), &mut record)
            .ok()?;
        records += 1;
        let elapsed = part.elapsed();
        if elapsed >= PART {
            fastest = fastest.max(f64::from(records) * RECORD as f64 / elapsed.as_secs_f64());
            (part, records) = (Instant::now(), 0);
        }
    }
    (fastest > 0.0).then_some(fastest)
}

fn judge(speed: f64, has_instructions: Option<bool>, authorities: usize) -> Outcome {
    let evidence = sentence!(
        "encryption",
        "one core encrypts {speed}/s (AES-128-GCM); {authorities} certificate authorities of the \
         system{without}",
        speed = bytes(speed as u64),
        authorities,
        without = if authorities == 0 {
            ": https needs --cacert or --insecure"
        } else {
            ""
        }
    );
    if speed < SLOW {
        let advice = match has_instructions {
            Some(true) => sentence!(
                "aes-slowed",
                "encryption is slow although the processor has instructions for AES: other programs use \
                 this core, or its clock is low; repeat the check on an idle machine"
            ),
            Some(false) => sentence!(
                "aes-missing",
                "encryption is slow, so the load generator can be the limit over TLS: the processor has no \
                 instructions for AES, or a hypervisor hides them"
            ),
            None => sentence!(
                "aes-unknown",
                "encryption is slow, so the load generator can be the limit over TLS; whether the processor \
                 has instructions for AES is unknown"
            ),
        };
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
        let fast = judge(3.0e9, Some(true), 140);
        assert_eq!(fast.state, State::Ok);
        assert!(fast.evidence.text().contains("140 certificate authorities"));
        assert!(!fast.evidence.text().contains("--cacert"));
        assert_eq!(judge(2.0e8, Some(false), 140).state, State::Warning);
        assert!(judge(3.0e9, None, 0).evidence.text().contains("--cacert"));
    }

    #[test]
    fn a_busy_machine_is_not_said_to_lack_instructions() {
        let advice = |has| {
            judge(2.0e8, has, 140)
                .advice
                .unwrap_or_default()
                .to_string()
        };
        assert!(!advice(Some(true)).contains("has no instructions"));
        assert!(advice(Some(true)).contains("has instructions for AES"));
        assert!(advice(Some(false)).contains("has no instructions for AES"));
        assert!(advice(None).contains("is unknown"));
    }

    #[test]
    fn the_speed_is_measured() {
        assert!(measure().is_some_and(|speed| speed > 1.0e6));
    }
}
