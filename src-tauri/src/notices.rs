//! Desktop notifications about events that match the user's rules.
//!
//! `rule` decides which events are notified, `throttle` limits how many, and `notification` shows them. On a desktop
//! without notifications nothing happens.

mod notification;
mod rule;
mod throttle;

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
    state::{AppStateAccess, run_blocking},
    window,
};
use notification::NoticeTarget;
pub(crate) use notification::WaitingNotifications;
pub(crate) use rule::NoticeRule;
use throttle::{Notice, NoticeThrottle};

const NOTICES_KEY: &str = "notices";
/// The maximum number of events that are read at a time. Older ones cause no notification.
const MAX_AT_ONCE: u32 = 200;
/// The minimum time between two batches. Events that arrive within it are handled together.
const BATCH_INTERVAL: Duration = Duration::from_millis(250);

/// The user's settings for desktop notifications.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub(crate) struct Notices {
    pub(crate) on: bool,
    /// An event must match at least one rule.
    pub(crate) rules: Vec<NoticeRule>,
}

/// The window's texts for notifications, in the window's language. Events have their own texts.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct NoticeTexts {
    /// The title for an event that the contract doesn't know.
    pub(crate) unknown: String,
    /// The text for several events. `#` is replaced with their number.
    pub(crate) many: String,
    /// The label of the action that opens the window.
    pub(crate) open: String,
}

#[derive(Debug, Default)]
pub(crate) struct NoticeState(Mutex<Option<NoticeTexts>>);

/// Sets the texts. Until the page has set them, no notification is shown.
pub(crate) fn set_texts<R: Runtime>(app: &AppHandle<R>, texts: NoticeTexts) {
    *app.state::<NoticeState>().0.lock() = Some(texts);
}

pub(crate) fn load<R: Runtime>(app: &AppHandle<R>) -> Notices {
    let stored = preferences::open_store(app).ok().and_then(|store| store.get(NOTICES_KEY));
    stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

pub(crate) fn save<R: Runtime>(app: &AppHandle<R>, notices: &Notices) -> Result<(), Problem> {
    let value = serde_json::to_value(notices).map_err(|error| Problem::new(Code::Bug).details(error))?;
    preferences::save_value(app, NOTICES_KEY, value)
}

/// Starts watching the inbox for events to notify about. Watching ends with the program.
pub(crate) fn watch_inbox<R: Runtime>(app: &AppHandle<R>) {
    let scopes = app.engine().inbox().scopes();
    for scope in scopes {
        tauri::async_runtime::spawn(watch_scope(app.clone(), scope));
    }
}

async fn watch_scope<R: Runtime>(app: AppHandle<R>, scope: Option<&'static str>) {
    let Ok(mut newest) = app.with_engine(move |engine| engine.inbox().watch(scope)).await else { return };
    let mut last_seen = latest_event_id(&app.engine(), scope).await;
    let mut throttle = NoticeThrottle::default();
    loop {
        let flushing = async {
            match throttle.time_until_due() {
                Some(after) => sleep_until(Instant::now() + after).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = newest.changed() => if changed.is_err() { return },
            () = flushing => {}
        }
        let latest_id = i32::try_from(*newest.borrow_and_update()).unwrap_or(i32::MAX);
        let handle = app.clone();
        let settings = run_blocking(move || Ok((load(&handle), preferences::load(&handle).language)));
        let (notices, language) = settings.await.unwrap_or_default();
        let received =
            if notices.on && latest_id > last_seen { new_events(&app, scope, last_seen).await } else { Vec::new() };
        last_seen = last_seen.max(latest_id);
        let matching = received.into_iter().filter(|event| matches_rules(&notices.rules, event));
        for notice in throttle.next_notices(std::time::Instant::now(), matching.collect()) {
            notify(&app, notice, language.unwrap_or(Language::En));
        }
        tokio::time::sleep(BATCH_INTERVAL).await;
    }
}

/// Returns whether the user is notified of an event, which at least one rule must match.
///
/// Excludes events with invalid signatures, and replays, since the user started them.
fn matches_rules(rules: &[NoticeRule], event: &EventLine) -> bool {
    let is_trusted = matches!(event.signed, SignatureState::Unchecked | SignatureState::Valid);
    is_trusted && !event.replay && rules.iter().any(|rule| rule.matches(event))
}

async fn latest_event_id(engine: &Engine, scope: Option<&str>) -> i32 {
    let list = engine.inbox().list(&scope_query(scope), 0, 1).await;
    list.ok().and_then(|list| list.rows.first().map(|event| event.id)).unwrap_or_default()
}

/// Returns the events after the one with the id `seen`, oldest first.
async fn new_events<R: Runtime>(app: &AppHandle<R>, scope: Option<&str>, seen: i32) -> Vec<EventLine> {
    let list = app.engine().inbox().list(&scope_query(scope), 0, MAX_AT_ONCE).await;
    let rows = list.map(|list| list.rows).unwrap_or_default();
    let mut events: Vec<_> = rows.into_iter().take_while(|event| event.id > seen).collect();
    let known = app.with_engine(move |engine| {
        let now = (engine.inbox().clock)();
        // The team's events include sites that this desk doesn't have.
        events.retain(|event| !event.is_old(now) && engine.sites().find(&event.site).is_ok());
        events.reverse();
        Ok(events)
    });
    known.await.unwrap_or_default()
}

fn scope_query(scope: Option<&str>) -> EventQuery {
    EventQuery { site: scope.map(str::to_owned), ..EventQuery::default() }
}

/// Notifies the user that work has ended, unless the main window has the focus.
pub(crate) fn notify_end<R: Runtime>(app: &AppHandle<R>, title: &str, text: &str) {
    let has_focus = app.get_webview_window(window::MAIN).is_some_and(|window| window.is_focused().unwrap_or_default());
    let texts = app.state::<NoticeState>().0.lock().clone();
    let Some(texts) = texts.filter(|_| !has_focus) else { return };
    let (title, text) = (rule::without_markup(title), rule::without_markup(text));
    notification::show(
        app,
        notification::NotificationText { title, text, open: texts.open, target: NoticeTarget::Window },
    );
}

fn notify<R: Runtime>(app: &AppHandle<R>, notice: Notice, language: Language) {
    let texts = app.state::<NoticeState>().0.lock().clone();
    let Some(texts) = texts else { return };
    match notice {
        Notice::One(event) => {
            let (title, text) = rule::notification_text(&event, language, &texts.unknown);
            notification::show(
                app,
                notification::NotificationText { title, text, open: texts.open, target: NoticeTarget::Event(event.id) },
            );
        }
        Notice::Many(count) => {
            let text = texts.many.replace('#', &count.to_string());
            notification::show(
                app,
                notification::NotificationText {
                    title: "Takt".to_owned(),
                    text,
                    open: texts.open,
                    target: NoticeTarget::Events,
                },
            );
        }
    }
}
