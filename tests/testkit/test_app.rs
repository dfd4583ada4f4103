//! The window with helpers for tests, a browser for the sign-in, and access to the practice plant's log.
#![expect(clippy::unwrap_used, reason = "a test fails if it can't go on")]

use std::{collections::BTreeMap, path::Path, time::Duration};

use crate::{Browser, Engine, Person, Takt, Window, complete_sign_in};
use serde_json::{Value, json};

/// The time limit for changes in the window.
pub const CHANGE_TIMEOUT: Duration = Duration::from_secs(90);

#[derive(Debug)]
pub struct TestApp {
    pub window: Window,
    pub takt: Takt,
    pub browser: Browser,
}

impl TestApp {
    /// Opens the window in English in a new home, without the welcome. The practice plant's simulation is idle, so that
    /// only the test changes rows.
    pub async fn open(engine: Engine) -> Self {
        Self::open_with(engine, &[]).await
    }

    /// Like [`TestApp::open`], but with further environment variables.
    pub async fn open_with(engine: Engine, variables: &[(&str, &str)]) -> Self {
        let (takt, browser) = (Takt::new(), Browser::new());
        let command = browser.command().to_string_lossy().into_owned();
        let usual = [("BROWSER", command.as_str()), ("LANG", "en_US.UTF-8")];
        let window = Window::open(engine, &takt, &[&usual, variables].concat()).await;
        let app = Self { window, takt, browser };
        app.wait_for_element("import-open").await;
        app.post_to_plant("clock", json!({ "idle": true })).await;
        app
    }

    /// Opens the window as after an installation. The welcome is shown, and the practice plant requires no sign-in.
    pub async fn open_first(engine: Engine) -> Self {
        let (takt, browser) = (Takt::new(), Browser::new());
        let command = browser.command().to_string_lossy().into_owned();
        let window = Window::open_first(engine, &takt, &[("BROWSER", command.as_str()), ("LANG", "en_US.UTF-8")]).await;
        let app = Self { window, takt, browser };
        app.wait_for_element("welcome").await;
        app.post_to_plant("clock", json!({ "idle": true })).await;
        app
    }

    /// Opens the window in a used home, with the keychain on the bus at this address.
    pub async fn open_at(engine: Engine, takt: Takt, keychain: &str) -> Self {
        let browser = Browser::new();
        let command = browser.command().to_string_lossy().into_owned();
        let environment =
            [("BROWSER", command.as_str()), ("LANG", "en_US.UTF-8"), ("DBUS_SESSION_BUS_ADDRESS", keychain)];
        let window = Window::open(engine, &takt, &environment).await;
        let app = Self { window, takt, browser };
        app.wait_for_element("import-open").await;
        app
    }

    /// Kills the window and returns its home, for opening it again.
    #[must_use]
    pub fn kill(self) -> Takt {
        self.window.kill();
        self.takt
    }

    /// Waits until an element exists.
    pub async fn wait_for_element(&self, id: &str) {
        self.window
            .wait_until(
                id,
                CHANGE_TIMEOUT,
                &format!("return document.querySelector('[data-testid=\"{id}\"]') !== null"),
            )
            .await;
    }

    /// Waits until the submission has ended. Its results appear with the first request.
    pub async fn wait_for_submission_end(&self) {
        let state = "document.querySelector('[data-testid=\"results\"]')?.dataset.state";
        let code = format!("return ['finished', 'stopped', 'interrupted', 'paused'].includes({state})");
        self.window.wait_until("the submission's end", CHANGE_TIMEOUT, &code).await;
        self.wait_for_element("grid-results").await;
    }

    /// Waits until an element no longer exists.
    pub async fn wait_until_gone(&self, id: &str) {
        let code = format!("return document.querySelector('[data-testid=\"{id}\"]') === null");
        self.window.wait_until(&format!("end of {id}"), CHANGE_TIMEOUT, &code).await;
    }

    /// Clicks the element with this test id as soon as it can be clicked.
    pub async fn click(&self, id: &str) {
        if let Some(list) = id.strip_prefix("browse-").filter(|list| list.contains('.')) {
            self.clear_default_filters(list).await;
        }
        self.click_css(&format!("[data-testid=\"{id}\"]")).await;
    }

    /// Removes the default filter for today, so that a list shows all its rows.
    async fn clear_default_filters(&self, list: &str) {
        let mut filters = self.invoke("read_filters", json!({ "operation": list })).await;
        let is_of_today = |value: &Value| value == "today";
        if filters["parameters"].as_object().is_some_and(|given| !given.is_empty() && given.values().all(is_of_today)) {
            filters["parameters"] = json!({});
            self.invoke("read_filters_save", json!({ "operation": list, "filters": filters })).await;
        }
    }

    /// Clicks the first element that matches a selector, as soon as it can be clicked.
    pub async fn click_css(&self, css: &str) {
        self.window.click(css).await;
    }

    /// Types into an input as soon as it is enabled.
    pub async fn type_text(&self, id: &str, text: &str) {
        self.window.send_keys(&input(id), text).await;
    }

    /// Replaces the text of an input as soon as it is enabled.
    pub async fn replace_text(&self, id: &str, text: &str) {
        self.window.replace_text(&input(id), text).await;
    }

    /// Drops a file on the window. WebDriver can't drag files, so the page receives the event that the system would
    /// send.
    pub async fn drop_file(&self, path: &Path) {
        let code = "const dropped = 'tauri://drag-drop';
            const payload = { paths: [arguments[0]], position: { x: 0, y: 0 } };
            const ours = Object.getOwnPropertyNames(window).filter((name) => name.startsWith('_'));
            const listeners = ours.map((name) => window[name]?.[dropped]).find((found) => found !== undefined);
            for (const id of Object.getOwnPropertyNames(listeners ?? {})) {
                window.__TAURI_INTERNALS__.runCallback(listeners[id].handlerId, { event: dropped, id: Number(id), payload });
            }
            return listeners !== undefined;";
        let listens = "const own = Object.getOwnPropertyNames(window).filter((name) => name.startsWith('_'));
            return own.some((name) => Object.getOwnPropertyNames(window[name]?.['tauri://drag-drop'] ?? {}).length > 0);";
        self.window.wait_until("a page that listens for dropped files", CHANGE_TIMEOUT, listens).await;
        assert_eq!(self.window.script(code, vec![json!(path)]).await, true, "nobody hears of a dropped file");
    }

    /// Waits until the comparison of the rows with the site has this state: `open`, `busy` or `known`.
    pub async fn wait_for_comparison(&self, state: &str) {
        let code = format!("return document.querySelector('[data-testid=\"against\"]')?.dataset.state === '{state}'");
        self.window.wait_until(&format!("rows that stand against the site: {state}"), CHANGE_TIMEOUT, &code).await;
    }

    /// Waits until an element's text contains digits, and returns them as a number.
    pub async fn wait_for_number(&self, id: &str) -> u64 {
        let code = format!(
            "return document.querySelector('[data-testid=\"{id}\"]')?.textContent.replace(/[^0-9]/g, '') || null"
        );
        self.window
            .wait_until(&format!("number in {id}"), CHANGE_TIMEOUT, &code)
            .await
            .as_str()
            .unwrap()
            .parse()
            .unwrap()
    }

    /// Calls a backend command through the page's IPC. Returns its result, or an object with its problem.
    pub async fn invoke(&self, command: &str, arguments: Value) -> Value {
        let code = "const done = arguments[arguments.length - 1];
            window.__TAURI_INTERNALS__.invoke(arguments[0], arguments[1]).then(done, (problem) => done({ problem }));";
        self.window.client.execute_async(code, vec![json!(command), arguments]).await.unwrap()
    }

    /// Signs in as a planner in the open sign-in panel.
    pub async fn sign_in(&self) {
        self.click("sign-in").await;
        let address = self.browser.wait_for_any_address().await;
        let shown = self
            .window
            .wait_until(
                "address",
                CHANGE_TIMEOUT,
                "return document.querySelector('[data-testid=\"sign-in-address\"]')?.textContent",
            )
            .await;
        assert_eq!(shown.as_str().unwrap(), address, "the address to copy is the one that was opened");
        complete_sign_in(&address, Person::Planner).await;
    }

    /// Returns the items of an operation in the plant's log by business key, and whether each was accepted.
    pub async fn plant_log(&self, operation: &str, key: &[&str]) -> BTreeMap<String, bool> {
        let mut all = BTreeMap::new();
        for entry in
            self.control("log").await.as_array().unwrap().iter().filter(|entry| entry["operation"] == operation)
        {
            for item in entry["applied"].as_array().into_iter().flatten() {
                let name: Vec<String> =
                    key.iter().map(|member| as_text(&item[*member])).filter(|part| !part.is_empty()).collect();
                let before = all.insert(name.join(" · "), item["success"] == true);
                assert_eq!(before, None, "{name:?} was applied twice");
            }
        }
        all
    }

    /// Returns the response of the plant's control interface to a GET request.
    pub async fn control(&self, path: &str) -> Value {
        self.call_control(path, None).await
    }

    /// Posts to the plant's control interface, and returns the response.
    pub async fn post_to_plant(&self, path: &str, body: Value) -> Value {
        self.call_control(path, Some(body)).await
    }

    async fn call_control(&self, path: &str, body: Option<Value>) -> Value {
        let plant = self.invoke("practice_plant", json!({})).await;
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let address = format!("{}/{path}", plant["controlUrl"].as_str().unwrap());
        let request = match body {
            Some(body) => client.post(&address).json(&body),
            None => client.get(&address),
        };
        let answer = request.bearer_auth(plant["controlKey"].as_str().unwrap()).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{address}");
        answer.json().await.unwrap()
    }
}

/// Returns a selector for the input with this test id. The id may also belong to an element around the input.
fn input(id: &str) -> String {
    format!("input[data-testid=\"{id}\"], textarea[data-testid=\"{id}\"], [data-testid=\"{id}\"] input")
}

#[must_use]
/// Formats a JSON value like a cell.
pub fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
