//! S3 servers that Tenbin does not start and that outlive a run, so that Tenbin must delete its
//! objects.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use super::ports::free_port;
use super::processes::{tied, wait_until};
use super::scratch::Scratch;
use super::servers::{Server, path_of};

pub(crate) const ACCESS: &str = "tenbin-test-user";
pub(crate) const SECRET: &str = "tenbin-test-secret";

/// A running server; killed on drop.
pub(crate) struct Owned {
    pub(crate) name: &'static str,
    child: Child,
    port: u16,
    disk: PathBuf,
}

impl Owned {
    pub(crate) fn minio(scratch: &Scratch) -> Self {
        let port = free_port();
        let disk = scratch.join("minio");
        let mut command = quiet(scratch, Server::Minio);
        command
            .args(["server", "--quiet", "--certs-dir", &scratch.join("certs")])
            .args(["--address", &format!("127.0.0.1:{port}"), &disk])
            .env("MINIO_ROOT_USER", ACCESS)
            .env("MINIO_ROOT_PASSWORD", SECRET)
            .env("MINIO_BROWSER", "off")
            .env("MINIO_UPDATE", "off");
        Self::start("minio", command, port, disk)
    }

    pub(crate) fn versity(scratch: &Scratch) -> Self {
        let port = free_port();
        let disk = scratch.join("versity");
        std::fs::create_dir(&disk).expect("a directory for the gateway");
        let mut command = quiet(scratch, Server::Versitygw);
        command
            .args(["--quiet", "--keep-alive", "--health", "/health", "--port"])
            .args([&format!("127.0.0.1:{port}"), "posix", &disk])
            .env("ROOT_ACCESS_KEY", ACCESS)
            .env("ROOT_SECRET_KEY", SECRET);
        Self::start("versity", command, port, disk)
    }

    fn start(name: &'static str, mut command: Command, port: u16, disk: String) -> Self {
        let child = command.spawn().expect("the server starts");
        let server = Self {
            name,
            child,
            port,
            disk: disk.into(),
        };
        let up = wait_until(Duration::from_secs(60), || {
            std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        assert!(up, "{name} does not come up");
        // The server rejects object operations for a moment after its port opens.
        std::thread::sleep(Duration::from_secs(1));
        server
    }

    /// The `[[target]]` table of the server for a plan file.
    pub(crate) fn table(&self) -> String {
        format!(
            "[[target]]\nname = \"{}\"\nurl = \"http://127.0.0.1:{}\"\n\
             access_key = \"{ACCESS}\"\nsecret_key = \"{SECRET}\"\n",
            self.name, self.port
        )
    }

    /// Stored files, including parts of incomplete uploads, each with its modification time.
    pub(crate) fn stored(&self) -> BTreeMap<String, SystemTime> {
        let mut files = BTreeMap::new();
        collect(&self.disk, &mut files);
        // Excludes MinIO's internal files, except incomplete uploads, and the locks of the gateway.
        files.retain(|path, _| {
            let minios = path.contains("/.minio.sys/");
            let uploads = path.contains("/.minio.sys/multipart/");
            (!minios || uploads) && !path.contains("/.vgwlocks/")
        });
        files
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn quiet(scratch: &Scratch, server: Server) -> Command {
    let mut command = tied(path_of(server));
    command
        .env("HOME", scratch.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn collect(directory: &Path, files: &mut BTreeMap<String, SystemTime>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.metadata() {
            Ok(data) if data.is_dir() => collect(&path, files),
            Ok(data) => {
                let changed = data.modified().expect("a time of change");
                files.insert(path.display().to_string(), changed);
            }
            // The file was removed in the meantime.
            Err(_) => {}
        }
    }
}
