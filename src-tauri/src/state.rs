//! The app's state for commands: the engine, the embedded plant, a waiting sign-in, row sets and template sets. It also
//! has the cancellers of running calls, by the page's tickets.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::Arc,
};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{
    Canceller, Code, Engine, Problem,
    browse::RowSet,
    cleanup::TemplateSet,
    sites::{RedirectSender, Site},
};
use takt_plant::RunningPlant;
use tauri::{
    AppHandle, Manager, Runtime,
    ipc::{Channel, IpcResponse},
};
use tokio::runtime::Handle;

use crate::{dialog_folder::DialogFolder, grants::Grants, graphql_answers::GraphqlAnswers};

/// The maximum number of row sets per window. The oldest are removed first.
const MAX_SETS: usize = 48;
/// The maximum number of template sets. The oldest are removed first.
const MAX_TEMPLATE_SETS: usize = 4;

#[derive(Debug)]
pub(crate) struct AppState {
    pub(crate) engine: Arc<Engine>,
    /// Absent if the plant couldn't start.
    pub(crate) plant: Option<RunningPlant>,
    pub(crate) graphql_answers: GraphqlAnswers,
    /// The files that the window may open.
    pub(crate) grants: Grants,
    /// The files that the user saved. They may be opened in other programs.
    pub(crate) saved_files: Grants,
    pub(crate) dialog_folder: DialogFolder,
    sign_in: Mutex<Option<(Canceller, RedirectSender)>>,
    sets: Mutex<Sets>,
    pub(crate) template_readings: TemplateReadings,
    /// The running copies of sites, by the copy's name.
    rehearsals: Mutex<BTreeMap<String, RunningPlant>>,
    /// Cancellers of running calls, by the page's ticket.
    tickets: Mutex<BTreeMap<u32, Canceller>>,
}

/// The 1-based number of a set of rows, in the order of opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Type)]
#[serde(transparent)]
pub(crate) struct RowSetId(u32);

impl RowSetId {
    pub(crate) const fn new(number: u32) -> Self {
        Self(number)
    }
}

impl fmt::Display for RowSetId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A set of rows, and the canceller of the reading that fills it.
#[derive(Debug, Clone)]
pub(crate) struct OpenSet {
    pub(crate) rows: RowSet,
    pub(crate) canceller: Canceller,
}

#[derive(Debug, Default)]
struct Sets {
    last: u32,
    by_id: BTreeMap<RowSetId, OpenSet>,
    /// The sets of each window by its label, oldest first. The limit applies to each window.
    by_window: BTreeMap<String, VecDeque<RowSetId>>,
}

impl AppState {
    pub(crate) fn new(engine: Arc<Engine>, plant: Option<RunningPlant>) -> Self {
        Self {
            dialog_folder: DialogFolder::new(engine.home().root()),
            engine,
            plant,
            graphql_answers: GraphqlAnswers::default(),
            grants: Grants::from_environment(),
            saved_files: Grants::default(),
            sign_in: Mutex::default(),
            sets: Mutex::default(),
            template_readings: TemplateReadings::default(),
            rehearsals: Mutex::default(),
            tickets: Mutex::default(),
        }
    }

    /// Stores the waiting sign-in. The engine has canceled the previous one.
    pub(crate) fn set_sign_in(&self, canceller: Canceller, redirect_sender: RedirectSender) {
        *self.sign_in.lock() = Some((canceller, redirect_sender));
    }

    pub(crate) fn cancel_sign_in(&self) {
        if let Some((canceller, _)) = self.sign_in.lock().take() {
            canceller.cancel();
        }
    }

    /// Returns the sender that passes a pasted address to the waiting sign-in.
    pub(crate) fn redirect_sender(&self) -> Option<RedirectSender> {
        self.sign_in.lock().as_ref().map(|(_, redirect_sender)| redirect_sender.clone())
    }

    /// Stores the running copy of a site. It runs until the program ends or another copy replaces it.
    pub(crate) fn store_rehearsal(&self, site: &str, plant: RunningPlant) {
        self.rehearsals.lock().insert(site.to_owned(), plant);
    }

    /// Stops the copy of a site if one is running.
    pub(crate) async fn end_rehearsal(&self, site: &str) {
        let ended = self.rehearsals.lock().remove(site);
        if let Some(plant) = ended {
            plant.stop().await;
        }
    }

    fn start_ticket(&self, ticket: u32) -> Canceller {
        let canceller = Canceller::new();
        self.tickets.lock().insert(ticket, canceller.clone());
        canceller
    }

    /// Cancels the running call with this ticket. Has no effect if the call has ended.
    pub(crate) fn stop_ticket(&self, ticket: u32) {
        if let Some(canceller) = self.tickets.lock().get(&ticket) {
            canceller.cancel();
        }
    }

    fn end_ticket(&self, ticket: u32) {
        self.tickets.lock().remove(&ticket);
    }

    /// Stores a set for a window, and returns the set's number.
    pub(crate) fn add_set(&self, window: &str, rows: RowSet) -> (RowSetId, Canceller) {
        let mut sets = self.sets.lock();
        sets.last += 1;
        let id = RowSetId::new(sets.last);
        let canceller = Canceller::new();
        sets.by_id.insert(id, OpenSet { rows, canceller: canceller.clone() });
        let window_sets = sets.by_window.entry(window.to_owned()).or_default();
        window_sets.push_back(id);
        let oldest = if window_sets.len() > MAX_SETS { window_sets.pop_front() } else { None };
        if let Some(oldest) = oldest.and_then(|oldest| sets.by_id.remove(&oldest)) {
            oldest.canceller.cancel();
        }
        (id, canceller)
    }

    /// Removes the sets of a closed window, and cancels reading them.
    pub(crate) fn remove_sets(&self, window: &str) {
        let mut sets = self.sets.lock();
        for id in sets.by_window.remove(window).unwrap_or_default() {
            if let Some(set) = sets.by_id.remove(&id) {
                set.canceller.cancel();
            }
        }
    }

    /// Returns a set for further reading. Replaces its canceller, since the old one may be canceled.
    pub(crate) fn renew_set(&self, id: RowSetId) -> Result<OpenSet, Problem> {
        let mut sets = self.sets.lock();
        let set = sets.by_id.get_mut(&id);
        let set = set.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))?;
        set.canceller = Canceller::new();
        Ok(set.clone())
    }

    pub(crate) fn set(&self, id: RowSetId) -> Result<OpenSet, Problem> {
        let sets = self.sets.lock();
        sets.by_id.get(&id).cloned().ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))
    }
}

/// A set of templates, and the canceller of the reading that fills it.
#[derive(Debug, Clone)]
pub(crate) struct OpenTemplates {
    pub(crate) set: TemplateSet,
    pub(crate) canceller: Canceller,
}

/// The latest template sets by number.
#[derive(Debug, Default)]
pub(crate) struct TemplateReadings(Mutex<(u32, BTreeMap<u32, OpenTemplates>)>);

impl TemplateReadings {
    /// Stores a set, and returns its number.
    pub(crate) fn add(&self, set: TemplateSet) -> u32 {
        let mut readings = self.0.lock();
        readings.0 += 1;
        let id = readings.0;
        readings.1.insert(id, OpenTemplates { set, canceller: Canceller::new() });
        while readings.1.len() > MAX_TEMPLATE_SETS {
            if let Some((_, oldest)) = readings.1.pop_first() {
                oldest.canceller.cancel();
            }
        }
        id
    }

    pub(crate) fn get(&self, id: u32) -> Result<OpenTemplates, Problem> {
        let readings = self.0.lock();
        readings.1.get(&id).cloned().ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))
    }

    /// Starts a new reading of the set, and cancels the one that is running.
    pub(crate) fn begin_reading(&self, id: u32) -> Result<(TemplateSet, Canceller), Problem> {
        let mut readings = self.0.lock();
        let templates =
            readings.1.get_mut(&id).ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))?;
        templates.canceller.cancel();
        templates.canceller = Canceller::new();
        Ok((templates.set.clone(), templates.canceller.clone()))
    }
}

/// Access to the state for commands.
///
/// The engine's functions that aren't async may wait for the disk, the journal or a team's database. On an async thread
/// they would delay requests and events. Commands call them in [`AppStateAccess::with_engine`], and await the engine's
/// async functions directly.
pub(crate) trait AppStateAccess {
    fn app_state(&self) -> &AppState;

    fn engine(&self) -> Arc<Engine> {
        Arc::clone(&self.app_state().engine)
    }

    /// Runs work with the engine outside of the async threads, since it may block.
    fn with_engine<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Arc<Engine>) -> Result<T, Problem> + Send + 'static,
    ) -> impl Future<Output = Result<T, Problem>> + Send {
        let engine = self.engine();
        run_blocking(move || work(&engine))
    }

    /// Returns the chosen site, for async functions of the engine that need its name.
    fn chosen_site(&self) -> impl Future<Output = Result<Site, Problem>> + Send {
        self.with_engine(|engine| engine.sites().selected_site())
    }
}

impl<R: Runtime> AppStateAccess for AppHandle<R> {
    fn app_state(&self) -> &AppState {
        self.state::<AppState>().inner()
    }
}

/// Runs work outside of the async threads, since it may block or need much CPU time. Logs failures.
pub(crate) async fn run_blocking<T, F>(work: F) -> Result<T, Problem>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T, Problem> + Send + 'static,
{
    let done = takt_engine::run_blocking(work).await;
    done.inspect_err(|problem| tracing::warn!(?problem, "work for the window failed"))
}

/// Runs work that the page can cancel with `ticket_stop` and this ticket.
pub(crate) async fn cancellable<R: Runtime, T, F>(
    app: &AppHandle<R>,
    ticket: u32,
    work: impl FnOnce(Canceller) -> F,
) -> T
where
    F: Future<Output = T>,
{
    let canceller = app.app_state().start_ticket(ticket);
    let done = work(canceller).await;
    app.app_state().end_ticket(ticket);
    done
}

/// Like [`cancellable`], but for work that uses much CPU time between requests. It runs outside of the async threads.
pub(crate) async fn cancellable_blocking<R: Runtime, T, F>(
    app: &AppHandle<R>,
    ticket: u32,
    work: impl FnOnce(Arc<Engine>, Canceller) -> F + Send + 'static,
) -> Result<T, Problem>
where
    T: Send + 'static,
    F: Future<Output = Result<T, Problem>>,
{
    let (engine, runtime) = (app.engine(), Handle::current());
    cancellable(app, ticket, |canceller| run_blocking(move || runtime.block_on(work(engine, canceller)))).await
}

/// Sends progress to the page. A closed window needs none.
pub(crate) fn report_progress<T: IpcResponse>(channel: &Channel<T>, progress: T) {
    if channel.send(progress).is_err() {
        tracing::debug!("the window no longer hears how far this is");
    }
}
