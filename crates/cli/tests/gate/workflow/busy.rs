//! Programs that use part of every core.

use std::process::{Child, Command, Stdio};

use crate::common::{Scratch, tied};

/// Uses a share of one of the cores that it may use: arguments are the number of the core, from 0,
/// and the percentage. It counts CPU time, not wall time, so that other programs do not change the
/// share.
const PROGRAM: &str = r"
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#define PERIOD_NS 50000000L

static long now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    int others = atoi(arguments[1]);
    long work = PERIOD_NS / 100 * atol(arguments[2]);
    cpu_set_t allowed, own;
    if (sched_getaffinity(0, sizeof allowed, &allowed)) return 1;
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (!CPU_ISSET(core, &allowed) || others--) continue;
        CPU_ZERO(&own);
        CPU_SET(core, &own);
        if (sched_setaffinity(0, sizeof own, &own)) return 1;
        break;
    }
    for (;;) {
        long begun = now(CLOCK_MONOTONIC), before = now(CLOCK_PROCESS_CPUTIME_ID);
        while (now(CLOCK_PROCESS_CPUTIME_ID) < before + work) {}
        long left = begun + PERIOD_NS - now(CLOCK_MONOTONIC);
        struct timespec rest = {0, left};
        if (left > 0) nanosleep(&rest, NULL);
    }
}
";

/// One program per core; killed on drop.
pub(crate) struct Busy(Vec<Child>);

impl Busy {
    /// Starts one program per core, each of which uses `percent` of its core, 1 to 100 %.
    pub(crate) fn start(scratch: &Scratch, percent: u32) -> Self {
        let source = scratch.write("busy.c", PROGRAM);
        let program = scratch.join("busy");
        let made = Command::new("cc")
            .args(["-O1", "-o", &program, &source])
            .status();
        assert!(made.expect("a C compiler").success());
        let (mark, directory) = scratch.mark();
        let start = |core: usize| {
            tied(&program)
                .args([core.to_string(), percent.to_string()])
                .env(mark, directory)
                .stdin(Stdio::null())
                .spawn()
                .expect("the program starts")
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self((0..cores).map(start).collect())
    }

    /// Fails the test if one of the programs has ended.
    pub(crate) fn expect_running(&mut self) {
        for program in &mut self.0 {
            let ended = program.try_wait().expect("the state of the program");
            assert!(ended.is_none(), "a busy program ended: {ended:?}");
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for program in &mut self.0 {
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}
