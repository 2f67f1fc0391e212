//! A driver that stores blobs as files. Each thread executes its requests one after another with
//! system calls. The measured latency is a lower bound for any blob store on the same disk.
//!
//! A request is a method (`PUT`, `GET` or `DELETE`), a path below the directory and, for a byte
//! range, its offset and length, separated by spaces. A missing file results in status 404, any
//! other error in status 500 with the system's error text.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags, fsync, mkdirat, open, openat, unlinkat};
use rustix::io::{Errno, pread, write};

use crate::clock::Clock;
use crate::driver::Driver;
use crate::exchange::{BodyUse, ResponseHead};
use crate::opened::Opened;
use crate::order::Order;
use crate::scheduler::{ResponseSummary, Scheduler};

/// Bytes per read.
const PIECE: usize = 1 << 20;

/// Requests between two checks of timers and the stop flag.
const BATCH: usize = 64;

const FILE_MODE: Mode = Mode::from_raw_mode(0o644);
const DIRECTORY_MODE: Mode = Mode::from_raw_mode(0o755);

/// Stores blobs as files below a directory.
pub struct Files {
    clock: Clock,
    directory: OwnedFd,
    /// Whether files and their directory are synced before a write counts as successful.
    sync: bool,
    /// Slots whose request has not been executed yet.
    pending: Vec<usize>,
    doing: Vec<usize>,
    /// Connections to open.
    to_open: Vec<usize>,
    buffer: Vec<u8>,
}

/// A parsed request.
struct Request<'a> {
    method: &'a str,
    path: &'a str,
    part: Option<(u64, u64)>,
}

impl<'a> Request<'a> {
    fn read(head: &'a [u8]) -> Option<Self> {
        let mut words = std::str::from_utf8(head).ok()?.split(' ');
        let (method, path) = (words.next()?, words.next()?);
        let part = match (words.next(), words.next()) {
            (Some(from), Some(length)) => Some((from.parse().ok()?, length.parse().ok()?)),
            _ => None,
        };
        Some(Self { method, path, part })
    }
}

impl Files {
    /// A driver that stores files below `directory`, which is created if missing.
    ///
    /// # Errors
    /// When the directory cannot be created or opened.
    pub fn new(clock: Clock, directory: &Path, sync: bool) -> io::Result<Self> {
        std::fs::create_dir_all(directory)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            clock,
            directory: open(directory, flags, Mode::empty())?,
            sync,
            pending: Vec::new(),
            doing: Vec::new(),
            to_open: Vec::new(),
            buffer: Vec::new(),
        })
    }

    fn execute_order(&mut self, slot: usize, order: Order, scheduler: &Scheduler<'_>) {
        match order {
            Order::Send => self.pending.push(slot),
            Order::Reopen => self.to_open.push(slot / scheduler.depth()),
            Order::Rest | Order::Close | Order::Cancel => {}
        }
    }

    fn serve(&mut self, slot: usize, scheduler: &mut Scheduler<'_>) {
        scheduler.writing(slot, self.clock.now());
        let (status, length) = match self.act(slot, scheduler) {
            Ok(answer) => answer,
            Err(error) => refuse(slot, error, scheduler),
        };
        let now = self.clock.now();
        let answer = ResponseSummary {
            status,
            length,
            received: length,
            cut_at: None,
            reusable: true,
        };
        let order = scheduler.answered(slot, now, answer);
        self.execute_order(slot, order, scheduler);
    }

    /// Executes the request of `slot`. Returns the status and the body bytes of the response.
    fn act(&mut self, slot: usize, scheduler: &mut Scheduler<'_>) -> Result<(u16, u64), Errno> {
        let (head, content) = scheduler.request(slot);
        let request = Request::read(head).ok_or(Errno::INVAL)?;
        match request.method {
            "PUT" => self.store(request.path, content)?,
            "DELETE" => unlinkat(&self.directory, request.path, AtFlags::empty())?,
            _ => {
                let file = openat(
                    &self.directory,
                    request.path,
                    OFlags::RDONLY | OFlags::CLOEXEC,
                    Mode::empty(),
                )?;
                let part = request.part;
                return self.load(slot, &file, part, scheduler);
            }
        }
        report_head(slot, 200, Some(0), scheduler);
        Ok((200, 0))
    }

    fn store(&self, path: &str, content: &[u8]) -> Result<(), Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC;
        let open = || openat(&self.directory, path, flags, FILE_MODE);
        let file = match (open(), path.rsplit_once('/')) {
            (Err(Errno::NOENT), Some((above, _))) => {
                match mkdirat(&self.directory, above, DIRECTORY_MODE) {
                    Ok(()) | Err(Errno::EXIST) => open()?,
                    Err(error) => return Err(error),
                }
            }
            (file, _) => file?,
        };
        let mut rest = content;
        while !rest.is_empty() {
            match write(&file, rest) {
                Ok(written) => rest = &rest[written..],
                Err(Errno::INTR) => {}
                Err(error) => {
                    // Removes the partial blob. A failure to remove it is ignored, because the
                    // write error is returned.
                    let _ = unlinkat(&self.directory, path, AtFlags::empty());
                    return Err(error);
                }
            }
        }
        if self.sync {
            fsync(&file)?;
            self.sync_above(path)?;
        }
        Ok(())
    }

    /// Syncs the directory of `path`: only then is a new file durable.
    fn sync_above(&self, path: &str) -> Result<(), Errno> {
        let Some((above, _)) = path.rsplit_once('/') else {
            return fsync(&self.directory);
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        fsync(openat(&self.directory, above, flags, Mode::empty())?)
    }

    fn load(
        &mut self,
        slot: usize,
        file: &impl AsFd,
        part: Option<(u64, u64)>,
        scheduler: &mut Scheduler<'_>,
    ) -> Result<(u16, u64), Errno> {
        self.buffer.resize(PIECE, 0);
        let status = if part.is_some() { 206 } else { 200 };
        let (from, most) = part.unwrap_or((0, u64::MAX));
        let mut body_use = None;
        let mut done = 0;
        while done < most {
            let room = usize::try_from(most - done).map_or(PIECE, |room| room.min(PIECE));
            let read = pread(file, &mut self.buffer[..room], from + done)?;
            // The status is known only after the first successful read.
            let use_of_body =
                *body_use.get_or_insert_with(|| report_head(slot, status, None, scheduler));
            if read == 0 {
                break;
            }
            if use_of_body == BodyUse::Inspect {
                scheduler.body(slot, done, &self.buffer[..read]);
            }
            done += read as u64;
            if read < room {
                break;
            }
        }
        if body_use.is_none() {
            report_head(slot, status, None, scheduler);
        }
        Ok((status, done))
    }
}

fn report_head(
    slot: usize,
    status: u16,
    length: Option<u64>,
    scheduler: &mut Scheduler<'_>,
) -> BodyUse {
    let head = ResponseHead {
        status,
        length,
        bytes: &[],
    };
    scheduler.head(slot, &head)
}

fn refuse(slot: usize, error: Errno, scheduler: &mut Scheduler<'_>) -> (u16, u64) {
    let status = match error {
        Errno::NOENT => 404,
        _ => 500,
    };
    let text = io::Error::from(error).to_string();
    let length = text.len() as u64;
    if report_head(slot, status, Some(length), scheduler) == BodyUse::Inspect {
        scheduler.body(slot, 0, text.as_bytes());
    }
    (status, length)
}

impl Driver for Files {
    fn now(&self) -> u64 {
        self.clock.now()
    }

    fn begin_at(&mut self, origin: u64) {
        self.clock.begin_at(origin);
    }

    fn execute(&mut self, slot: usize, order: Order, scheduler: &mut Scheduler<'_>) {
        self.execute_order(slot, order, scheduler);
    }

    fn turn(&mut self, wake: u64, scheduler: &mut Scheduler<'_>) -> io::Result<()> {
        while let Some(connection) = self.to_open.pop() {
            let order = scheduler.connected(connection, self.clock.now(), Opened::default());
            self.execute(connection * scheduler.depth(), order, scheduler);
        }
        let mut served = 0;
        while served < BATCH && !self.pending.is_empty() {
            std::mem::swap(&mut self.pending, &mut self.doing);
            while let Some(slot) = self.doing.pop() {
                served += 1;
                self.serve(slot, scheduler);
            }
        }
        if served == 0 {
            let wait = wake.saturating_sub(self.clock.now());
            std::thread::sleep(std::time::Duration::from_nanos(wait.min(1_000_000)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Request;

    #[test]
    fn requests_are_read() {
        let request = Request::read(b"GET a/b 5 7").unwrap();
        assert_eq!((request.method, request.path), ("GET", "a/b"));
        assert_eq!(request.part, Some((5, 7)));
        assert!(Request::read(b"PUT a").unwrap().part.is_none());
        assert!(Request::read(b"PUT").is_none());
        assert!(Request::read(b"GET a x y").is_none());
    }
}
