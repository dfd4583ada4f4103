//! Sends an import, or a list of items: stores the steps of a plan with all items, then starts the plan.

use std::{
    collections::HashSet,
    mem,
    panic::resume_unwind,
    sync::mpsc::{SyncSender, sync_channel},
    thread,
};

use serde_json::Value;
use takt_client::Failpoints;
use takt_core::{Change, Code, Item, Problem};
use takt_import::ItemWait;
use takt_journal::{
    NewPlan, NewSubmission, NewWait, PlanWriter, Relation, SiteAddress, SubmissionOrigin,
    item::{EncodedItem, NewItem},
};
use takt_sites::{Site, SiteConnection};

use super::{
    batch_size::batch_size,
    change_operation::ChangeOperation,
    guard::{self, SendPermit},
    request::{ImportToSend, SendOptions, SubmissionRequest},
    resume::Purpose,
    runner::ReadBackTiming,
    submissions_state::{Submissions, SubmissionsState},
    view::PlanView,
};
use crate::{
    preview::{MarkedItems, StepToSend},
    result_reason::{NOT_LINKED, coded_reason, error_reason},
};

/// The items between two passes of the failpoint `submission-being-written`.
const FAILPOINT_INTERVAL: usize = 5_000;
/// Limits a chunk of items, which is created and passed on at once.
const MAX_ITEMS_PER_CHUNK: usize = 1_000;
const MAX_BYTES_PER_CHUNK: usize = 1024 * 1024;
/// The number of chunks created ahead, which have about as many items as one transaction stores.
const CHUNKS_AHEAD: usize = 4;

/// The reason of rows that would change nothing.
const SAME_CODE: &str = "changes-nothing";
/// The reason of rows with errors whose details are missing.
const ERRORS_CODE: &str = "has-errors";
/// The reason of rows in conflict that the user skipped.
const CONFLICT_CODE: &str = "conflict-left-out";
/// The reason of rows of a delete that couldn't be compared.
const NOT_COMPARED_CODE: &str = "not-compared";

impl Submissions {
    /// Stores the items of an import, then sends them in the background, step by step.
    ///
    /// Nothing can be sent before all items are stored. If a second person must approve first, all steps are paused and
    /// nothing is sent. A retry sends only the rows that the followed submission has as rejected.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the import isn't open, it has no preview although there is a choice about it, the contract
    ///   has no such operation, or the followed submission doesn't exist.
    /// - [`Code::ConfirmationNeeded`]: the site is a production site, and `confirmed` isn't its name.
    /// - [`Code::AddressChanged`]: the followed submission went to another address than the site has now.
    /// - [`Code::Precondition`]: the import is for another site (`other-site`), no sheet has an operation
    ///   (`no-operation`), rows are in conflict (`rows-in-conflict`), the preview is of other rows (`preview-stale`),
    ///   the import was changed meanwhile (`import-changed`), there are no rows (`nothing-to-send`), rows have errors
    ///   and aren't to be skipped (`rows-with-errors`), or an operation changes nothing (`not-a-change`).
    /// - [`Code::Precondition`] for a retry: the followed submission went to another site (`other-site`), no sheet is
    ///   for its operation (`other-operation`), none of its rejected rows would be sent (`nothing-rejected`), the rows
    ///   of the file have moved (`rows-moved`), or a rejected item has lost rows or got rows of others (`row-lost`,
    ///   `row-added`).
    /// - [`Code::Precondition`]: the file is being sent to the site already (`file-being-sent`), or a colleague is
    ///   sending some of the rows (`keys-claimed`).
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [journal code](takt_core::problem#journal-codes): the rows can't be stored. Nothing was sent.
    pub async fn send(&self, import: ImportToSend, options: SendOptions) -> Result<PlanView, Problem> {
        let ImportToSend { import, site, preview, close } = import;
        self.run_blocking(move |submissions| {
            let shared = &submissions.shared;
            let permit = guard::grant_permit(&shared.sites, &shared.journal, &site, options.confirmed.as_deref())?;
            let items = shared.previews.items_to_send(import, &site, preview)?;
            let steps = match options.follows {
                Some(SubmissionOrigin { submission, relation: Relation::Retry }) => {
                    vec![submissions.retain_rejected(submission, &site, items.steps)?]
                }
                Some(SubmissionOrigin { relation: Relation::Undo, .. }) => {
                    // `Submissions::undo` makes the rows of an undo.
                    return Err(Problem::new(Code::InvalidInput).parameter("what", "undo"));
                }
                Some(SubmissionOrigin { relation: Relation::Again, .. }) | None => items.steps,
            };
            let source = PlanSource { steps, known_data: None };
            let check = move || items.revision.check_unchanged();
            let plan = submissions.store_and_start(permit, source, &options, check)?;
            if close {
                shared.previews.close_import(import);
            }
            Ok(plan)
        })
        .await
    }

    /// Like [`Self::send`], with items that don't belong to an open import.
    ///
    /// # Errors
    ///
    /// Like [`Self::send`], except for errors of the import and its preview.
    pub async fn submit(&self, request: SubmissionRequest) -> Result<PlanView, Problem> {
        let SubmissionRequest { site, steps, options, known_data } = request;
        self.run_blocking(move |submissions| {
            let permit = guard::grant_permit(
                &submissions.shared.sites,
                &submissions.shared.journal,
                &site,
                options.confirmed.as_deref(),
            )?;
            let steps = match options.follows {
                Some(SubmissionOrigin { submission, relation: Relation::Retry }) => {
                    submissions.retain_still_rejected(submission, steps)?
                }
                Some(SubmissionOrigin { relation: Relation::Again | Relation::Undo, .. }) | None => steps,
            };
            let source = PlanSource { steps: steps.into_iter().map(StepToSend::from).collect(), known_data };
            submissions.store_and_start(permit, source, &options, || Ok(()))
        })
        .await
    }

    /// Returns the number of items per request that [`Self::send`] would use for an operation with this choice.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such site, or its contract has no such operation.
    /// - [`Code::Precondition`]: the operation changes nothing (`not-a-change`).
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn batch_size(&self, site: &str, operation: &str, chosen: Option<u32>) -> Result<u32, Problem> {
        let contract = self.shared.sites.contract(site)?;
        let target = ChangeOperation::find(&contract, operation)?;
        Ok(batch_size(chosen, self.shared.site_batch_size(site)?, &target))
    }

    /// Stores all items, and starts the plan if `check` then succeeds.
    fn store_and_start(
        &self,
        permit: SendPermit,
        source: PlanSource,
        options: &SendOptions,
        check: impl FnOnce() -> Result<(), Problem>,
    ) -> Result<PlanView, Problem> {
        let shared = &self.shared;
        let timing = if options.leave_unconfirmed { ReadBackTiming::Never } else { ReadBackTiming::AtEnd };
        let connection = permit.open_connection(&shared.journal, &shared.sites)?;
        shared.check_followed(options.follows)?;
        let steps = shared.prepare_steps(source.steps, &connection, permit.address(), options)?;
        let plan = shared.store_plan(steps, options, check)?;
        if let Some(known_data) = source.known_data {
            shared.store_known_data(plan.run.submission(), &known_data)?;
        }
        self.start_plan(plan, timing, permit, &connection)
    }

    /// Starts a stored plan, unless a second person has to approve it.
    pub(super) fn start_plan(
        &self,
        plan: NewPlan,
        timing: ReadBackTiming,
        permit: SendPermit,
        connection: &SiteConnection,
    ) -> Result<PlanView, Problem> {
        self.shared.failpoints.pass("submission-written");
        let first = plan.run.submission();
        if plan.needs_approval {
            drop(plan.run);
            plan.steps.iter().for_each(|step| self.shared.publish(*step, None));
            return self.plan(first);
        }
        self.start(plan.run, timing, &permit, connection)?;
        let skips_read_back = timing == ReadBackTiming::Never;
        self.start_later_steps(first, &plan.steps, Purpose::Begin { skips_read_back }, permit);
        self.plan(first)
    }
}

/// The steps of a plan with their items.
struct PlanSource {
    steps: Vec<StepToSend>,
    /// See [`SubmissionRequest::known_data`].
    known_data: Option<Value>,
}

/// A step with its items, before they are stored.
struct NewStep {
    submission: NewSubmission,
    items: MarkedItems,
    waits: Vec<ItemWait>,
}

impl SubmissionsState {
    /// Returns the steps to store. Steps without rows to send are included, because every row gets a result.
    fn prepare_steps(
        &self,
        steps: Vec<StepToSend>,
        connection: &SiteConnection,
        address: &SiteAddress,
        options: &SendOptions,
    ) -> Result<Vec<NewStep>, Problem> {
        let (at, site_batch_size) = ((self.clock)(), self.site_batch_size(&connection.site)?);
        let mut new: Vec<NewStep> = Vec::with_capacity(steps.len());
        for StepToSend { set, items, waits } in steps {
            let target = ChangeOperation::find(&connection.contract, &set.operation)?;
            let followed = |follows| self.find_followed_step(follows, &new, &set.operation);
            let follows = options.follows.map(followed).transpose()?;
            let submission = NewSubmission {
                operation: set.operation,
                site: connection.site.clone(),
                address: address.clone(),
                file: set.file,
                hash: set.hash,
                sheet: set.sheet,
                batch_size: batch_size(options.batch_size, site_batch_size, &target),
                at,
                person: self.person.clone(),
                mapping: set.mapping,
                follows,
                trial: None,
                claimed: options.claimed,
                deletes: target.deletes,
            };
            new.push(NewStep { submission, items, waits });
        }
        Ok(new)
    }

    /// Stores the steps with all their items. If an item or the `check` at the end fails, nothing is stored.
    fn store_plan(
        &self,
        steps: Vec<NewStep>,
        options: &SendOptions,
        check: impl FnOnce() -> Result<(), Problem>,
    ) -> Result<NewPlan, Problem> {
        let mut writer = self.journal.plans().writer();
        let mut tally = ItemTally { trial: options.trial.map(|trial| trial.max(1)), ..ItemTally::default() };
        let mut existing: Vec<Vec<bool>> = Vec::new();
        for NewStep { submission, items, waits } in steps {
            let deletes = submission.deletes;
            writer.begin_step(submission);
            tally = store_items(&mut writer, items, deletes, tally, &self.failpoints)?;
            let StepTally { last_of_trial, exceeds_trial, is_existing } = mem::take(&mut tally.step);
            if exceeds_trial {
                writer.limit_trial(last_of_trial)?;
            }
            existing.push(is_existing);
            writer.add_waits(to_new_waits(&waits, &existing))?;
        }
        check()?;
        tally.check(options.skip_blocked)?;
        Ok(writer.complete()?)
    }

    /// Checks that rejected or undone rows are sent only to the address where they were sent before.
    fn check_followed(&self, follows: Option<SubmissionOrigin>) -> Result<(), Problem> {
        match follows {
            Some(SubmissionOrigin { submission, relation: Relation::Retry | Relation::Undo }) => {
                guard::check_address(&self.sites, &self.journal, &self.journal.submission(submission)?)
            }
            Some(SubmissionOrigin { relation: Relation::Again, .. }) | None => Ok(()),
        }
    }

    /// Returns the step that a new step follows. A plan that is sent again follows the steps with the same operations.
    /// If several steps have one, each new step follows a different one. Rejected rows follow the step that has them.
    fn find_followed_step(
        &self,
        follows: SubmissionOrigin,
        before: &[NewStep],
        operation: &str,
    ) -> Result<SubmissionOrigin, Problem> {
        if follows.relation != Relation::Again {
            return Ok(follows);
        }
        let index = before.iter().filter(|step| step.submission.operation == operation).count();
        let mut steps = Vec::new();
        for step in self.journal.plans().steps(self.journal.submission(follows.submission)?.plan)? {
            if self.journal.submission(step)?.operation == operation {
                steps.push(step);
            }
        }
        let submission = steps.get(index).copied().unwrap_or(follows.submission);
        Ok(SubmissionOrigin { submission, ..follows })
    }

    /// Returns the site's number of items per request, if it has one.
    fn site_batch_size(&self, site: &str) -> Result<Option<u32>, Problem> {
        let sites = self.journal.sites().list()?;
        let site_record = sites.into_iter().find(|record| record.name == site);
        Ok(site_record
            .and_then(|record| serde_json::from_value::<Site>(record.body).ok())
            .and_then(|site| site.batch_size))
    }
}

/// Stores the items of a step. The next items are created while earlier ones are stored.
fn store_items(
    writer: &mut PlanWriter<'_>,
    items: MarkedItems,
    deletes: bool,
    tally: ItemTally,
    failpoints: &Failpoints,
) -> Result<ItemTally, Problem> {
    let (sender, chunks) = sync_channel(CHUNKS_AHEAD);
    thread::scope(|scope| {
        let make = move || create_items(items, deletes, tally, failpoints, &sender);
        let maker = thread::Builder::new().spawn_scoped(scope, make);
        let maker = maker.map_err(|error| Problem::new(Code::JournalFailed).details(error))?;
        // If an item can't be stored, the channel closes and no more items are created.
        let stored = chunks.into_iter().flatten().try_for_each(|item| writer.add_item(item));
        let made = maker.join().unwrap_or_else(|panic| resume_unwind(panic));
        stored?;
        made
    })
}

/// Creates the items of a step and sends them in chunks. Stops early if the receiver is gone.
fn create_items(
    items: MarkedItems,
    deletes: bool,
    mut tally: ItemTally,
    failpoints: &Failpoints,
    sender: &SyncSender<Vec<EncodedItem>>,
) -> Result<ItemTally, Problem> {
    let (mut chunk, mut bytes) = (Vec::new(), 0);
    for (index, item) in items.enumerate() {
        if index.is_multiple_of(FAILPOINT_INTERVAL) {
            failpoints.pass("submission-being-written");
        }
        let item = item?;
        tally.add(&item);
        let item = to_new_item(item, deletes).encode()?;
        bytes += item.size();
        chunk.push(item);
        if chunk.len() >= MAX_ITEMS_PER_CHUNK || bytes >= MAX_BYTES_PER_CHUNK {
            if sender.send(mem::take(&mut chunk)).is_err() {
                return Ok(tally);
            }
            bytes = 0;
        }
    }
    // If the receiver is gone, the caller returns its error.
    drop(sender.send(chunk));
    Ok(tally)
}

/// Returns whether the item is skipped because the service has it unchanged.
fn exists_unchanged(item: &Item) -> bool {
    item.comparison.as_ref().is_some_and(|comparison| comparison.skip && comparison.change == Change::Same)
}

fn is_sent(item: &Item) -> bool {
    !item.blocked && !item.skipped && item.comparison.as_ref().is_none_or(|comparison| !comparison.skip)
}

/// Returns the waits that must be stored. If one item that fulfills a reference exists already, all waits for this
/// reference are omitted.
fn to_new_waits(waits: &[ItemWait], existing: &[Vec<bool>]) -> Vec<NewWait> {
    let settled =
        |wait: &ItemWait| existing.get(wait.step).and_then(|step| step.get(wait.awaited_item)).copied() == Some(true);
    let free: HashSet<(usize, u32)> =
        waits.iter().filter(|wait| settled(wait)).map(|wait| (wait.item, wait.reference)).collect();
    let number = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
    let remaining = waits.iter().filter(|wait| !free.contains(&(wait.item, wait.reference)));
    let new = remaining.map(|wait| NewWait {
        item: number(wait.item),
        reference: wait.reference,
        step: wait.step,
        awaited_item: number(wait.awaited_item),
    });
    new.collect()
}

/// Counts a plan's items while they are stored. The plan is checked at the end.
#[derive(Debug, Default)]
struct ItemTally {
    has_items: bool,
    /// In rows, not items.
    blocked: usize,
    /// The number of items that a trial run may still send, for all steps together. Absent if the run isn't a trial.
    trial: Option<u32>,
    step: StepTally,
}

/// Counts the items of the current step. Reset after each step.
#[derive(Debug, Default)]
struct StepTally {
    /// Whether each item is skipped because the service has it unchanged.
    is_existing: Vec<bool>,
    /// The number of the last item that a trial run sends.
    last_of_trial: u32,
    /// Whether there are items that a trial run doesn't send.
    exceeds_trial: bool,
}

impl ItemTally {
    fn add(&mut self, item: &Item) {
        self.has_items |= !item.skipped;
        self.blocked += if item.blocked { item.rows.len() } else { 0 };
        self.step.is_existing.push(exists_unchanged(item));
        match &mut self.trial {
            Some(remaining) if is_sent(item) => {
                if *remaining == 0 {
                    self.step.exceeds_trial = true;
                } else {
                    *remaining -= 1;
                    self.step.last_of_trial = u32::try_from(self.step.is_existing.len()).unwrap_or(u32::MAX);
                }
            }
            Some(_) | None => {}
        }
    }

    /// Checks that there is something to send, and that rows with errors are to be skipped.
    fn check(&self, skip_blocked: bool) -> Result<(), Problem> {
        if !self.has_items {
            return Err(Problem::obstacle("nothing-to-send"));
        }
        if self.blocked > 0 && !skip_blocked {
            return Err(Problem::obstacle_with("rows-with-errors", &[("count", &self.blocked.to_string())]));
        }
        Ok(())
    }
}

fn to_new_item(item: Item, deletes: bool) -> NewItem {
    let (change, before, neighbors, skip) = match item.comparison {
        Some(comparison) => (Some(comparison.change), comparison.before, comparison.neighbors, comparison.skip),
        None => (None, None, Vec::new(), false),
    };
    let skipped = item.blocked || item.skipped;
    let code = match change {
        Some(Change::Conflict) => CONFLICT_CODE,
        Some(Change::Unknown) => NOT_COMPARED_CODE,
        _ if deletes => NOT_LINKED,
        _ => SAME_CODE,
    };
    let reasons = match (item.blocked, skip && !skipped) {
        (true, _) if item.errors.is_empty() => vec![coded_reason(ERRORS_CODE, [])],
        (true, _) => item.errors.iter().map(error_reason).collect(),
        (false, true) => vec![coded_reason(code, [])],
        (false, false) => Vec::new(),
    };
    NewItem {
        rows: item.rows.into_iter().map(|row| (row.sheet, row.row.get())).collect(),
        key: item.key,
        body: item.body,
        skipped: skipped || skip,
        reasons,
        change,
        before,
        neighbors,
    }
}
