//! One tab of the Chromium that `cargo xtask setup` installs, driven by the DevTools protocol over a
//! pipe.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

const OPTIONS: [&str; 8] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
];

/// How a page is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// Size of the window, CSS pixels.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// `prefers-color-scheme` is dark.
    pub(crate) dark: bool,
    /// Printed.
    pub(crate) paper: bool,
}

/// The browser process, which exits when its pipe is closed on drop.
pub(crate) struct Browser {
    process: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    calls: u64,
    session: String,
}

impl Browser {
    /// Starts the browser with its profile in this directory.
    ///
    /// # Errors
    /// If it is missing or does not respond.
    pub(crate) fn start(profile: &Path) -> Result<Self> {
        // The protocol is on the descriptors 3 and 4, which std cannot open in a child.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >&2", "sh"])
            .args(["chromium", "--remote-debugging-pipe"])
            .args(OPTIONS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let from = process.stdout.take().context("the browser has no output")?;
        let mut browser = Self {
            to: process.stdin.take(),
            process,
            from: BufReader::new(from),
            calls: 0,
            session: String::new(),
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }))?;
        let attached = browser.call(
            "Target.attachToTarget",
            json!({ "targetId": target["targetId"], "flatten": true }),
        )?;
        let session = attached["sessionId"].as_str();
        session
            .context("the browser gives no session")?
            .clone_into(&mut browser.session);
        Ok(browser)
    }

    /// Opens a page and waits until it is loaded.
    ///
    /// # Errors
    /// If the page cannot be opened.
    pub(crate) fn open(&mut self, url: &str) -> Result<()> {
        let opened = self.call("Page.navigate", json!({ "url": url }))?;
        ensure!(opened.get("errorText").is_none(), "{url}: {opened}");
        while self.evaluate("document.readyState")? != "complete" {
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Shows pages in this way from now on.
    ///
    /// # Errors
    /// If the browser refuses.
    pub(crate) fn set_look(&mut self, look: Look) -> Result<()> {
        let scheme = if look.dark { "dark" } else { "light" };
        self.call(
            "Emulation.setEmulatedMedia",
            json!({
                "media": if look.paper { "print" } else { "screen" },
                "features": [{ "name": "prefers-color-scheme", "value": scheme }],
            }),
        )?;
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({
                "width": look.width, "height": look.height, "deviceScaleFactor": 1,
                "mobile": look.width < 600,
            }),
        )?;
        Ok(())
    }

    /// The value of an expression.
    ///
    /// # Errors
    /// If the browser does not respond. A page that is being replaced has the value null.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Result<Value> {
        let parameters = json!({ "expression": expression, "returnByValue": true });
        let result = self.call("Runtime.evaluate", parameters)?;
        Ok(result["result"]["value"].clone())
    }

    /// The first screen of the page as PNG.
    ///
    /// # Errors
    /// If the browser makes no picture.
    pub(crate) fn picture(&mut self) -> Result<Vec<u8>> {
        let taken = self.call("Page.captureScreenshot", json!({ "format": "png" }))?;
        let data = taken["data"]
            .as_str()
            .context("the browser made no picture")?;
        Ok(STANDARD.decode(data)?)
    }

    fn call(&mut self, method: &str, parameters: Value) -> Result<Value> {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let to = self.to.as_mut().context("the browser has ended")?;
        write!(to, "{message}\0").context("chromium, which `cargo xtask setup` installs")?;
        loop {
            let mut answer = Vec::new();
            self.from.read_until(0, &mut answer)?;
            // Without its zero byte, it is the end of the browser.
            if answer.pop() != Some(0) {
                bail!("{method}: chromium ended; `cargo xtask setup` installs it");
            }
            let answer: Value = serde_json::from_slice(&answer)?;
            if answer["id"] == json!(self.calls) {
                ensure!(answer.get("error").is_none(), "{method}: {answer}");
                return Ok(answer["result"].clone());
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.to.take());
        let _ = self.process.wait();
    }
}
