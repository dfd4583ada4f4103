//! Drives the window over WebDriver: the product's own window on a virtual display, or its pages in Chromium.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use fantoccini::{
    Client, ClientBuilder, Locator,
    actions::{InputSource, MouseActions, PointerAction},
    error::CmdError,
    wd::Capabilities,
};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use crate::{Display, Driver, Takt, browser::path_with, chromium::Chromium, paths};

/// The time limit for opening a session. A missing dependency makes it hang without an error.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// The maximum number of starts. The driver chooses a port, and another program may take it before the window does.
const MAX_STARTS: u32 = 4;
const PORT_TAKEN: &str = "Failed to start remote inspector server";
/// The time in which an element must appear, stop moving and be enabled.
const ELEMENT_TIMEOUT: Duration = Duration::from_secs(90);
/// The time limit of one driver command on a busy machine.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const WIDTH: u32 = 1440;
const HEIGHT: u32 = 900;

/// Returns true if the element is enabled and hasn't moved since the last call.
const IS_AT_REST: &str = "const found = document.querySelector(arguments[0]);
    const { left, top } = found?.getBoundingClientRect() ?? {};
    const place = found && [arguments[0], left, top].join();
    const rests = found !== null && !found.disabled && window.lastPlace === place;
    window.lastPlace = place;
    return rests";
/// Returns true if nothing moves and the charts haven't changed since the last call.
const IS_PAGE_AT_REST: &str = "const moves = ({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity;
    const drawn = [...document.querySelectorAll('canvas')].map((canvas) => canvas.toDataURL()).join();
    const rests = !document.getAnimations().some(moves) && window.lastDrawn === drawn;
    window.lastDrawn = drawn;
    return rests";
const IS_ENABLED: &str = "const found = document.querySelector(arguments[0]); return found !== null && !found.disabled";

/// The browser engine that shows the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// The product's own window, which uses WebKitGTK, or WebView2 on Windows.
    WebView,
    /// The same pages and commands without the product's window. It starts faster and uses the same engine as WebView2.
    Chromium,
}

/// A window in its own home. It is killed when it is dropped, but [`Window::close`] closes it like a user.
#[derive(Debug)]
pub struct Window {
    pub client: Client,
    shell: Shell,
}

/// The programs that run the window. They are killed when it is dropped.
#[derive(Debug)]
enum Shell {
    // Fields are dropped in this order: the driver with its window, then the display.
    WebView { driver: Driver, display: Option<Display> },
    Chromium(Chromium),
}

impl Window {
    /// Opens the window in `takt`'s home, with additional variables such as `BROWSER`. The welcome isn't shown, and the
    /// practice plant requires a sign-in like other sites.
    pub async fn open(engine: Engine, takt: &Takt, environment: &[(&str, &str)]) -> Self {
        takt.mark_as_used();
        Self::open_first(engine, takt, environment).await
    }

    /// Like [`Window::open`], but doesn't mark the home as used. In a new home, the window shows the welcome.
    pub async fn open_first(engine: Engine, takt: &Takt, environment: &[(&str, &str)]) -> Self {
        match engine {
            Engine::WebView => Self::open_built("takt-desktop", takt, environment).await,
            Engine::Chromium => {
                let (chromium, client) = Chromium::open(&window_environment(takt, environment), WIDTH, HEIGHT).await;
                Self { client, shell: Shell::Chromium(chromium) }
            }
        }
    }

    /// Opens the window of another program than the product's, such as one with test code.
    pub async fn open_program(program: &str, takt: &Takt, environment: &[(&str, &str)]) -> Self {
        takt.mark_as_used();
        Self::open_built(program, takt, environment).await
    }

    async fn open_built(program: &str, takt: &Takt, environment: &[(&str, &str)]) -> Self {
        // Systems other than Linux use the user's display.
        let display = cfg!(target_os = "linux").then(|| Display::start(WIDTH, HEIGHT));
        let all = window_environment(takt, environment);
        for _ in 0..MAX_STARTS {
            let mut driver = Driver::start(display.as_ref(), &all);
            if let Some(client) = connect(&driver, program).await {
                return Self { client, shell: Shell::WebView { driver, display } };
            }
            driver.kill();
        }
        panic!("the window got no port in {MAX_STARTS} starts");
    }

    /// Sets the window's size in pixels.
    pub async fn resize(&self, width: u32, height: u32) {
        self.client.set_window_size(width, height).await.expect("the window can be resized");
    }

    /// Shows the pages as with a contrast theme of Windows.
    ///
    /// # Panics
    /// If the pages aren't in Chromium.
    pub async fn emulate_forced_colors(&self) {
        let Shell::Chromium(chromium) = &self.shell else { panic!("only Chromium emulates forced colors") };
        chromium.emulate_forced_colors(&self.client).await;
    }

    /// Waits until nothing moves on the page and its charts are drawn.
    pub async fn wait_until_still(&self) {
        self.wait_until("a page at rest", ELEMENT_TIMEOUT, IS_PAGE_AT_REST).await;
    }

    /// Takes a picture once nothing moves, if `TAKT_TEST_LOOKS` enables pictures.
    pub async fn screenshot(&self, to: &Path) {
        if paths::are_pictures_enabled() {
            self.take_picture(to).await;
        }
    }

    /// Like [`Window::screenshot`], but always takes the picture.
    pub async fn take_picture(&self, to: &Path) {
        self.wait_until_still().await;
        self.save_picture(to).await;
    }

    async fn save_picture(&self, to: &Path) {
        match &self.shell {
            Shell::WebView { display: Some(display), .. } => self.save_picture_of(display, to).await,
            Shell::WebView { display: None, .. } | Shell::Chromium(_) => {
                let picture = self.client.screenshot().await.expect("a page can be drawn");
                std::fs::write(to, picture).expect("the build folder can be written");
            }
        }
    }

    /// Takes the picture from the display, since the driver's own screenshot never returns.
    async fn save_picture_of(&self, display: &Display, to: &Path) {
        let size = self.client.execute("return [innerWidth, innerHeight].join('x')", Vec::new()).await;
        let size = size.expect("a window has a size");
        let size = size.as_str().expect("a size is text");
        let mut import = Command::new("import");
        import.args(["-display", display.name(), "-window", "root", "-crop", &format!("{size}+0+0"), "+repage"]);
        let taken = import.arg(to).stdin(Stdio::null()).status();
        assert!(taken.is_ok_and(|status| status.success()), "no picture in {}", to.display());
    }

    /// Runs JavaScript and returns its value. Retries a failed script for a while, since a page that is being redrawn
    /// may lack elements.
    pub async fn script(&self, code: &str, arguments: Vec<Value>) -> Value {
        let run = async || self.client.execute(code, arguments.clone()).await.map(Some);
        self.repeat(&format!("result of {code}"), ELEMENT_TIMEOUT, run).await
    }

    /// Clicks an element once it is enabled and has stopped moving.
    pub async fn click(&self, css: &str) {
        let click = async || {
            if self.client.execute(IS_AT_REST, vec![css.into()]).await? != true {
                return Ok(None);
            }
            self.client.find(Locator::Css(css)).await?.click().await.map(Some)
        };
        self.repeat(css, ELEMENT_TIMEOUT, click).await;
    }

    /// Types into an element once it is enabled.
    pub async fn send_keys(&self, css: &str, keys: &str) {
        let send = async || {
            if self.client.execute(IS_ENABLED, vec![css.into()]).await? != true {
                return Ok(None);
            }
            self.client.find(Locator::Css(css)).await?.send_keys(keys).await.map(Some)
        };
        self.repeat(css, ELEMENT_TIMEOUT, send).await;
    }

    /// Replaces the text of an input once it is enabled.
    pub async fn replace_text(&self, css: &str, text: &str) {
        let replace = async || {
            if self.client.execute(IS_ENABLED, vec![css.into()]).await? != true {
                return Ok(None);
            }
            // Typing into an element without the focus would append to its text.
            let select = "const found = document.querySelector(arguments[0]); found.focus(); found.select()";
            self.client.execute(select, vec![css.into()]).await?;
            self.client.find(Locator::Css(css)).await?.send_keys(text).await.map(Some)
        };
        self.repeat(css, ELEMENT_TIMEOUT, replace).await;
    }

    /// Presses keys in the element that has the focus.
    pub async fn send_keys_to_focus(&self, keys: &str) {
        let send = async || self.client.active_element().await?.send_keys(keys).await.map(Some);
        self.repeat("element with the focus", ELEMENT_TIMEOUT, send).await;
    }

    /// Moves the mouse to an element and leaves it there. Starts in the corner, since the driver ignores moves to the
    /// mouse's assumed position.
    pub async fn move_mouse_to(&self, css: &str) {
        let point = async || {
            let element = self.client.find(Locator::Css(css)).await?;
            let to = MouseActions::new("mouse".to_owned())
                .then(PointerAction::MoveTo { duration: None, x: 0.0, y: 0.0 })
                .then(PointerAction::MoveToElement { element, duration: None, x: 0.0, y: 0.0 });
            self.client.perform_actions(to).await.map(Some)
        };
        self.repeat(css, ELEMENT_TIMEOUT, point).await;
    }

    /// Waits until the script returns a value other than null and false. Panics with the page's text after the time
    /// limit.
    pub async fn wait_until(&self, what: &str, limit: Duration, code: &str) -> Value {
        let look = async || match self.client.execute(code, Vec::new()).await? {
            Value::Null | Value::Bool(false) => Ok(None),
            found => Ok(Some(found)),
        };
        self.repeat(what, limit, look).await
    }

    /// Repeats a step until it returns a value. The step must look up its elements. If the page is redrawn in between,
    /// the step fails, and the next attempt finds the new elements.
    async fn repeat<T>(
        &self,
        what: &str,
        limit: Duration,
        mut step: impl AsyncFnMut() -> Result<Option<T>, CmdError>,
    ) -> T {
        let mut failure = None;
        let deadline = Instant::now() + limit;
        // The time limit ends the repetition. It doesn't end a command that the driver is executing.
        let repeating = async {
            loop {
                match step().await {
                    Ok(Some(value)) => return Some(value),
                    Ok(None) => failure = None,
                    Err(error) if may_be_a_redraw(&error) => failure = Some(error),
                    Err(error) => panic!("{what}: {error}\n{}", self.error_text()),
                }
                if Instant::now() >= deadline {
                    return None;
                }
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        };
        if let Ok(Some(value)) = tokio::time::timeout(limit + COMMAND_TIMEOUT, repeating).await {
            return value;
        }
        let picture = paths::results_folder("window").join("failed.png");
        self.save_picture(&picture).await;
        let text = self.client.execute("return document.body.innerText", Vec::new()).await.unwrap_or_default();
        let failure = failure.map(|error| format!("{error}\n")).unwrap_or_default();
        panic!("no {what} after {limit:?}; see {}\n{failure}{text}", picture.display());
    }

    /// Closes the window like a user.
    pub async fn close(self) {
        self.client.close().await.expect("the window can be closed");
    }

    /// Kills the window, so that it can't save anything.
    pub fn kill(mut self) {
        match &mut self.shell {
            Shell::WebView { driver, .. } => driver.kill(),
            Shell::Chromium(chromium) => chromium.kill(),
        }
    }

    fn error_text(&self) -> String {
        match &self.shell {
            Shell::WebView { driver, .. } => driver.error_text(),
            Shell::Chromium(chromium) => chromium.error_text(),
        }
    }
}

/// Returns `environment` with the variables that confine a window to `takt`'s home.
fn window_environment(takt: &Takt, environment: &[(&str, &str)]) -> Vec<(String, String)> {
    let home = takt.home().to_string_lossy().into_owned();
    // The toolkits' files must also be in the home.
    let folders = ["TAKT_HOME", "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"];
    let mut all: Vec<(String, String)> = folders.iter().map(|name| ((*name).to_owned(), home.clone())).collect();
    all.push(("DBUS_SESSION_BUS_ADDRESS".to_owned(), "unix:path=/nonexistent".to_owned()));
    all.push(("LC_ALL".to_owned(), "C.UTF-8".to_owned()));
    all.push(("TAKT_RETRY_WAIT".to_owned(), "20".to_owned()));
    // Tests can't choose files or answer questions in native dialogs.
    let folders = std::env::join_paths([takt.home(), &paths::repository().join("tests/data")])
        .expect("folders have no separator");
    all.push(("TAKT_OPEN_FROM".to_owned(), folders.to_string_lossy().into_owned()));
    all.push(("TAKT_DIALOGS".to_owned(), "accept".to_owned()));
    all.extend(environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    if let Some((_, command)) = environment.iter().find(|(name, _)| *name == "BROWSER") {
        all.push(("PATH".to_owned(), path_with(command)));
    }
    all
}

/// Returns whether the error may be caused by a page that is being redrawn or isn't drawn yet.
fn may_be_a_redraw(error: &CmdError) -> bool {
    error.is_stale_element_reference()
        || error.is_no_such_element()
        || error.is_element_not_interactable()
        || error.is_move_target_out_of_bounds()
        || error.is_javascript_error()
}

/// Opens a session. Returns `None` if another program took the port that the driver chose for the window, since the
/// session would never open.
async fn connect(driver: &Driver, program: &str) -> Option<Client> {
    let program = paths::built_program(program);
    let capabilities = if cfg!(windows) {
        let options = json!({ "binary": program, "args": [], "webviewOptions": {} });
        Capabilities::from_iter([("browserName".to_owned(), json!("webview2")), ("ms:edgeOptions".to_owned(), options)])
    } else {
        let options = json!({ "binary": program, "args": [] });
        Capabilities::from_iter([("webkitgtk:browserOptions".to_owned(), options)])
    };
    let address = driver.address();
    let mut builder = ClientBuilder::new(HttpConnector::new());
    builder.capabilities(capabilities);
    let connecting = builder.connect(&address);
    let opened = tokio::select! {
        opened = tokio::time::timeout(START_TIMEOUT, connecting) => opened,
        () = port_is_taken(driver) => return None,
    };
    match opened {
        Ok(Ok(client)) => Some(client),
        Ok(Err(error)) => panic!("the window didn't open: {error}\n{}", driver.error_text()),
        Err(_) => panic!("the window didn't open within {START_TIMEOUT:?}\n{}", driver.error_text()),
    }
}

/// Returns as soon as the window reports that its port is in use.
async fn port_is_taken(driver: &Driver) {
    while !driver.error_text().contains(PORT_TAKEN) {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
