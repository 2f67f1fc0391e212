//! The address of the live page of a running run, in a file of its directory that only its owner can
//! read: the address contains a token. The file exists only while the run is running.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use tenbin_plan::read_own;

/// File for the address.
pub(crate) const LIVE_FILE: &str = "live.url";
/// Most bytes that are read of the file; the least that can be read with a limit.
const LARGEST: u64 = 1 << 20;
/// Length of the token, hexadecimal digits.
const TOKEN: usize = 32;

/// The file with the address; removed when this value is dropped.
#[derive(Debug)]
pub struct LiveAddress {
    path: PathBuf,
}

impl LiveAddress {
    /// Writes the address to the directory of a run.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn write(directory: &Path, url: &str) -> io::Result<Self> {
        let path = directory.join(LIVE_FILE);
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        file.write_all(url.as_bytes())?;
        Ok(Self { path })
    }
}

impl Drop for LiveAddress {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// The address of the live page of a running run. `None` for a text of any other form: the directory
/// can come from somebody else.
pub fn live_address(directory: &Path) -> Option<String> {
    let text = String::from_utf8(read_own(&directory.join(LIVE_FILE), LARGEST).ok()?).ok()?;
    let (port, path) = text.strip_prefix("http://127.0.0.1:")?.split_once('/')?;
    let token = path.strip_suffix('/')?;
    let is_token = token.len() == TOKEN && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    (is_token && is_port).then(|| text.clone())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn only_an_address_of_a_live_page_is_read_and_only_by_its_owner() {
        let scratch = tempfile::tempdir().unwrap();
        let url = format!("http://127.0.0.1:4000/{}/", "0123456789abcdef".repeat(2));
        let written = LiveAddress::write(scratch.path(), &url).unwrap();
        let file = scratch.path().join(LIVE_FILE);
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(live_address(scratch.path()), Some(url.clone()));
        drop(written);
        assert!(!file.exists());
        for other in [
            url.replace("127.0.0.1", "evil.example"),
            url.replace("http", "javascript"),
            url.replace("4000", "+400"),
            url.replace("4000", "400000"),
            url.replace('f', "\""),
            url.replace('f', ""),
            format!("{url}x"),
            String::new(),
        ] {
            fs::write(&file, &other).unwrap();
            assert_eq!(live_address(scratch.path()), None, "{other}");
        }
    }
}
