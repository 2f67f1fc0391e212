//! The bare loop over files: stores, reads and removes files with only the necessary system calls,
//! without generating, comparing and timing.

use std::os::fd::OwnedFd;
use std::path::Path;

use anyhow::{Context, Result, bail};
use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, open, openat, unlinkat};
use rustix::io::{pread, write};

/// Name of the subfolder for the files.
const FOLDER: &str = "bare";

/// In each of `rounds` rounds, stores, reads and removes `count` files of `size` bytes. Returns the
/// number of operations.
pub(crate) fn run(directory: &Path, rounds: u64, count: u64, size: usize) -> Result<u64> {
    std::fs::create_dir_all(directory)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let above = open(directory, flags, Mode::empty())?;
    mkdirat(&above, FOLDER, Mode::from_raw_mode(0o755)).context("the folder is there already")?;
    let content = vec![7; size];
    // The read size of Tenbin.
    let mut buffer = vec![0; 1 << 20];
    for _ in 0..rounds {
        for number in 0..count {
            store(&above, &name(number), &content)?;
        }
        for number in 0..count {
            load(&above, &name(number), &mut buffer, size)?;
        }
        for number in 0..count {
            unlinkat(&above, name(number), AtFlags::empty())?;
        }
    }
    unlinkat(&above, FOLDER, AtFlags::REMOVEDIR)?;
    Ok(3 * rounds * count)
}

fn store(above: &OwnedFd, name: &str, content: &[u8]) -> Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC;
    let file = openat(above, name, flags, Mode::from_raw_mode(0o644))?;
    if write(&file, content)? != content.len() {
        bail!("a file was only written in part");
    }
    Ok(())
}

fn load(above: &OwnedFd, name: &str, buffer: &mut [u8], size: usize) -> Result<()> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = openat(above, name, flags, Mode::empty())?;
    if pread(&file, buffer, 0)? != size {
        bail!("a file is not as long as it was written");
    }
    Ok(())
}

fn name(number: u64) -> String {
    format!("{FOLDER}/{number:012}")
}
