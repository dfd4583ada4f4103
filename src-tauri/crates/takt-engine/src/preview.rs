//! The change preview: what sending an import would change, item by item, beside what the service holds at this moment.
//!
//! Owns looking (`look`), what is kept of it until it is sent (`kept`), and what looks wrong over all rows (`alarms`). Leaves
//! reading to `read_back`, what a delete takes with it to `cleanup`, and sending to `submission`.

mod alarms;
mod kept;
mod look;
mod view;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use takt_client::{Canceller, ClientError};

pub use self::view::*;
use self::{kept::KeptStep, look::Looking};
use crate::{Code, Engine, ItemSet, Problem, submission::in_the_way};

/// One preview for each open import.
#[derive(Debug, Default)]
pub(crate) struct Previews(Mutex<BTreeMap<u32, Arc<Kept>>>);

#[derive(Debug)]
struct Kept {
    site: String,
    file: String,
    /// The import as it was looked at.
    revision: u32,
    seconds: f64,
    steps: Vec<KeptStep>,
}

impl Engine {
    /// Holds what an import would send beside what the site holds: of a plan all steps. What the site doesn't show is said so.
    /// Replaces the preview that was there; cancelled, nothing changes. Refuses where the import is for another site.
    pub async fn preview(
        &self,
        site: &str,
        import: u32,
        canceller: &Canceller,
        mut progress: impl FnMut(PreviewProgress) + Send,
    ) -> Result<PreviewView, Problem> {
        let start = Instant::now();
        self.require_import_site(import, site)?;
        let (sets, revision) = self.imports().to_send(import)?;
        let client = self.client(site)?;
        let zone = self.site(site)?.time_zone;
        let address = self.address_of(site);
        let exported = self.imports().exported(import)?.filter(|exported| exported.is_of(site, &address));
        let exported = exported.as_ref();
        let looking = Looking { engine: self, client: &client, site, zone: &zone, canceller, exported };
        let mut steps = Vec::with_capacity(sets.len());
        for set in &sets {
            steps.push(looking.step(set, &mut progress).await.map_err(|error| cancelled(site, error))?);
        }
        let file = sets.first().map(|set| set.file.clone()).unwrap_or_default();
        let seconds = start.elapsed().as_secs_f64();
        let kept = Kept { site: site.to_owned(), file, revision, seconds, steps };
        self.previews().keep(import, kept, |import| self.imports().revision(import).is_some());
        self.preview_view(import)
    }

    /// The preview that was taken of an import.
    pub fn preview_view(&self, import: u32) -> Result<PreviewView, Problem> {
        let kept = self.previews().of(import)?;
        let counts = kept.steps.iter().map(|step| step.view.counts).fold(PreviewCounts::default(), PreviewCounts::and);
        Ok(PreviewView {
            import,
            site: kept.site.clone(),
            file: kept.file.clone(),
            steps: kept.steps.iter().map(|step| step.view.clone()).collect(),
            counts,
            seconds: kept.seconds,
            stale: self.imports().revision(import) != Some(kept.revision),
        })
    }

    /// Items of one step: of one kind, or all but those that would change nothing.
    pub fn preview_rows(
        &self,
        import: u32,
        step: u32,
        kind: Option<PreviewKind>,
        (offset, limit): (u32, u32),
    ) -> Result<PreviewPage, Problem> {
        let kept = self.previews().of(import)?;
        let step = kept.steps.get(step as usize).ok_or_else(|| unknown(step))?;
        Ok(step.page(kind, offset, limit))
    }

    /// Tells what is to be sent what the preview saw of it: what is skipped, and what is restored by an undo. Refuses where the
    /// import changed since, and where there are conflicts that nobody decided about.
    pub fn look_over<'a>(
        &self,
        import: u32,
        site: &str,
        sets: impl IntoIterator<Item = &'a mut ItemSet>,
        choice: PreviewChoice,
    ) -> Result<(), Problem> {
        let kept = self.previews().of(import)?;
        let conflicts: u32 = kept.steps.iter().map(|step| step.view.counts.conflict).sum();
        if conflicts > 0 && choice.conflicts == ConflictChoice::Stop {
            return Err(in_the_way("rows-in-conflict", &[("count", &conflicts.to_string())]));
        }
        let mut steps = kept.steps.iter();
        for set in sets {
            let step = steps.next().filter(|_| kept.site == site);
            step.ok_or_else(|| Problem::in_the_way("preview-stale"))?.tell(set, choice)?;
        }
        if steps.next().is_some() { Err(Problem::in_the_way("preview-stale")) } else { Ok(()) }
    }

    /// Lets go of a preview, where there is one.
    pub fn forget_preview(&self, import: u32) {
        self.previews().held().remove(&import);
    }
}

impl Previews {
    /// Previews of imports that were closed are of no use.
    fn keep(&self, import: u32, kept: Kept, is_open: impl Fn(u32) -> bool) {
        let mut held = self.held();
        held.retain(|import, _| is_open(*import));
        held.insert(import, Arc::new(kept));
    }

    fn of(&self, import: u32) -> Result<Arc<Kept>, Problem> {
        self.held().get(&import).cloned().ok_or_else(|| unknown(import))
    }

    fn held(&self) -> std::sync::MutexGuard<'_, BTreeMap<u32, Arc<Kept>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unknown(what: u32) -> Problem {
    Problem::new(Code::Unknown).parameter("what", what.to_string())
}

fn cancelled(site: &str, error: ClientError) -> Problem {
    match error {
        ClientError::Cancelled => Problem::in_the_way("reading-stopped"),
        error => Problem::of_client(site, error),
    }
}
