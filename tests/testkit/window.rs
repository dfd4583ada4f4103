//! The real window: the built app on a display without a screen, moved by its driver.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use fantoccini::{Client, ClientBuilder, wd::Capabilities};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use crate::{Display, Driver, Takt, browser::path_with, place};

/// Creating a session hangs without a word where something is missing.
const START: Duration = Duration::from_secs(60);
/// The driver chooses a port, and another program may have it before the window does.
const MOST_STARTS: u32 = 4;
const PORT_TAKEN: &str = "Failed to start remote inspector server";
const WIDTH: u32 = 1440;
const HEIGHT: u32 = 900;

/// A window in a home of its own. It ends with its guard; [`Window::close`] ends it as a person does.
#[derive(Debug)]
pub struct Window {
    pub client: Client,
    // Dropped in this order: the window, its driver, its display.
    driver: Driver,
    display: Display,
}

impl Window {
    /// Opens the built app in `takt`'s home; further variables, such as `BROWSER`, come from the caller. Whoever sits there has
    /// seen the welcome, and wants the practice plant to ask for a sign-in as a site does.
    pub async fn open(takt: &Takt, environment: &[(&str, &str)]) -> Self {
        takt.introduce();
        Self::open_first(takt, environment).await
    }

    /// The same for the first time, as long as nobody used the home.
    pub async fn open_first(takt: &Takt, environment: &[(&str, &str)]) -> Self {
        Self::open_built("takt-desktop", takt, environment).await
    }

    /// The same with the window of another program, by its name among those that were built.
    pub async fn open_program(program: &str, takt: &Takt, environment: &[(&str, &str)]) -> Self {
        takt.introduce();
        Self::open_built(program, takt, environment).await
    }

    async fn open_built(program: &str, takt: &Takt, environment: &[(&str, &str)]) -> Self {
        let display = Display::start(WIDTH, HEIGHT);
        let home = takt.home().to_string_lossy().into_owned();
        // Whatever a toolkit keeps for itself stays in the home, too.
        let folders = ["TAKT_HOME", "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"];
        let mut all: Vec<(String, String)> = folders.iter().map(|name| ((*name).to_owned(), home.clone())).collect();
        all.push(("DBUS_SESSION_BUS_ADDRESS".to_owned(), "unix:path=/nonexistent".to_owned()));
        all.push(("LC_ALL".to_owned(), "C.UTF-8".to_owned()));
        // No person is there to choose a file, or to answer a native dialog.
        let folders = std::env::join_paths([takt.home(), &place::repository().join("tests/data")])
            .expect("folders have no separator");
        all.push(("TAKT_OPEN_FROM".to_owned(), folders.to_string_lossy().into_owned()));
        all.push(("TAKT_DIALOGS".to_owned(), "accept".to_owned()));
        all.extend(environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        if let Some((_, command)) = environment.iter().find(|(name, _)| *name == "BROWSER") {
            all.push(("PATH".to_owned(), path_with(command)));
        }
        for _ in 0..MOST_STARTS {
            let mut driver = Driver::start(&display, &all);
            if let Some(client) = connect(&driver, program).await {
                return Self { client, driver, display };
            }
            driver.kill();
        }
        panic!("the window got no port in {MOST_STARTS} starts");
    }

    /// Sets the size of what is looked at.
    pub async fn resize(&self, width: u32, height: u32) {
        self.client.set_window_size(width, height).await.expect("the window can be resized");
    }

    /// Keeps a picture of what is to be seen now. It is taken from the display: the driver's own never comes back.
    pub async fn screenshot(&self, to: &Path) {
        let size = self.script("return [innerWidth, innerHeight].join('x')", Vec::new()).await;
        let size = size.as_str().expect("a size is text");
        let mut import = Command::new("import");
        import.args(["-display", self.display.name(), "-window", "root", "-crop", &format!("{size}+0+0"), "+repage"]);
        let taken = import.arg(to).stdin(Stdio::null()).status();
        assert!(taken.is_ok_and(|status| status.success()), "no picture in {}", to.display());
    }

    /// The value of a piece of JavaScript that returns one.
    pub async fn script(&self, code: &str, arguments: Vec<Value>) -> Value {
        let run = self.client.execute(code, arguments).await;
        run.unwrap_or_else(|error| panic!("{error} in {code}\n{}", self.driver.complained()))
    }

    /// Selects everything in an input, so that what is typed next takes its place.
    pub async fn clear(&self, css: &str) {
        let code = "document.querySelector(arguments[0]).select()";
        self.script(code, vec![Value::from(css)]).await;
    }

    /// Until the script returns something else than null and false; panics with the page's text where it never does. A script
    /// that fails is run again, too: what it looks into may not be there yet.
    pub async fn until(&self, what: &str, limit: Duration, code: &str) -> Value {
        let mut failure = None;
        let waiting = async {
            loop {
                match self.client.execute(code, Vec::new()).await {
                    Ok(Value::Null | Value::Bool(false)) => failure = None,
                    Ok(found) => return found,
                    Err(error) if error.is_javascript_error() => failure = Some(error),
                    Err(error) => panic!("{error} in {code}\n{}", self.driver.complained()),
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        if let Ok(found) = tokio::time::timeout(limit, waiting).await {
            return found;
        }
        let picture = place::results("window").join("failed.png");
        self.screenshot(&picture).await;
        let text = self.script("return document.body.innerText", Vec::new()).await;
        let failure = failure.map(|error| format!("{error} in {code}\n")).unwrap_or_default();
        panic!("no {what} after {limit:?}; see {}\n{failure}{text}", picture.display());
    }

    /// As a person closes it.
    pub async fn close(self) {
        self.client.close().await.expect("the window can be closed");
    }

    /// As a power cut ends it.
    pub fn kill(mut self) {
        self.driver.kill();
    }
}

/// None where another program took the port that the driver had chosen for the window: nobody would ever answer then.
async fn connect(driver: &Driver, program: &str) -> Option<Client> {
    let options = json!({ "binary": place::built(program), "args": [] });
    let capabilities = Capabilities::from_iter([("webkitgtk:browserOptions".to_owned(), options)]);
    let address = driver.address();
    let mut builder = ClientBuilder::new(HttpConnector::new());
    builder.capabilities(capabilities);
    let connecting = builder.connect(&address);
    let opened = tokio::select! {
        opened = tokio::time::timeout(START, connecting) => opened,
        () = port_is_taken(driver) => return None,
    };
    match opened {
        Ok(Ok(client)) => Some(client),
        Ok(Err(error)) => panic!("the window didn't open: {error}\n{}", driver.complained()),
        Err(_) => panic!("the window didn't open within {START:?}\n{}", driver.complained()),
    }
}

/// Ends when the window complains so.
async fn port_is_taken(driver: &Driver) {
    while !driver.complained().contains(PORT_TAKEN) {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
