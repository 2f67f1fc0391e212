//! What can be seen of a limit: how throughput changes with the load, and what was busy.

/// Declares the quantities with their names in `result.json`.
macro_rules! quantities {
    ($( $(#[$doc:meta])* $variant:ident $name:literal; )+) => {
        /// Something that tells causes apart.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Quantity {
            $( $(#[$doc])* $variant, )+
        }

        impl Quantity {
            /// The name in `result.json`, and of the message that says what was seen.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => $name, )+
                }
            }

            /// Every quantity.
            #[cfg(test)]
            pub(crate) const ALL: &'static [Self] = &[$( Self::$variant, )+];
        }
    };
}

quantities! {
    /// Requests in flight at once: connections × depth in a closed loop.
    InFlight "in_flight";
    /// Operations per second in the rounds.
    Throughput "throughput";
    /// Time of one request at a time, seconds: 1 ÷ throughput with one connection.
    Alone "alone_seconds";
    /// Requests that are really worked on at a time: throughput × time alone (the utilisation law).
    Served "served";
    /// `served` as a share of the requests in flight, at least 2; the others wait in a queue.
    ServedShare "served_share";
    /// Throughput with twice the connections ÷ throughput in the rounds; 1 in an open loop that
    /// stays behind its rate.
    Doubled "doubled";
    /// Throughput ÷ offered rate, in an open loop.
    Kept "kept";
    /// Requests in flight as a share of those that the connections allow, in an open loop that stays
    /// behind its rate: requests per second × mean service time ÷ (connections × depth).
    InUse "in_use";
    /// Connections that an open loop that stays behind its rate has, times their depth.
    Connections "connections";
    /// Connections, times their depth, that the offered rate needs at the mean service time (Little's
    /// law), in an open loop that stays behind its rate.
    Needed "connections_needed";
    /// Share of the time in which a connection pauses before its next request, with a think time.
    ThinkShare "think_share";
    /// Idle share of all cores of the machine that load generator and target share.
    Idle "idle";
    /// Cores that the target used, without what it uses in the pauses between slices.
    TargetCores "target_cores";
    /// Share of all cores that the target used.
    TargetShare "target_share";
    /// Share of a core that the target's busiest thread used, without what the target uses in the
    /// pauses between slices.
    TargetThread "target_thread";
    /// Share of the target's CPU time that its busiest thread used.
    ThreadShare "thread_share";
    /// CPU time of the target for one request, without what it uses in the pauses, and its wait for a
    /// core, as a share of the time of one request alone.
    CpuShare "cpu_share";
    /// The wait of the target's threads for a core as a share of their CPU time and this wait.
    CoreWaitShare "core_wait_share";
    /// Cores that the target, or a thread of the load generator, used or waited for.
    CoreDemand "core_demand";
    /// Share of all cores that programs other than the target and Tenbin used.
    OthersShare "others_share";
    /// Share of all cores that servers behind the target used.
    BackendShare "backend_share";
    /// Share of the time that the busiest load generator thread ran or was kept from running.
    GeneratorThread "generator_thread";
    /// Network round trip as a share of the mean service time.
    RoundTripShare "round_trip_share";
    /// 1 if the load generator opens a connection for every request, as asked, else 0.
    AsksForNew "asks_for_new";
    /// Share of the requests that needed a new connection.
    NewConnectionShare "new_connection_share";
    /// Opening a connection as a share of opening it and of the response.
    SetupShare "setup_share";
    /// Time of one request at a time without that of opening a connection, seconds.
    AloneOpened "alone_opened_seconds";
    /// Share of the busiest network link's speed.
    LinkShare "link_share";
    /// Share of the service time that data transfer takes: the time after the first byte of the
    /// response, or, where more is sent than received, until the data sent is acknowledged.
    TransferShare "transfer_share";
    /// Share of the service time that packets wait in network queues: the mean round trip minus the
    /// shortest.
    QueueShare "queue_share";
    /// 1 if the connections stay inside this machine, else 0.
    Loopback "loopback";
    /// Bytes of one request and its response.
    BytesEach "bytes_each";
    /// Bits per second that requests and responses had.
    BitRate "bit_rate";
    /// Share of the segments that were sent again, or arrived after one sent later.
    LossShare "loss_share";
    /// Streams that the server allowed on a connection (HTTP/2) as a share of those planned.
    StreamShare "stream_share";
    /// Streams that the server allowed on a connection (HTTP/2).
    StreamsAllowed "streams_allowed";
    /// Share of the responses with status 429 or 503.
    RefusedShare "refused_share";
    /// Share of the responses with status 429.
    TooManyShare "too_many_share";
    /// Share of the time in which the CPU quota of the target's control group stopped it.
    ThrottledShare "throttled_share";
    /// Share of the time in which processes waited for storage.
    StorageShare "storage_share";
    /// Bytes that the target read from and wrote to storage for one operation.
    StoredEach "stored_each";
    /// Pages swapped per second.
    SwappedPages "swapped_pages";
    /// Share of the CPU time that other virtual machines took.
    StealShare "steal_share";
}
