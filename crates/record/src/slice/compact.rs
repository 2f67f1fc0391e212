//! Values that stay in memory for every slice, in a tenth of their size.
//!
//! The machine's figures take 600 bytes and more in memory, mostly for figures that are unknown or
//! small. A run of ten hours has 18,000 slices.

mod names;

use std::collections::BTreeMap;
use std::fmt::{Debug, Formatter};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value in few bytes, which clones share. [`Compact::get`] decodes it in well under a
/// microsecond.
#[derive(Clone)]
pub struct Compact<T>(Form<T>);

#[derive(Clone)]
enum Form<T> {
    Encoded(Arc<[u8]>),
    /// For a value that is being changed.
    Plain(Box<T>),
}

/// A type that [`Compact`] can encode.
pub trait Fields: Clone {
    /// Appends the value to `bytes`.
    fn encode(&self, bytes: &mut Vec<u8>);

    /// Takes a value from the start of `bytes`, which [`Fields::encode`] wrote.
    fn decode(bytes: &mut &[u8]) -> Self;
}

impl<T: Fields> Compact<T> {
    /// The value.
    pub fn get(&self) -> T {
        match &self.0 {
            Form::Encoded(bytes) => T::decode(&mut &bytes[..]),
            Form::Plain(value) => (**value).clone(),
        }
    }

    /// The value, to change it. From then on it takes its full size.
    pub fn get_mut(&mut self) -> &mut T {
        if let Form::Encoded(_) = self.0 {
            self.0 = Form::Plain(Box::new(self.get()));
        }
        match &mut self.0 {
            Form::Plain(value) => value,
            Form::Encoded(_) => unreachable!("it has just been decoded"),
        }
    }
}

impl<T: Fields> From<T> for Compact<T> {
    fn from(value: T) -> Self {
        let mut bytes = Vec::new();
        value.encode(&mut bytes);
        Self(Form::Encoded(bytes.into()))
    }
}

impl<T: Fields + Default> Default for Compact<T> {
    fn default() -> Self {
        T::default().into()
    }
}

impl<T: Fields + PartialEq> PartialEq for Compact<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Fields + Debug> Debug for Compact<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

impl<T: Fields + Serialize> Serialize for Compact<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}

impl<'de, T: Fields + Deserialize<'de>> Deserialize<'de> for Compact<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Compact<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}

/// Implements [`Fields`] for a struct. A field that is not named does not compile.
macro_rules! fields {
    ($($name:ident { $($field:ident),+ $(,)? })+) => { $(
        impl $crate::slice::compact::Fields for $name {
            fn encode(&self, bytes: &mut Vec<u8>) {
                let Self { $($field),+ } = self;
                $( $crate::slice::compact::Fields::encode($field, bytes); )+
            }

            fn decode(bytes: &mut &[u8]) -> Self {
                Self { $( $field: $crate::slice::compact::Fields::decode(bytes), )+ }
            }
        }
    )+ };
}
pub(crate) use fields;

/// Takes the first `count` bytes, or all if there are fewer.
#[inline]
fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(count.min(bytes.len()));
    *bytes = rest;
    taken
}

impl Fields for u8 {
    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.push(*self);
    }

    #[inline]
    fn decode(bytes: &mut &[u8]) -> Self {
        take(bytes, 1).first().copied().unwrap_or_default()
    }
}

// The number of bytes, and the bytes up to the highest that is not 0.
impl Fields for u64 {
    fn encode(&self, bytes: &mut Vec<u8>) {
        let filled = size_of::<Self>() - self.leading_zeros() as usize / 8;
        bytes.push(filled as u8);
        bytes.extend_from_slice(&self.to_le_bytes()[..filled]);
    }

    #[inline]
    fn decode(bytes: &mut &[u8]) -> Self {
        let filled = usize::from(u8::decode(bytes));
        let mut all = [0; size_of::<Self>()];
        for (byte, filled) in all.iter_mut().zip(take(bytes, filled)) {
            *byte = *filled;
        }
        Self::from_le_bytes(all)
    }
}

impl Fields for i32 {
    fn encode(&self, bytes: &mut Vec<u8>) {
        u64::from(self.cast_unsigned()).encode(bytes);
    }

    fn decode(bytes: &mut &[u8]) -> Self {
        u64::decode(bytes) as Self
    }
}

impl Fields for bool {
    fn encode(&self, bytes: &mut Vec<u8>) {
        u8::from(*self).encode(bytes);
    }

    #[inline]
    fn decode(bytes: &mut &[u8]) -> Self {
        u8::decode(bytes) == 1
    }
}

/// The kernel counts CPU time in hundredths of a second.
const TICKS: f64 = 100.0;
/// First byte of a number of ticks; the first byte of every other number is at most 8.
const IN_TICKS: u8 = 0xff;

impl Fields for f64 {
    // The last bytes of round numbers are 0. As the highest bytes of an integer they take no space.
    fn encode(&self, bytes: &mut Vec<u8>) {
        let ticks = (self * TICKS).round();
        let is_exact = ticks > 0.0 && (ticks / TICKS).to_bits() == self.to_bits();
        if is_exact && ticks < f64::from(u16::MAX) {
            bytes.push(IN_TICKS);
            bytes.extend_from_slice(&(ticks as u16).to_le_bytes());
        } else {
            self.to_bits().swap_bytes().encode(bytes);
        }
    }

    fn decode(bytes: &mut &[u8]) -> Self {
        if bytes.first() != Some(&IN_TICKS) {
            return Self::from_bits(u64::decode(bytes).swap_bytes());
        }
        *bytes = &bytes[1..];
        let [low, high] = [u8::decode(bytes), u8::decode(bytes)];
        Self::from(u16::from_le_bytes([low, high])) / TICKS
    }
}

impl Fields for String {
    fn encode(&self, bytes: &mut Vec<u8>) {
        let number = names::number_of(self);
        number.encode(bytes);
        if number.is_none() {
            (self.len() as u64).encode(bytes);
            bytes.extend_from_slice(self.as_bytes());
        }
    }

    fn decode(bytes: &mut &[u8]) -> Self {
        if let Some(number) = Option::<u64>::decode(bytes) {
            return names::name_of(number);
        }
        let length = u64::decode(bytes) as usize;
        Self::from_utf8_lossy(take(bytes, length)).into_owned()
    }
}

impl<T: Fields> Fields for Option<T> {
    fn encode(&self, bytes: &mut Vec<u8>) {
        self.is_some().encode(bytes);
        self.iter().for_each(|value| value.encode(bytes));
    }

    fn decode(bytes: &mut &[u8]) -> Self {
        bool::decode(bytes).then(|| T::decode(bytes))
    }
}

impl<T: Fields> Fields for Vec<T> {
    fn encode(&self, bytes: &mut Vec<u8>) {
        (self.len() as u64).encode(bytes);
        self.iter().for_each(|value| value.encode(bytes));
    }

    fn decode(bytes: &mut &[u8]) -> Self {
        let count = u64::decode(bytes);
        (0..count).map(|_| T::decode(bytes)).collect()
    }
}

impl<K: Fields + Ord, V: Fields> Fields for BTreeMap<K, V> {
    fn encode(&self, bytes: &mut Vec<u8>) {
        (self.len() as u64).encode(bytes);
        for (key, value) in self {
            key.encode(bytes);
            value.encode(bytes);
        }
    }

    fn decode(bytes: &mut &[u8]) -> Self {
        let count = u64::decode(bytes);
        (0..count)
            .map(|_| (K::decode(bytes), V::decode(bytes)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        CpuUse, DiskUse, FrequencyUse, GroupUse, LinkUse, MachineUse, PauseUse, PortsUse,
        PressureUse, ProgramUse, ServerUse, TcpUse, UseScope,
    };

    fn program(pid: i32) -> ProgramUse {
        ProgramUse {
            pid,
            name: "ruby 天秤".to_owned(),
            cpu_seconds: 0.1 + 0.2,
            rss_bytes: Some(u64::MAX),
            processes: Some(3),
        }
    }

    /// Every field is known and differs from the default.
    fn machine() -> MachineUse {
        MachineUse {
            seconds: 2.000_000_3,
            cpu: Some(CpuUse {
                cores: 2,
                busy: 1.0,
                interrupts: f64::MIN_POSITIVE,
                idle: 0.1,
                iowait: 1e300,
                steal: -0.0,
            }),
            own_cpu_seconds: Some(0.3),
            others_cpu_seconds: Some(0.7),
            programs: Some(vec![program(i32::MAX), program(-1)]),
            target_programs: Some(vec![program(7)]),
            pause: Some(PauseUse {
                seconds: 0.5,
                programs: vec![program(9)],
                targets: BTreeMap::from([("a".to_owned(), 0.125)]),
                active_opens: Some(4),
            }),
            idle_targets: BTreeMap::from([("a".to_owned(), 0.25), ("b".to_owned(), 0.0)]),
            target_here: Some(true),
            pressure: PressureUse {
                cpu_some_us: Some(1),
                io_some_us: Some(2),
                io_full_us: Some(3),
                memory_some_us: Some(4),
                memory_full_us: Some(1 << 63),
            },
            tcp: TcpUse {
                active_opens: Some(5),
                sent_segments: Some(6),
                retransmitted_segments: Some(7),
                listen_overflows: Some(8),
                listen_drops: Some(9),
                time_wait_before: Some(10),
                time_wait_after: Some(11),
            },
            swapped_pages: Some(12),
            throttled_periods: Some(13),
            throttled_us: Some(14),
            frequency: Some(FrequencyUse {
                fastest_mhz: 3_400.5,
                most_mhz: 4_000.0,
            }),
            governor: Some("performance".to_owned()),
            disk: Some(DiskUse {
                available_bytes: 15,
                size_bytes: 16,
            }),
            links: vec![LinkUse {
                name: "eth0".to_owned(),
                received_bytes: 17,
                sent_bytes: 18,
                bits_per_second: Some(1_000_000_000),
            }],
            ports: Some(PortsUse {
                count: 19,
                held_seconds: 60.0,
            }),
        }
    }

    fn server() -> ServerUse {
        ServerUse {
            cpu_seconds: Some(0.5),
            rss_bytes: Some(1),
            rss_start_bytes: Some(2),
            rss_end_bytes: Some(3),
            read_bytes: Some(4),
            written_bytes: Some(5),
            voluntary_switches: Some(6),
            involuntary_switches: Some(7),
            busiest_process_seconds: Some(0.8),
            busiest_thread_seconds: Some(0.9),
            waited_for_core_seconds: Some(1.1),
            seconds: Some(1.2),
            missed_seconds: Some(1.3),
            scope: UseScope::Host,
            group: Some(GroupUse {
                alone: true,
                cpu_seconds: Some(1.4),
                memory_bytes: Some(15),
                memory_peak_bytes: Some(16),
                throttled_periods: Some(17),
                throttled_us: Some(18),
                read_bytes: Some(19),
                written_bytes: Some(20),
            }),
        }
    }

    fn encoded<T: Fields>(value: &T) -> usize {
        let mut bytes = Vec::new();
        value.encode(&mut bytes);
        bytes.len()
    }

    fn stays<T: Fields + PartialEq + Debug>(value: &T) {
        let mut bytes = Vec::new();
        value.encode(&mut bytes);
        let mut rest = &bytes[..];
        assert_eq!(&T::decode(&mut rest), value);
        assert!(rest.is_empty(), "all bytes belong to the value");
    }

    #[test]
    fn every_figure_is_decoded_as_it_was() {
        stays(&machine());
        stays(&MachineUse::default());
        stays(&server());
        stays(&ServerUse::default());
        for number in [0, 1, u64::MAX, 1 << 63, 63, 64] {
            stays(&number);
        }
        for number in [
            0.1,
            0.07,
            655.34,
            655.35,
            1e9,
            f64::MAX,
            f64::INFINITY,
            -0.07,
            -1.5e-300,
        ] {
            stays(&number);
        }
        stays(&f64::NAN.to_bits());
        for name in ["", "ruby 天秤", &"long".repeat(100)] {
            stays(&name.to_owned());
        }
        let zero = Compact::from(-0.0_f64).get();
        assert!(zero == 0.0 && zero.is_sign_negative());
    }

    #[test]
    fn unknown_and_round_figures_take_a_byte_each() {
        assert!(
            encoded(&MachineUse::default()) <= 32,
            "mostly one byte each"
        );
        let program = ProgramUse {
            pid: 12_345,
            name: "chromium".to_owned(),
            cpu_seconds: 0.07,
            rss_bytes: Some(200 << 20),
            processes: None,
        };
        assert!(encoded(&program) <= 16, "{}", encoded(&program));
        assert!(encoded(&ServerUse::default()) <= 16);
        assert_eq!((encoded(&0.0), encoded(&1.0), encoded(&0.123)), (1, 3, 9));
    }

    #[test]
    fn a_change_is_seen_and_clones_keep_what_they_had() {
        let mut changed = Compact::from(machine());
        let before = changed.clone();
        changed.get_mut().swapped_pages = None;
        assert_eq!(changed.get().swapped_pages, None);
        assert_eq!(before.get(), machine());
        assert_ne!(changed, before);
        let text = serde_json::to_string(&before).unwrap();
        assert_eq!(text, serde_json::to_string(&machine()).unwrap());
        let back: Compact<MachineUse> = serde_json::from_str(&text).unwrap();
        assert_eq!(back, before);
    }
}
