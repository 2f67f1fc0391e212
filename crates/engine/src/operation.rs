//! The figures of one operation, at every stage: in a generator thread, in a sample, in a second, in
//! a slice and in a line of a file.
//!
//! [`Operation`] is the only declaration of what is counted and timed. A new counter is one line of
//! [`Counter`], and a new histogram is one line of [`Timed`]: samples, agents, seconds, slices and
//! files carry it.

use std::collections::BTreeMap;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::ErrorClass;
use crate::exchange::Role;

/// Declares an enum of keys, and a struct with one value for each key.
macro_rules! keyed {
    (
        $(#[$key_doc:meta])* enum $key:ident named $prefix:literal;
        $(#[$all_doc:meta])* struct $all:ident;
        $( $(#[$doc:meta])* $variant:ident $field:ident; )+
    ) => {
        $(#[$key_doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $key {
            $( $(#[$doc])* $variant, )+
        }

        impl $key {
            /// Every key, in the order of the fields.
            pub const ALL: [Self; [$(stringify!($field)),+].len()] = [$(Self::$variant),+];

            /// The name in files.
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => concat!($prefix, stringify!($field)), )+
                }
            }

            /// The key with this name in files.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $( concat!($prefix, stringify!($field)) => Some(Self::$variant), )+
                    _ => None,
                }
            }
        }

        $(#[$all_doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub struct $all<T> {
            $( $(#[$doc])* pub $field: T, )+
        }

        impl<T> $all<T> {
            /// References to the values.
            pub fn as_ref(&self) -> $all<&T> {
                $all { $( $field: &self.$field, )+ }
            }

            /// Mutable references to the values.
            pub fn as_mut(&mut self) -> $all<&mut T> {
                $all { $( $field: &mut self.$field, )+ }
            }

            /// The results of `change` for the values, in the order of the fields.
            pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> $all<U> {
                $all { $( $field: change(self.$field), )+ }
            }

            /// The values of both.
            pub fn zip<U>(self, other: $all<U>) -> $all<(T, U)> {
                $all { $( $field: (self.$field, other.$field), )+ }
            }

            /// The values, in the order of the fields.
            pub fn into_array(self) -> [T; $key::ALL.len()] {
                [$(self.$field),+]
            }
        }

        impl<T> From<[T; $key::ALL.len()]> for $all<T> {
            fn from([$($field),+]: [T; $key::ALL.len()]) -> Self {
                Self { $($field),+ }
            }
        }

        impl<T: std::ops::AddAssign> std::ops::AddAssign for $all<T> {
            fn add_assign(&mut self, other: Self) {
                $( self.$field += other.$field; )+
            }
        }

        impl<T> std::ops::Index<$key> for $all<T> {
            type Output = T;

            fn index(&self, key: $key) -> &T {
                match key {
                    $( $key::$variant => &self.$field, )+
                }
            }
        }

        impl<T> std::ops::IndexMut<$key> for $all<T> {
            fn index_mut(&mut self, key: $key) -> &mut T {
                match key {
                    $( $key::$variant => &mut self.$field, )+
                }
            }
        }
    };
}

keyed! {
    /// What is counted of an operation.
    enum Counter named "";
    /// A number for each [`Counter`].
    struct Counts;
    /// Correct operations that ended inside the window: the numerator of throughput.
    Ok ok;
    /// Bytes written for operations whose response ended inside the window, including heads.
    Sent sent;
    /// Bytes read for operations whose response ended inside the window, including heads; with
    /// HTTP/2, bodies only.
    Received received;
    /// Body bytes of the operations in `ok`: of the request or the response, whichever is longer,
    /// unless the workload sets [`crate::Exchange::content`].
    Payload payload;
    /// Operations due in the window that timed out after the window closed. The errors count them
    /// as timeouts, and `failed` contains the time until the timeout.
    Censored censored;
    /// Responses inside the window after which the server closed the connection, although Tenbin
    /// asked to keep it open. 0 in runs of older versions, and with HTTP/2.
    ClosedAfter closed_after;
    /// Operations due in the window of an open loop that were never sent: all connections were in
    /// use until the time for the queue ended, at most as long after the window as the requests took
    /// to become due. Neither correct nor failed; their response times are longer than those of all
    /// operations sent. 0 in runs of older versions.
    Unsent unsent;
}

keyed! {
    /// What is timed of an operation. The histograms hold operations that were due inside the
    /// window, even if they ended after it.
    enum Timed named "";
    /// A histogram of nanoseconds for each [`Timed`].
    struct Times;
    /// Service time of correct operations: from the start of the write to the last byte of the
    /// response.
    Service service;
    /// Response time of correct operations: from the intended start to the last byte of the
    /// response. Equals the service time in a closed loop, where generator threads leave it empty.
    Response response;
    /// Send lag of correct operations: from the intended start to the start of the write. Empty in
    /// a closed loop.
    Lag lag;
    /// Time to first byte of correct operations: from the start of the write to the first byte of
    /// the response. Empty in runs of older versions.
    FirstByte first_byte;
    /// Time from the intended start to the failure.
    Failed failed;
}

keyed! {
    /// What is timed of connection set-up.
    enum SetupStep named "setup_";
    /// A histogram of nanoseconds for each [`SetupStep`]; never part of the latency of an operation
    /// on an open connection. Includes connections that were already open when the window opened.
    struct Setup;
    /// Time from the start of the attempt until the socket was connected: the TCP handshake, or
    /// `connect` of a Unix socket. Includes closing the previous connection, if any.
    Connect connect;
    /// Durations of TLS handshakes; empty without TLS.
    Tls tls;
    /// Time to first byte of the first response on a connection.
    FirstByte first_byte;
    /// Service time of the first response on a connection, if correct and inside the window. Empty
    /// in runs of older versions.
    Response response;
    /// Each time in `response` plus the set-up time of its connection.
    Total total;
}

/// The figures of one operation. `H` is the kind of histogram.
///
/// Written as one flat map. Reading leaves what is missing at its default, because files of older
/// versions lack newer figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Operation<H> {
    /// Name of the operation, for example `GET`.
    #[serde(rename = "operation")]
    pub name: String,
    /// How the operation counts in throughput and failures.
    #[serde(skip_serializing_if = "Role::is_plain_request")]
    pub role: Role,
    /// The counters.
    #[serde(flatten)]
    pub counts: Counts<u64>,
    /// Body bytes of the responses in `ok`, without request bodies; 0 for transactions, unknown in
    /// runs of older versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered: Option<u64>,
    /// Failures by class; absent classes are zero: operations that were due before the window closed
    /// and failed after the window opened.
    pub errors: BTreeMap<ErrorClass, u64>,
    /// Number of responses by status, over the operations that `ok` and `errors` count.
    pub statuses: BTreeMap<u16, u64>,
    /// Error messages with their counts: at most 32 texts a sample, and one entry for all others.
    /// The messages come from the server: untrusted until escaped.
    pub failures: BTreeMap<String, u64>,
    /// The histograms.
    #[serde(flatten)]
    pub times: Times<H>,
}

impl<H: Default> Operation<H> {
    /// Empty figures of an operation with the role of a request.
    pub fn new(name: &str) -> Self {
        Self::of(name, Role::Request)
    }

    /// Empty figures of an operation with this name and role.
    pub fn of(name: &str, role: Role) -> Self {
        Self {
            name: name.to_owned(),
            role,
            counts: Counts::default(),
            answered: None,
            errors: BTreeMap::new(),
            statuses: BTreeMap::new(),
            failures: BTreeMap::new(),
            times: Times::default(),
        }
    }
}

impl<H> Operation<H> {
    /// Number of failures of all classes.
    pub fn failed_count(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Number of failures of this class.
    pub fn errors_of(&self, class: ErrorClass) -> u64 {
        self.errors.get(&class).copied().unwrap_or(0)
    }

    /// The same figures with other histograms.
    pub fn with_times<U>(self, times: Times<U>) -> Operation<U> {
        Operation {
            name: self.name,
            role: self.role,
            counts: self.counts,
            answered: self.answered,
            errors: self.errors,
            statuses: self.statuses,
            failures: self.failures,
            times,
        }
    }

    /// Takes all figures and leaves none; `take` takes a histogram.
    pub(crate) fn take_with<U>(&mut self, take: impl FnMut(&mut H) -> U) -> Operation<U> {
        Operation {
            name: self.name.clone(),
            role: self.role,
            counts: std::mem::take(&mut self.counts),
            answered: self.answered.replace(0),
            errors: std::mem::take(&mut self.errors),
            statuses: std::mem::take(&mut self.statuses),
            failures: std::mem::take(&mut self.failures),
            times: self.times.as_mut().map(take),
        }
    }

    /// Adds all figures of `part` but the histograms.
    pub fn add_counts<U>(&mut self, part: &Operation<U>) {
        self.answered = match (self.counts.ok, part.counts.ok) {
            (0, _) => part.answered,
            (_, 0) => self.answered,
            _ => self
                .answered
                .zip(part.answered)
                .map(|(sum, part)| sum + part),
        };
        self.counts += part.counts;
        add_by_key(&mut self.errors, &part.errors);
        add_by_key(&mut self.statuses, &part.statuses);
        for (text, count) in &part.failures {
            crate::failure::count(&mut self.failures, text, *count);
        }
    }
}

impl<H> Operation<H> {
    /// Reads the value of `key` from a map, if it belongs to the figures of an operation.
    ///
    /// # Errors
    /// Those of `map`.
    pub fn read_entry<'de, A>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error>
    where
        A: MapAccess<'de>,
        H: Deserialize<'de>,
    {
        match key {
            "operation" => self.name = map.next_value()?,
            "role" => self.role = map.next_value()?,
            "answered" => self.answered = map.next_value()?,
            "errors" => self.errors = map.next_value()?,
            "statuses" => self.statuses = map.next_value()?,
            "failures" => self.failures = map.next_value()?,
            _ => {
                if let Some(counter) = Counter::from_name(key) {
                    self.counts[counter] = map.next_value()?;
                } else if let Some(timed) = Timed::from_name(key) {
                    self.times[timed] = map.next_value()?;
                } else {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

impl<'de, H: Deserialize<'de> + Default> Deserialize<'de> for Operation<H> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map<H>(std::marker::PhantomData<H>);

        impl<'de, H: Deserialize<'de> + Default> Visitor<'de> for Map<H> {
            type Value = Operation<H>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the figures of an operation")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Operation<H>, A::Error> {
                let mut figures = Operation::new("");
                while let Some(key) = map.next_key::<String>()? {
                    if !figures.read_entry(&key, &mut map)? {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(figures)
            }
        }

        deserializer.deserialize_map(Map(std::marker::PhantomData))
    }
}

/// The figures of one host, over all operations. `H` is the kind of histogram.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HostFigures<H> {
    /// Name of the host.
    #[serde(rename = "host")]
    pub name: String,
    /// Correct responses inside the window.
    pub ok: u64,
    /// Failures by class; absent classes are zero.
    pub errors: BTreeMap<ErrorClass, u64>,
    /// Service time of correct responses, nanoseconds: from the start of the write to the last byte.
    pub service: H,
}

impl<H: Default> HostFigures<H> {
    /// Empty figures of the host with this name.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }
}

impl<H> HostFigures<H> {
    /// Number of failures of all classes.
    pub fn failed_count(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Number of failures of this class.
    pub fn errors_of(&self, class: ErrorClass) -> u64 {
        self.errors.get(&class).copied().unwrap_or(0)
    }

    /// The same figures with another histogram.
    pub fn with_service<U>(self, service: U) -> HostFigures<U> {
        HostFigures {
            name: self.name,
            ok: self.ok,
            errors: self.errors,
            service,
        }
    }

    /// Adds all figures of `part` but the histogram.
    pub fn add_counts<U>(&mut self, part: &HostFigures<U>) {
        self.ok += part.ok;
        add_by_key(&mut self.errors, &part.errors);
    }
}

/// Adds the counts of `part` to those of `sum`, key by key.
pub fn add_by_key<K: Ord + Clone>(sum: &mut BTreeMap<K, u64>, part: &BTreeMap<K, u64>) {
    for (key, count) in part {
        *sum.entry(key.clone()).or_default() += count;
    }
}
