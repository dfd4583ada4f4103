//! The window's pages in headless Chromium. The page server provides the product's pages, commands and events without a
//! web view.

use std::{
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use fantoccini::{Client, ClientBuilder, wd::Capabilities};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use crate::{Program, paths};

/// A Chromium without windows, which starts faster. It isn't available on every system.
const HEADLESS_SHELL: &str = "/usr/lib/chromium/chromium-headless-shell";
const MAX_STARTS: u32 = 4;
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// The text that ChromeDriver prints before its port.
const STARTED_TEXT: &str = "started successfully on port ";

/// Starts a driver and returns it with its port. ChromeDriver chooses a free port for IPv4, but exits if another
/// program uses the port for IPv6.
///
/// The driver creates the browser's profile in `profiles`. Headless Chromium opens no page if it is started with a
/// given profile.
fn start_driver(profiles: &Path) -> (Program, u16) {
    for _ in 0..MAX_STARTS {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").env("TMPDIR", profiles);
        let mut driver = Program::start("chromedriver", command);
        let deadline = Instant::now() + START_TIMEOUT;
        while driver.is_running() && Instant::now() < deadline {
            let printed = driver.output_text();
            let port = printed.split_once(STARTED_TEXT).and_then(|(_, rest)| rest.split_once('.')?.0.parse().ok());
            if let Some(port) = port {
                return (driver, port);
            }
            thread::sleep(POLL_INTERVAL);
        }
    }
    panic!("chromedriver got no port in {MAX_STARTS} starts");
}

/// The page server, and the driver with its browser. They end when the guard is dropped.
#[derive(Debug)]
pub(crate) struct Chromium {
    // Fields are dropped in this order: the driver with its browser, the server, the browser's profile.
    driver: Program,
    /// The driver's address.
    address: String,
    server: Program,
    _profiles: tempfile::TempDir,
}

impl Chromium {
    /// Starts the page server with `environment`, and opens its first page in a browser of the given size.
    pub(crate) async fn open(environment: &[(String, String)], width: u32, height: u32) -> (Self, Client) {
        let mut command = Command::new(paths::built_program("page-server"));
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        let mut server = Program::start("page-server", command);
        let profiles = tempfile::tempdir().expect("a temporary folder can be made");
        let (driver, port) = start_driver(profiles.path());
        let arguments = [
            "--headless".to_owned(),
            // The sandbox isn't available to root, and only the product's own pages are opened.
            "--no-sandbox".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--no-first-run".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-extensions".to_owned(),
            "--disable-component-update".to_owned(),
            "--force-prefers-reduced-motion".to_owned(),
            "--lang=en-US".to_owned(),
            // Pages are only open for seconds, so optimizing scripts would take longer than running them.
            "--js-flags=--no-opt --no-maglev".to_owned(),
            format!("--window-size={width},{height}"),
        ];
        let mut options = json!({ "args": arguments });
        if Path::new(HEADLESS_SHELL).exists() {
            options["binary"] = json!(HEADLESS_SHELL);
        }
        let capabilities = Capabilities::from_iter([
            ("goog:chromeOptions".to_owned(), options),
            ("unhandledPromptBehavior".to_owned(), json!("ignore")),
        ]);
        let address = format!("http://127.0.0.1:{port}");
        let connecting = ClientBuilder::new(HttpConnector::new()).capabilities(capabilities).connect(&address).await;
        let client = connecting.unwrap_or_else(|error| panic!("no browser: {error}\n{}", driver.error_text()));
        let page = server.first_line(START_TIMEOUT);
        client.goto(&page).await.unwrap_or_else(|error| panic!("no page at {page}: {error}"));
        allow_clipboard(&client, &address).await;
        (Self { driver, address, server, _profiles: profiles }, client)
    }

    /// Shows the pages as with a contrast theme of Windows.
    pub(crate) async fn emulate_forced_colors(&self, client: &Client) {
        let features = json!([{ "name": "forced-colors", "value": "active" }]);
        let command = json!({ "cmd": "Emulation.setEmulatedMedia", "params": { "features": features } });
        send_to_driver(client, &self.address, "goog/cdp/execute", &command).await;
    }

    /// Returns the error output of the page server and the driver.
    pub(crate) fn error_text(&self) -> String {
        format!("{}{}", self.server.error_text(), self.driver.error_text())
    }

    /// Kills the page server, and the browser with its driver.
    pub(crate) fn kill(&mut self) {
        self.server.kill();
        self.driver.kill();
    }
}

/// Grants the page access to the clipboard without a prompt.
async fn allow_clipboard(client: &Client, driver: &str) {
    for name in ["clipboard-read", "clipboard-write"] {
        let permission = json!({ "descriptor": { "name": name }, "state": "granted" });
        send_to_driver(client, driver, "permissions", &permission).await;
    }
}

/// Sends a command of the session that the client doesn't support.
async fn send_to_driver(client: &Client, driver: &str, path: &str, body: &Value) {
    let session = client.session_id().await.expect("the driver answers").expect("there is a session");
    let http = reqwest::Client::builder().no_proxy().build().expect("a client can be built");
    let asked = http.post(format!("{driver}/session/{session}/{path}")).body(body.to_string()).send().await;
    let answer = asked.expect("the driver answers");
    assert!(answer.status().is_success(), "{path}: {}", answer.status());
}
