//! One Chromium for many pages, driven by the DevTools protocol over a pipe.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// How long one call may take on a busy machine.
const WITHIN: Duration = Duration::from_secs(120);

/// How a page is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// `prefers-color-scheme` is dark.
    pub(crate) dark: bool,
    /// Printed.
    pub(crate) paper: bool,
    /// Width of the window, CSS pixels.
    pub(crate) width: u32,
}

impl Look {
    pub(crate) const LIGHT: Self = Self {
        dark: false,
        paper: false,
        width: 1280,
    };
    pub(crate) const DARK: Self = Self {
        dark: true,
        ..Self::LIGHT
    };
    pub(crate) const PHONE: Self = Self {
        width: 360,
        ..Self::LIGHT
    };
    /// A4 without margins of 1 cm.
    pub(crate) const PAPER: Self = Self {
        paper: true,
        width: 718,
        ..Self::LIGHT
    };
}

/// A browser with one tab. It ends with this, since its pipe does.
pub(crate) struct Browser {
    process: Child,
    to: Option<ChildStdin>,
    from: Receiver<Value>,
    calls: u64,
    session: String,
    /// Messages of the console, exceptions and violations of the policy, since the start.
    console: Vec<String>,
    directory: tempfile::TempDir,
}

impl Browser {
    pub(crate) fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let profile = directory.path().join("profile");
        // The protocol is on the descriptors 3 and 4, which std cannot open in a child.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >&2", "sh"])
            .args(["chromium", "--remote-debugging-pipe"])
            .args(super::OPTIONS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let from = messages(process.stdout.take().unwrap());
        let mut browser = Self {
            to: process.stdin.take(),
            process,
            from,
            calls: 0,
            session: String::new(),
            console: Vec::new(),
            directory,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached = browser.call(
            "Target.attachToTarget",
            json!({ "targetId": target["targetId"], "flatten": true }),
        );
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        browser.call("Runtime.enable", json!({}));
        browser.call("Log.enable", json!({}));
        browser
    }

    /// What the console has said so far.
    pub(crate) fn console(&self) -> &[String] {
        &self.console
    }

    /// Whether pages that are opened from now on may run scripts.
    pub(crate) fn allow_scripts(&mut self, allowed: bool) {
        self.call(
            "Emulation.setScriptExecutionDisabled",
            json!({ "value": !allowed }),
        );
    }

    /// Presses a key on the focused element.
    pub(crate) fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key });
            if kind == "keyDown" && key.chars().count() == 1 {
                event["text"] = json!(key);
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Moves the mouse to these places of the window, with the button down from the first to the last if
    /// `pressed`.
    pub(crate) fn mouse(&mut self, places: &[(f64, f64)], pressed: bool) {
        let mut send = |kind: &str, (x, y): (f64, f64), button: &str| {
            let buttons = u8::from(button == "left" && kind != "mouseReleased");
            self.call(
                "Input.dispatchMouseEvent",
                json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1 }),
            );
        };
        let (first, last) = (places[0], places[places.len() - 1]);
        send("mouseMoved", first, "none");
        if pressed {
            send("mousePressed", first, "left");
        }
        for place in &places[1..] {
            send("mouseMoved", *place, if pressed { "left" } else { "none" });
        }
        if pressed {
            send("mouseReleased", last, "left");
        }
    }

    /// Opens the page and waits until it is loaded.
    pub(crate) fn open(&mut self, page: &str) {
        let file = self.directory.path().join("page.html");
        std::fs::write(&file, page).unwrap();
        self.open_file(&file);
    }

    fn open_file(&mut self, file: &Path) {
        self.open_url(&format!("file://{}", file.display()));
    }

    pub(crate) fn open_url(&mut self, url: &str) {
        let opened = self.call("Page.navigate", json!({ "url": url }));
        assert!(opened.get("errorText").is_none(), "{opened}");
        // No promise, which would never be kept where scripts are off.
        while self.evaluate("document.readyState") != json!("complete") {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn set_look(&mut self, look: Look) {
        let scheme = if look.dark { "dark" } else { "light" };
        self.call(
            "Emulation.setEmulatedMedia",
            json!({
                "media": if look.paper { "print" } else { "screen" },
                "features": [{ "name": "prefers-color-scheme", "value": scheme }],
            }),
        );
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({
                "width": look.width, "height": 800, "deviceScaleFactor": 1,
                "mobile": look.width < 600,
            }),
        );
    }

    /// The value of an expression, or of its promise. The policy of the page does not apply to it.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let result = self.call(
            "Runtime.evaluate",
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true }),
        );
        assert!(result.get("exceptionDetails").is_none(), "{result}");
        result["result"]["value"].clone()
    }

    /// Like [`Self::evaluate`]; `None` while another page is being loaded.
    pub(crate) fn try_evaluate(&mut self, expression: &str) -> Option<Value> {
        let parameters = json!({ "expression": expression, "returnByValue": true });
        let result = self.try_call("Runtime.evaluate", parameters).ok()?;
        Some(result["result"]["value"].clone())
    }

    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        let result = self.try_call(method, parameters);
        result.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    fn try_call(&mut self, method: &str, parameters: Value) -> Result<Value, Value> {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let to = self.to.as_mut().unwrap();
        write!(to, "{message}\0").expect("chromium, which `cargo xtask setup` installs");
        loop {
            let answer = self.from.recv_timeout(WITHIN).unwrap_or_else(|error| {
                panic!("{method}: {error}; `cargo xtask setup` installs chromium")
            });
            match answer["method"].as_str() {
                Some("Log.entryAdded") => {
                    self.console
                        .push(answer["params"]["entry"]["text"].to_string());
                }
                Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled") => {
                    self.console.push(answer["params"].to_string());
                }
                _ => {}
            }
            if answer["id"] == json!(self.calls) {
                return match answer.get("error") {
                    Some(_) => Err(answer),
                    None => Ok(answer["result"].clone()),
                };
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

/// The messages of the browser, each of which ends with a zero byte.
fn messages(output: impl std::io::Read + Send + 'static) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for message in BufReader::new(output).split(0).map_while(Result::ok) {
            let message = serde_json::from_slice(&message).unwrap();
            if sender.send(message).is_err() {
                break;
            }
        }
    });
    receiver
}
