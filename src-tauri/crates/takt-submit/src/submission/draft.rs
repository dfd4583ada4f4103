//! Requests for submissions, and their steps before they are stored.

use std::{cell::RefCell, collections::HashSet};

use serde_json::Value;
use takt_journal::{
    ClaimChoice, NewSubmission, Reason, Relation, SiteAddress, SubmissionOrigin,
    item::NewItem,
    step::{NewStep, NewWait},
};

use super::{guard, shared::Shared, target::Target};
use crate::result_reason::{self, NOT_LINKED};
use takt_core::{Change, Item, Problem};
use takt_import::{
    StepItems,
    import::{ItemWait, SiteItems},
};
use takt_sites::Site;

/// The largest number of items per request that can be requested.
const MAX_BATCH_SIZE: u32 = 10_000;
/// The items between two passes of the failpoint `submission-being-written`.
const FAILPOINT_INTERVAL: usize = 5_000;

/// The steps of a plan to send to a site, in order.
#[derive(Debug, Clone, Default)]
pub struct SubmissionRequest {
    pub site: String,
    /// Each step is a change: a sync of any operation, or the batch delete.
    pub steps: Vec<StepItems>,
    /// Whether blocked items are skipped. Otherwise one blocked item prevents the submission.
    pub skip_blocked: bool,
    /// The items per request. If absent, the site's or the contract's number.
    pub batch_size: Option<u32>,
    /// The submission that this one follows.
    pub follows: Option<SubmissionOrigin>,
    /// The number of items of a trial run. The others stay pending.
    pub trial: Option<u32>,
    /// The site's name as typed by the user. Required for production sites.
    pub confirmed: Option<String>,
    /// The known data of a delete's items besides what is sent, in their order. Stored with the deleted rows.
    pub beside: Option<Value>,
    /// Whether unconfirmed rows aren't read back at the end.
    pub leave_unconfirmed: bool,
    /// What to do about items whose keys another desk of the team is sending.
    pub claimed: ClaimChoice,
}

/// A step that isn't stored yet.
pub(super) struct StepDraft {
    pub(super) submission: NewSubmission,
    pub(super) items: Vec<Item>,
    pub(super) waits: Vec<NewWait>,
}

impl From<SiteItems> for SubmissionRequest {
    /// Creates the request that sends the items to their site.
    fn from(items: SiteItems) -> Self {
        Self { site: items.site, steps: items.steps, ..Self::default() }
    }
}

impl SubmissionRequest {
    /// Checks that the items may be sent, before anything is stored.
    pub(super) fn check(&self) -> Result<(), Problem> {
        let mut tally = ItemTally::default();
        self.steps.iter().flat_map(|step| &step.set.items).for_each(|item| tally.add(item));
        tally.check(self.skip_blocked)
    }

    /// Creates the steps to store. Steps without rows to send are included, because every row has a result.
    pub(super) fn into_drafts(self, shared: &Shared, address: &SiteAddress) -> Result<Vec<StepDraft>, Problem> {
        let (at, site_batch_size) = ((shared.clock)(), shared.batch_size_of(&self.site)?);
        let contract = shared.sites.contract(&self.site)?;
        let trials = trial_limits(self.trial, &self.steps);
        let mut drafts: Vec<StepDraft> = Vec::with_capacity(self.steps.len());
        let existing: Vec<Vec<bool>> =
            self.steps.iter().map(|step| step.set.items.iter().map(exists_unchanged).collect()).collect();
        for (StepItems { set, waits }, trial) in self.steps.into_iter().zip(trials) {
            let target = Target::find(&contract, &set.operation)?;
            let followed = |follows| shared.followed_step(follows, &drafts, &set.operation);
            let follows = self.follows.map(followed).transpose()?;
            let submission = NewSubmission {
                operation: set.operation,
                site: self.site.clone(),
                address: address.clone(),
                file: set.file,
                hash: set.hash,
                sheet: set.sheet,
                batch_size: batch_size(self.batch_size, site_batch_size, &target),
                at,
                person: shared.person.clone(),
                mapping: set.mapping,
                follows,
                trial,
                claimed: self.claimed,
                deletes: target.deletes,
            };
            drafts.push(StepDraft { submission, items: set.items, waits: new_waits(&waits, &existing) });
        }
        Ok(drafts)
    }
}

impl Shared {
    /// Converts drafts to the journal's steps. `tally` counts the items while they are stored.
    pub(super) fn new_steps<'a>(
        &'a self,
        drafts: Vec<StepDraft>,
        further: impl Iterator<Item = Item> + 'a,
        tally: &'a RefCell<ItemTally>,
    ) -> Vec<NewStep<'a>> {
        let mut further: Box<dyn Iterator<Item = Item> + 'a> = Box::new(further);
        let mut steps: Vec<NewStep<'a>> = Vec::with_capacity(drafts.len());
        for StepDraft { submission, items, waits } in drafts.into_iter().rev() {
            let further_items = std::mem::replace(&mut further, Box::new(std::iter::empty()));
            let deletes = submission.deletes;
            let items = items.into_iter().chain(further_items).inspect(|item| tally.borrow_mut().add(item));
            let items = items.map(move |item| new_item(item, deletes));
            steps.push(NewStep { submission, items: Box::new(self.with_failpoint(items)), waits });
        }
        steps.reverse();
        steps
    }

    /// Checks that rejected or undone rows are sent only to the address where they were sent before.
    pub(super) fn check_followed(&self, follows: Option<SubmissionOrigin>) -> Result<(), Problem> {
        match follows {
            Some(SubmissionOrigin { submission, relation: Relation::Retry | Relation::Undo }) => {
                guard::check_address(&self.journal, &self.journal.submission(submission)?)
            }
            Some(SubmissionOrigin { relation: Relation::Again, .. }) | None => Ok(()),
        }
    }

    /// Returns the step of the followed plan with the same operation. If several have it, each draft follows another
    /// one.
    fn followed_step(
        &self,
        follows: SubmissionOrigin,
        before: &[StepDraft],
        operation: &str,
    ) -> Result<SubmissionOrigin, Problem> {
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

    /// Passes a failpoint with the first item and at regular intervals.
    fn with_failpoint<T>(&self, items: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        items.enumerate().map(|(index, item)| {
            if index.is_multiple_of(FAILPOINT_INTERVAL) {
                self.failpoints.pass("submission-being-written");
            }
            item
        })
    }

    /// Returns the site's number of items per request, if it has one.
    fn batch_size_of(&self, site: &str) -> Result<Option<u32>, Problem> {
        let sites = self.journal.sites().list()?;
        let site_record = sites.into_iter().find(|record| record.name == site);
        Ok(site_record
            .and_then(|record| serde_json::from_value::<Site>(record.body).ok())
            .and_then(|site| site.batch_size))
    }
}

/// Returns whether the item is skipped because the service has it unchanged.
fn exists_unchanged(item: &Item) -> bool {
    item.looked.as_ref().is_some_and(|looked| looked.skip && looked.change == Change::Same)
}

/// Converts waits, without those for existing items and their alternatives for the same reference.
fn new_waits(waits: &[ItemWait], existing: &[Vec<bool>]) -> Vec<NewWait> {
    let settled =
        |wait: &ItemWait| existing.get(wait.step).and_then(|step| step.get(wait.other)).copied() == Some(true);
    let free: HashSet<(usize, u32)> =
        waits.iter().filter(|wait| settled(wait)).map(|wait| (wait.item, wait.reference)).collect();
    let number = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
    let remaining = waits.iter().filter(|wait| !free.contains(&(wait.item, wait.reference)));
    let new = remaining.map(|wait| NewWait {
        item: number(wait.item),
        reference: wait.reference,
        step: wait.step,
        other: number(wait.other),
    });
    new.collect()
}

/// Returns the number of the last item that a trial run may send, by step, or `None` if it may send all. The limit
/// counts the items of all steps together, in order.
fn trial_limits(trial: Option<u32>, steps: &[StepItems]) -> Vec<Option<u32>> {
    let is_sent =
        |item: &Item| !item.blocked && !item.skipped && item.looked.as_ref().is_none_or(|looked| !looked.skip);
    let mut remaining = trial.map_or(u32::MAX, |trial| trial.max(1));
    let mut last_of = |step: &StepItems| {
        let mut numbers = (1_u32..).zip(&step.set.items).filter(|(_, item)| is_sent(item)).map(|(number, _)| number);
        let mut last = 0;
        while remaining > 0 {
            (last, remaining) = (numbers.next()?, remaining - 1);
        }
        numbers.next().map(|_| last)
    };
    steps.iter().map(&mut last_of).collect()
}

/// The tally of the items that were stored.
#[derive(Debug, Default)]
pub(super) struct ItemTally {
    has_items: bool,
    /// The number of rows.
    blocked: usize,
}

impl ItemTally {
    pub(super) fn add(&mut self, item: &Item) {
        self.has_items |= !item.skipped;
        self.blocked += if item.blocked { item.rows.len() } else { 0 };
    }

    /// Checks that there is something to send, and that rows with errors are to be skipped.
    pub(super) fn check(&self, skip_blocked: bool) -> Result<(), Problem> {
        if !self.has_items {
            return Err(Problem::in_the_way_of("nothing-to-send", &[]));
        }
        if self.blocked > 0 && !skip_blocked {
            return Err(Problem::in_the_way_of("rows-with-errors", &[("count", &self.blocked.to_string())]));
        }
        Ok(())
    }
}

/// Returns the requested size, else the site's, else the contract's. Items that can't be read back are sent in requests
/// no larger than the contract's, unless the user requests another size.
fn batch_size(asked: Option<u32>, site: Option<u32>, target: &Target) -> u32 {
    let site = site.map(|size| if target.readable { size } else { size.min(target.batch_size) });
    asked.or(site).unwrap_or(target.batch_size).clamp(1, MAX_BATCH_SIZE)
}

fn new_item(item: Item, deletes: bool) -> NewItem {
    let (change, before, neighbors, skip) = match item.looked {
        Some(looked) => (Some(looked.change), looked.before, looked.neighbors, looked.skip),
        None => (None, None, Vec::new(), false),
    };
    let skipped = item.blocked || item.skipped;
    let code = match change {
        Some(Change::Conflict) => CONFLICT,
        Some(Change::Unknown) => NOT_COMPARED,
        _ if deletes => NOT_LINKED,
        _ => SAME,
    };
    let reasons = match (item.blocked, skip && !skipped) {
        (true, _) if item.errors.is_empty() => vec![because(ERRORS)],
        (true, _) => item.errors.iter().map(result_reason::error_reason).collect(),
        (false, true) => vec![because(code)],
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

/// The reason of rows that would change nothing.
const SAME: &str = "changes-nothing";
/// The reason of rows with unknown errors.
const ERRORS: &str = "has-errors";
/// The reason of rows in conflict that the user skipped.
const CONFLICT: &str = "conflict-left-out";

/// The reason of rows of a delete that couldn't be compared.
const NOT_COMPARED: &str = "not-compared";

fn because(code: &str) -> Reason {
    Reason::Because { code: code.to_owned(), parameters: std::collections::BTreeMap::new() }
}
