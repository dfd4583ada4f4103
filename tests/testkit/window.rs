//! Drives the window over WebDriver: the product's own on a virtual display, or its pages in Chromium.

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

use crate::{Display, Driver, Takt, browser::path_with, chromium::Chromium, place};

/// The timeout for a session, which hangs silently if a dependency is missing.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// The driver chooses a port that another program may take before the window does.
const MAX_STARTS: u32 = 4;
const PORT_TAKEN: &str = "Failed to start remote inspector server";
/// How long an element may take to appear, to stop moving and to be enabled.
const ELEMENT_TIMEOUT: Duration = Duration::from_secs(90);
/// How long the driver may take for a command on a busy machine.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const WIDTH: u32 = 1440;
const HEIGHT: u32 = 900;

/// True if the element is enabled and hasn't moved since the last call.
const IS_AT_REST: &str = "const found = document.querySelector(arguments[0]);
    const { left, top } = found?.getBoundingClientRect() ?? {};
    const place = found && [arguments[0], left, top].join();
    const rests = found !== null && !found.disabled && window.lastPlace === place;
    window.lastPlace = place;
    return rests";
/// True if nothing moves and the charts haven't changed since the last call.
const IS_PAGE_AT_REST: &str = "const moves = ({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity;
    const drawn = [...document.querySelectorAll('canvas')].map((canvas) => canvas.toDataURL()).join();
    const rests = !document.getAnimations().some(moves) && window.lastDrawn === drawn;
    window.lastDrawn = drawn;
    return rests";
const IS_ENABLED: &str = "const found = document.querySelector(arguments[0]); return found !== null && !found.disabled";

/// The engine that shows the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// The product's window: WebKitGTK, and on Windows WebView2.
    WebView,
    /// The same pages and commands without the product's window. It starts faster and has the same engine as WebView2.
    Chromium,
}

/// A window in its own home. It is killed when it is dropped. [`Window::close`] closes it as a user does.
#[derive(Debug)]
pub struct Window {
    pub client: Client,
    shell: Shell,
}

/// The programs behind the client.
#[derive(Debug)]
enum Shell {
    // Dropped in this order: the window with its driver, its display.
    WebView { driver: Driver, display: Option<Display> },
    Chromium(Chromium),
}

impl Window {
    /// Opens the window in `takt`'s home, with further variables such as `BROWSER`. The welcome isn't shown, and the
    /// practice plant requires a sign-in as a site does.
    pub async fn open(engine: Engine, takt: &Takt, environment: &[(&str, &str)]) -> Self {
        takt.mark_as_used();
        Self::open_first(engine, takt, environment).await
    }

    /// Like [`Window::open`], but leaves a new home as it is, so that the window starts with the welcome.
    pub async fn open_first(engine: Engine, takt: &Takt, environment: &[(&str, &str)]) -> Self {
        match engine {
            Engine::WebView => Self::open_built("takt-desktop", takt, environment).await,
            Engine::Chromium => {
                let (chromium, client) = Chromium::open(&whole_environment(takt, environment), WIDTH, HEIGHT).await;
                Self { client, shell: Shell::Chromium(chromium) }
            }
        }
    }

    /// Opens the product's window of another built program.
    pub async fn open_program(program: &str, takt: &Takt, environment: &[(&str, &str)]) -> Self {
        takt.mark_as_used();
        Self::open_built(program, takt, environment).await
    }

    async fn open_built(program: &str, takt: &Takt, environment: &[(&str, &str)]) -> Self {
        // Other systems use the user's display.
        let display = cfg!(target_os = "linux").then(|| Display::start(WIDTH, HEIGHT));
        let all = whole_environment(takt, environment);
        for _ in 0..MAX_STARTS {
            let mut driver = Driver::start(display.as_ref(), &all);
            if let Some(client) = connect(&driver, program).await {
                return Self { client, shell: Shell::WebView { driver, display } };
            }
            driver.kill();
        }
        panic!("the window got no port in {MAX_STARTS} starts");
    }

    /// Sets the size of the page.
    pub async fn resize(&self, width: u32, height: u32) {
        self.client.set_window_size(width, height).await.expect("the window can be resized");
    }

    /// Waits until nothing moves on the page.
    pub async fn rest(&self) {
        self.until("a page at rest", ELEMENT_TIMEOUT, IS_PAGE_AT_REST).await;
    }

    /// Takes a picture as soon as nothing moves, if this run takes pictures.
    pub async fn screenshot(&self, to: &Path) {
        if place::takes_pictures() {
            self.picture(to).await;
        }
    }

    /// Like [`Window::screenshot`], but in every run.
    pub async fn picture(&self, to: &Path) {
        self.rest().await;
        self.take_picture(to).await;
    }

    async fn take_picture(&self, to: &Path) {
        match &self.shell {
            Shell::WebView { display: Some(display), .. } => self.take_picture_of(display, to).await,
            Shell::WebView { display: None, .. } | Shell::Chromium(_) => {
                let picture = self.client.screenshot().await.expect("a page can be drawn");
                std::fs::write(to, picture).expect("the build folder can be written");
            }
        }
    }

    /// Takes the picture from the display, because the driver's own screenshot never returns.
    async fn take_picture_of(&self, display: &Display, to: &Path) {
        let size = self.client.execute("return [innerWidth, innerHeight].join('x')", Vec::new()).await;
        let size = size.expect("a window has a size");
        let size = size.as_str().expect("a size is text");
        let mut import = Command::new("import");
        import.args(["-display", display.name(), "-window", "root", "-crop", &format!("{size}+0+0"), "+repage"]);
        let taken = import.arg(to).stdin(Stdio::null()).status();
        assert!(taken.is_ok_and(|status| status.success()), "no picture in {}", to.display());
    }

    /// Runs JavaScript and returns its value. A failed script is repeated for a while: a page that is being redrawn may
    /// lack the elements that it reads.
    pub async fn script(&self, code: &str, arguments: Vec<Value>) -> Value {
        let run = async || self.client.execute(code, arguments.clone()).await.map(Some);
        self.repeat(&format!("result of {code}"), ELEMENT_TIMEOUT, run).await
    }

    /// Clicks an element once it is enabled and no longer moves.
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

    /// Replaces the text of an input, once it is enabled.
    pub async fn replace_text(&self, css: &str, text: &str) {
        let replace = async || {
            if self.client.execute(IS_ENABLED, vec![css.into()]).await? != true {
                return Ok(None);
            }
            // Typing into an element without the focus begins behind its text.
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

    /// Moves the mouse to an element and leaves it there. It starts in the corner, because the driver ignores a move to
    /// the position that it assumes.
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

    /// Waits until the script returns something other than null and false. Panics with the page's text after the limit.
    pub async fn until(&self, what: &str, limit: Duration, code: &str) -> Value {
        let look = async || match self.client.execute(code, Vec::new()).await? {
            Value::Null | Value::Bool(false) => Ok(None),
            found => Ok(Some(found)),
        };
        self.repeat(what, limit, look).await
    }

    /// Repeats a step until it returns a value. The step looks up its elements. If the page is redrawn before an
    /// element is used, the step fails, and the next try finds the new element.
    async fn repeat<T>(
        &self,
        what: &str,
        limit: Duration,
        mut step: impl AsyncFnMut() -> Result<Option<T>, CmdError>,
    ) -> T {
        let mut failure = None;
        let deadline = Instant::now() + limit;
        // The limit ends the repetition, but not a command that the driver is still working on.
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
        let picture = place::results("window").join("failed.png");
        self.take_picture(&picture).await;
        let text = self.client.execute("return document.body.innerText", Vec::new()).await.unwrap_or_default();
        let failure = failure.map(|error| format!("{error}\n")).unwrap_or_default();
        panic!("no {what} after {limit:?}; see {}\n{failure}{text}", picture.display());
    }

    /// Closes the window as a user does.
    pub async fn close(self) {
        self.client.close().await.expect("the window can be closed");
    }

    /// Kills the window.
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

/// Returns `environment` and the variables that confine a window to `takt`'s home.
fn whole_environment(takt: &Takt, environment: &[(&str, &str)]) -> Vec<(String, String)> {
    let home = takt.home().to_string_lossy().into_owned();
    // Files of the toolkits belong in the home, too.
    let folders = ["TAKT_HOME", "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"];
    let mut all: Vec<(String, String)> = folders.iter().map(|name| ((*name).to_owned(), home.clone())).collect();
    all.push(("DBUS_SESSION_BUS_ADDRESS".to_owned(), "unix:path=/nonexistent".to_owned()));
    all.push(("LC_ALL".to_owned(), "C.UTF-8".to_owned()));
    all.push(("TAKT_RETRY_WAIT".to_owned(), "20".to_owned()));
    // No user can choose a file or answer a native dialog.
    let folders = std::env::join_paths([takt.home(), &place::repository().join("tests/data")])
        .expect("folders have no separator");
    all.push(("TAKT_OPEN_FROM".to_owned(), folders.to_string_lossy().into_owned()));
    all.push(("TAKT_DIALOGS".to_owned(), "accept".to_owned()));
    all.extend(environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    if let Some((_, command)) = environment.iter().find(|(name, _)| *name == "BROWSER") {
        all.push(("PATH".to_owned(), path_with(command)));
    }
    all
}

/// Returns true for errors of a page that is being redrawn or isn't drawn yet.
fn may_be_a_redraw(error: &CmdError) -> bool {
    error.is_stale_element_reference()
        || error.is_no_such_element()
        || error.is_element_not_interactable()
        || error.is_move_target_out_of_bounds()
        || error.is_javascript_error()
}

/// Opens a session. Returns `None` if another program took the port that the driver chose for the window: the session
/// would then never open.
async fn connect(driver: &Driver, program: &str) -> Option<Client> {
    let program = place::built(program);
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

/// Returns when the window reports that its port is in use.
async fn port_is_taken(driver: &Driver) {
    while !driver.error_text().contains(PORT_TAKEN) {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
