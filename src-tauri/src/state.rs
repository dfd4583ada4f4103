//! The app's state, which commands work with: the engine, the embedded plant, a waiting sign-in, what was read page by page, and what
//! is being read.

mod cancellable;
mod row_set_id;
mod templates;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use parking_lot::Mutex;
use takt_engine::{Canceller, Code, Engine, Problem, browse::RowSet, sites::RedirectSender};
use takt_plant::RunningPlant;
use tauri::{AppHandle, Manager, Runtime};

pub(crate) use self::row_set_id::RowSetId;
use crate::{grants::Grants, graphql_answers::GraphqlAnswers};
pub(crate) use cancellable::{cancellable, cancellable_blocking, report_progress};

/// Sets of rows that a window may hold at a time, a page or everything; its oldest goes first.
const MAX_SETS: usize = 48;

#[derive(Debug)]
pub(crate) struct AppState {
    pub(crate) engine: Arc<Engine>,
    /// Absent where the plant couldn't start; sites still work.
    pub(crate) plant: Option<RunningPlant>,
    pub(crate) graphql_answers: GraphqlAnswers,
    /// Files that the window may have opened.
    pub(crate) grants: Grants,
    /// Files that a person had saved, which may be opened in other programs.
    pub(crate) saved_files: Grants,
    sign_in: Mutex<Option<(Canceller, RedirectSender)>>,
    sets: Mutex<Sets>,
    readings: templates::Readings,
    /// The copies of sites that run here, by the copy's name.
    rehearsals: Mutex<BTreeMap<String, RunningPlant>>,
    /// What is under way and can be ended, by the window's number for each.
    tickets: Mutex<BTreeMap<u32, Canceller>>,
}

/// Rows that were read, or are being read until `canceller` says otherwise.
#[derive(Debug, Clone)]
pub(crate) struct OpenSet {
    pub(crate) rows: RowSet,
    pub(crate) canceller: Canceller,
}

#[derive(Debug, Default)]
struct Sets {
    last: u32,
    by_id: BTreeMap<RowSetId, OpenSet>,
    /// Whose they are, by the window's label, oldest first: what one window reads takes nothing from another.
    by_window: BTreeMap<String, VecDeque<RowSetId>>,
}

impl AppState {
    pub(crate) fn new(engine: Arc<Engine>, plant: Option<RunningPlant>) -> Self {
        Self {
            engine,
            plant,
            graphql_answers: GraphqlAnswers::default(),
            grants: Grants::from_environment(),
            saved_files: Grants::default(),
            sign_in: Mutex::default(),
            sets: Mutex::default(),
            readings: templates::Readings::default(),
            rehearsals: Mutex::default(),
            tickets: Mutex::default(),
        }
    }

    /// The sign-in that waits from here on. The engine has ended the one before.
    pub(crate) fn set_sign_in(&self, canceller: Canceller, redirect_sender: RedirectSender) {
        *self.sign_in.lock() = Some((canceller, redirect_sender));
    }

    pub(crate) fn cancel_sign_in(&self) {
        if let Some((canceller, _)) = self.sign_in.lock().take() {
            canceller.cancel();
        }
    }

    /// The way to hand the sign-in that waits a pasted address.
    pub(crate) fn redirect_sender(&self) -> Option<RedirectSender> {
        self.sign_in.lock().as_ref().map(|(_, redirect_sender)| redirect_sender.clone())
    }

    /// Lets a copy of a site run until the program ends, or another one takes its place.
    pub(crate) fn keep_rehearsal(&self, site: &str, plant: RunningPlant) {
        self.rehearsals.lock().insert(site.to_owned(), plant);
    }

    /// Ends a copy of a site, where one runs.
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

    /// Nothing happens where it has ended already.
    pub(crate) fn stop_ticket(&self, ticket: u32) {
        if let Some(canceller) = self.tickets.lock().get(&ticket) {
            canceller.cancel();
        }
    }

    fn end_ticket(&self, ticket: u32) {
        self.tickets.lock().remove(&ticket);
    }

    /// Keeps a set for the window of that label; by its number it is found again.
    pub(crate) fn add_set(&self, window: &str, rows: RowSet) -> (RowSetId, Canceller) {
        let mut sets = self.sets.lock();
        sets.last += 1;
        let id = RowSetId::new(sets.last);
        let canceller = Canceller::new();
        sets.by_id.insert(id, OpenSet { rows, canceller: canceller.clone() });
        let own = sets.by_window.entry(window.to_owned()).or_default();
        own.push_back(id);
        let oldest = if own.len() > MAX_SETS { own.pop_front() } else { None };
        if let Some(oldest) = oldest.and_then(|oldest| sets.by_id.remove(&oldest)) {
            oldest.canceller.cancel();
        }
        (id, canceller)
    }

    /// Forgets the sets of a window that was closed, and ends what is being read for it.
    pub(crate) fn remove_sets(&self, window: &str) {
        let mut sets = self.sets.lock();
        for id in sets.by_window.remove(window).unwrap_or_default() {
            if let Some(set) = sets.by_id.remove(&id) {
                set.canceller.cancel();
            }
        }
    }

    /// A set that goes on being read, with another canceller: the last one may have stopped it.
    pub(crate) fn renew_set(&self, id: RowSetId) -> Result<OpenSet, Problem> {
        let mut sets = self.sets.lock();
        let kept = sets.by_id.get_mut(&id);
        let kept = kept.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))?;
        kept.canceller = Canceller::new();
        Ok(kept.clone())
    }

    pub(crate) fn set(&self, id: RowSetId) -> Result<OpenSet, Problem> {
        let sets = self.sets.lock();
        sets.by_id.get(&id).cloned().ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))
    }
}

/// Every command finds the state the same way.
pub(crate) trait AppStateAccess {
    fn app_state(&self) -> &AppState;
}

impl<R: Runtime> AppStateAccess for AppHandle<R> {
    fn app_state(&self) -> &AppState {
        self.state::<AppState>().inner()
    }
}

/// Runs work that blocks, or keeps a processor busy, away from the threads that serve the window.
pub(crate) async fn run_blocking<T, F>(work: F) -> Result<T, Problem>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T, Problem> + Send + 'static,
{
    let done = takt_engine::run_blocking(work).await;
    done.inspect_err(|problem| tracing::warn!(?problem, "a command of the window failed"))
}
