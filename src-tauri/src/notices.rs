//! Desktop notifications of events that a person wants to hear of, wherever the window is.
//!
//! Owns which events are told (`rule`) and how many (`pace`). Leaves to the desktop how they look (`notification`); one without
//! notifications is told nothing, and nothing else happens.

mod notification;
mod pace;
mod rule;

use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{
    Code, Engine, Problem,
    inbox::{EventLine, EventQuery, SignatureState},
};
use tauri::{AppHandle, Manager, Runtime};
use tokio::time::{Instant, sleep_until};

use crate::{
    preferences::{self, Language},
    state::AppStateAccess,
    window,
};
use notification::NoticeTarget;
pub(crate) use notification::WaitingNotifications;
use pace::{Notice, Pace};
pub(crate) use rule::NoticeRule;

const NOTICES: &str = "notices";
/// Events that are looked at in one go; of more than that nobody wants to hear one by one.
const MAX_AT_ONCE: u32 = 200;
/// Events that come within this time are handled together.
const BATCH_INTERVAL: Duration = Duration::from_millis(250);

/// What a person wants to be told of, on the desktop.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub(crate) struct Notices {
    pub(crate) on: bool,
    /// One that fits is enough.
    pub(crate) rules: Vec<NoticeRule>,
}

/// The words around what events say themselves, in the window's language.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct NoticeTexts {
    /// For an event that the contract doesn't know.
    pub(crate) unknown: String,
    /// With `#` for how many.
    pub(crate) many: String,
    /// What a click does.
    pub(crate) open: String,
}

#[derive(Debug, Default)]
pub(crate) struct NoticeState(Mutex<Option<NoticeTexts>>);

/// The words that notifications have from now on.
pub(crate) fn set_words<R: Runtime>(app: &AppHandle<R>, words: NoticeTexts) {
    *app.state::<NoticeState>().0.lock() = Some(words);
}

pub(crate) fn load<R: Runtime>(app: &AppHandle<R>) -> Notices {
    let stored = preferences::store(app).ok().and_then(|store| store.get(NOTICES));
    stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

pub(crate) fn save<R: Runtime>(app: &AppHandle<R>, notices: &Notices) -> Result<(), Problem> {
    let value = serde_json::to_value(notices).map_err(|error| Problem::new(Code::Bug).details(error))?;
    preferences::save_value(app, NOTICES, value)
}

/// Tells of events as they come, for as long as Takt runs.
pub(crate) fn watch<R: Runtime>(app: &AppHandle<R>) {
    let scopes = app.app_state().engine.inbox().scopes();
    for scope in scopes {
        tauri::async_runtime::spawn(watch_scope(app.clone(), scope));
    }
}

async fn watch_scope<R: Runtime>(app: AppHandle<R>, scope: Option<&'static str>) {
    let engine = app.app_state().engine.clone();
    let Ok(mut newest) = engine.inbox().watch(scope) else { return };
    let mut seen = latest(&engine, scope).await;
    let mut pace = Pace::default();
    loop {
        let flushing = async {
            match pace.due() {
                Some(after) => sleep_until(Instant::now() + after).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = newest.changed() => if changed.is_err() { return },
            () = flushing => {}
        }
        let upto = i32::try_from(*newest.borrow_and_update()).unwrap_or(i32::MAX);
        let notices = load(&app);
        let came = if notices.on && upto > seen { since(&engine, scope, seen).await } else { Vec::new() };
        seen = seen.max(upto);
        let fitting = came.into_iter().filter(|event| matches_rules(&notices.rules, event));
        for notice in pace.take(std::time::Instant::now(), fitting.collect()) {
            notify(&app, notice);
        }
        tokio::time::sleep(BATCH_INTERVAL).await;
    }
}

/// Whoever isn't believed must not be heard, and a replay is a person's own doing.
fn matches_rules(rules: &[NoticeRule], event: &EventLine) -> bool {
    let believed = matches!(event.signed, SignatureState::Unchecked | SignatureState::Valid);
    believed && !event.replay && rules.iter().any(|rule| rule.fits(event))
}

async fn latest(engine: &Engine, scope: Option<&str>) -> i32 {
    let list = engine.inbox().list(&query_of(scope), 0, 1).await;
    list.ok().and_then(|list| list.rows.first().map(|event| event.id)).unwrap_or_default()
}

/// What came after that event, oldest first.
async fn since(engine: &Engine, scope: Option<&str>, seen: i32) -> Vec<EventLine> {
    let list = engine.inbox().list(&query_of(scope), 0, MAX_AT_ONCE).await;
    let rows = list.map(|list| list.rows).unwrap_or_default();
    let mut new: Vec<_> = rows.into_iter().take_while(|event| event.id > seen).collect();
    // Of a team there may be sites that this desk doesn't have.
    let now = (engine.inbox().clock)();
    new.retain(|event| !event.is_old(now) && engine.sites().find(&event.site).is_ok());
    new.reverse();
    new
}

fn query_of(scope: Option<&str>) -> EventQuery {
    EventQuery { site: scope.map(str::to_owned), ..EventQuery::default() }
}

/// Tells that something ended which a person may wait for, unless they look at the window.
pub(crate) fn tell_end<R: Runtime>(app: &AppHandle<R>, title: &str, text: &str) {
    let looks = app.get_webview_window(window::MAIN).is_some_and(|window| window.is_focused().unwrap_or_default());
    let words = app.state::<NoticeState>().0.lock().clone();
    let Some(words) = words.filter(|_| !looks) else { return };
    let (title, text) = (rule::plain(title), rule::plain(text));
    notification::show(
        app,
        notification::NotificationText { title, text, open: words.open, target: NoticeTarget::Window },
    );
}

fn notify<R: Runtime>(app: &AppHandle<R>, notice: Notice) {
    let words = app.state::<NoticeState>().0.lock().clone();
    let Some(words) = words else { return };
    let language = preferences::load(app).language.unwrap_or(Language::En);
    match notice {
        Notice::One(event) => {
            let (title, text) = rule::said(&event, language, &words.unknown);
            notification::show(
                app,
                notification::NotificationText { title, text, open: words.open, target: NoticeTarget::Event(event.id) },
            );
        }
        Notice::Many(count) => {
            let text = words.many.replace('#', &count.to_string());
            notification::show(
                app,
                notification::NotificationText {
                    title: "Takt".to_owned(),
                    text,
                    open: words.open,
                    target: NoticeTarget::Events,
                },
            );
        }
    }
}
