//! What is to be sent, before it is written down.

use std::collections::HashSet;

use jiff::tz::TimeZone;
use serde_json::Value;
use takt_contract::{Contract, Operation, OperationKind, Shape, form::BatchForm};
use takt_journal::{ClaimChoice, NewSubmission, Reason, SiteAddress, SubmissionOrigin, item::NewItem, step::NewWait};

use super::{
    Shared,
    result_reason::{self, NOT_LINKED},
};
use takt_core::{Change, Code, Item, Problem};
use takt_import::{
    StepItems,
    import::{ItemWait, SiteItems},
};

/// Largest number of items per request that anybody may ask for.
const MAX_BATCH_SIZE: u32 = 10_000;

/// What is to be sent to a site: the steps of a plan, in their order.
#[derive(Debug, Clone, Default)]
pub struct SubmissionRequest {
    pub site: String,
    /// Each a change: a sync of any operation, or the batch delete.
    pub steps: Vec<StepItems>,
    /// True where the person chose to leave blocked items out; else one blocked item refuses the whole.
    pub skip_blocked: bool,
    /// Items per request; the site's, else the contract's number where absent.
    pub batch_size: Option<u32>,
    /// The submission that this one follows from.
    pub follows: Option<SubmissionOrigin>,
    /// A trial run: so many of the items to be sent go, and the rest stays pending.
    pub trial: Option<u32>,
    /// The site's name as a person typed it: a production site asks for it.
    pub confirmed: Option<String>,
    /// What is known of the items of a delete beside what is sent, in their order: kept with what was deleted.
    pub beside: Option<Value>,
    /// True where unconfirmed rows aren't read back when nothing is left to send.
    pub leave_unconfirmed: bool,
    /// What is done about items whose keys another desk of the team is sending.
    pub claimed: ClaimChoice,
}

/// A step that is about to be written down.
pub(super) struct StepDraft {
    pub(super) submission: NewSubmission,
    pub(super) items: Vec<Item>,
    pub(super) waits: Vec<NewWait>,
}

/// What a request needs from the contract.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) method: String,
    pub(super) path: String,
    /// Of what a request's items are made.
    pub(super) shape: Shape,
    /// What the service answers.
    pub(super) batch: BatchForm,
    /// In which a moment without an offset is.
    pub(super) zone: TimeZone,
    pub(super) key: Vec<String>,
    pub(super) batch_size: u32,
    pub(super) deletes: bool,
    /// False where nothing shows what was written: what is unconfirmed then is a person's to decide, so that it must cost little.
    pub(super) readable: bool,
    /// True where nothing was sent like this yet.
    pub(super) untried: bool,
}

impl Target {
    pub(super) fn find(contract: &Contract, operation: &str) -> Result<Self, Problem> {
        let found = contract.operation(operation);
        let found = found.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", operation))?;
        match (found.kind, &found.request) {
            (OperationKind::Sync | OperationKind::Delete, Some(shape)) => Ok(Self::new(found, shape)),
            (OperationKind::Sync | OperationKind::Delete, None) | (OperationKind::Read | OperationKind::Query, _) => {
                Err(Problem::in_the_way_of("not-a-change", &[("operation", operation)]))
            }
        }
    }

    fn new(operation: &Operation, shape: &Shape) -> Self {
        Self {
            method: operation.method.clone(),
            path: operation.path.clone(),
            shape: shape.clone(),
            batch: operation.batch.clone(),
            zone: operation.time_zone.clone(),
            key: operation.key.clone(),
            batch_size: operation.batch_size.max(1),
            deletes: operation.kind == OperationKind::Delete,
            readable: operation.read_back.is_some(),
            untried: operation.untried,
        }
    }
}

#[cfg(test)]
impl Target {
    /// A sync of the built-in contract, whose items have this key.
    pub(super) fn of_tests(key: &[&str]) -> Self {
        let contract = Contract::builtin().unwrap();
        let mut target = Self::find(&contract, "work-orders.sync").unwrap();
        target.key = key.iter().map(|field| (*field).to_owned()).collect();
        target
    }
}

impl From<SiteItems> for SubmissionRequest {
    /// The request that sends them there.
    fn from(items: SiteItems) -> Self {
        Self { site: items.site, steps: items.steps, ..Self::default() }
    }
}

impl SubmissionRequest {
    /// Refuses what mustn't be sent, before anything is written down.
    pub(super) fn check(&self) -> Result<(), Problem> {
        let mut seen = ItemTally::default();
        self.steps.iter().flat_map(|step| &step.set.items).for_each(|item| seen.see(item));
        seen.check(self.skip_blocked)
    }

    /// Steps of which no row goes are written down, too: every row has a result.
    pub(super) fn into_drafts(self, shared: &Shared, address: &SiteAddress) -> Result<Vec<StepDraft>, Problem> {
        let (at, of_site) = ((shared.clock)(), shared.batch_size_of(&self.site)?);
        let contract = shared.sites.contract(&self.site)?;
        let trials = trials(self.trial, &self.steps);
        let mut drafts: Vec<StepDraft> = Vec::with_capacity(self.steps.len());
        let settled: Vec<Vec<bool>> =
            self.steps.iter().map(|step| step.set.items.iter().map(is_there).collect()).collect();
        for (StepItems { set, waits }, trial) in self.steps.into_iter().zip(trials) {
            let target = Target::find(&contract, &set.operation)?;
            let followed = |follows| shared.followed(follows, &drafts, &set.operation);
            let follows = self.follows.map(followed).transpose()?;
            let submission = NewSubmission {
                operation: set.operation,
                site: self.site.clone(),
                address: address.clone(),
                file: set.file,
                hash: set.hash,
                sheet: set.sheet,
                batch_size: batch_size(self.batch_size, of_site, &target),
                at,
                person: shared.person.clone(),
                mapping: set.mapping,
                follows,
                trial,
                claimed: self.claimed,
                deletes: target.deletes,
            };
            drafts.push(StepDraft { submission, items: set.items, waits: new_waits(&waits, &settled) });
        }
        Ok(drafts)
    }
}

/// True where the service holds the item as it would be sent, and it isn't sent because of that.
fn is_there(item: &Item) -> bool {
    item.looked.as_ref().is_some_and(|looked| looked.skip && looked.change == Change::Same)
}

/// What is there already isn't waited for, and neither is what else the same reference could mean.
fn new_waits(waits: &[ItemWait], is_there: &[Vec<bool>]) -> Vec<NewWait> {
    let settled =
        |wait: &ItemWait| is_there.get(wait.step).and_then(|step| step.get(wait.other)).copied() == Some(true);
    let free: HashSet<(usize, u32)> =
        waits.iter().filter(|wait| settled(wait)).map(|wait| (wait.item, wait.reference)).collect();
    let number = |place: usize| u32::try_from(place + 1).unwrap_or(u32::MAX);
    let left = waits.iter().filter(|wait| !free.contains(&(wait.item, wait.reference)));
    let new = left.map(|wait| NewWait {
        item: number(wait.item),
        reference: wait.reference,
        step: wait.step,
        other: number(wait.other),
    });
    new.collect()
}

/// By step: the number of the last item that a trial run may send; absent where that is all of them. So many go of all steps
/// together, the first ones first.
fn trials(trial: Option<u32>, steps: &[StepItems]) -> Vec<Option<u32>> {
    let goes = |item: &Item| !item.blocked && !item.skipped && item.looked.as_ref().is_none_or(|looked| !looked.skip);
    let mut left = trial.map_or(u32::MAX, |trial| trial.max(1));
    let mut last_of = |step: &StepItems| {
        let mut numbers = (1_u32..).zip(&step.set.items).filter(|(_, item)| goes(item)).map(|(number, _)| number);
        let mut last = 0;
        while left > 0 {
            (last, left) = (numbers.next()?, left - 1);
        }
        numbers.next().map(|_| last)
    };
    steps.iter().map(&mut last_of).collect()
}

/// What is known of items that went by.
#[derive(Debug, Default)]
pub(super) struct ItemTally {
    something: bool,
    /// Rows.
    blocked: usize,
}

impl ItemTally {
    pub(super) fn see(&mut self, item: &Item) {
        self.something |= !item.skipped;
        self.blocked += if item.blocked { item.rows.len() } else { 0 };
    }

    /// Nothing may be sent where nothing can be, nor where rows have errors that nobody chose to leave out.
    pub(super) fn check(&self, skip_blocked: bool) -> Result<(), Problem> {
        if !self.something {
            return Err(Problem::in_the_way_of("nothing-to-send", &[]));
        }
        if self.blocked > 0 && !skip_blocked {
            return Err(Problem::in_the_way_of("rows-with-errors", &[("count", &self.blocked.to_string())]));
        }
        Ok(())
    }
}

/// The first of: what was asked, what the site wants, what the contract says. What can't be read back goes in no larger
/// requests than the contract says, unless a person asks for them this time.
fn batch_size(asked: Option<u32>, site: Option<u32>, target: &Target) -> u32 {
    let site = site.map(|size| if target.readable { size } else { size.min(target.batch_size) });
    asked.or(site).unwrap_or(target.batch_size).clamp(1, MAX_BATCH_SIZE)
}

pub(super) fn new_item(item: Item, deletes: bool) -> NewItem {
    let (change, before, neighbors, skip) = match item.looked {
        Some(looked) => (Some(looked.change), looked.before, looked.neighbors, looked.skip),
        None => (None, None, Vec::new(), false),
    };
    let skipped = item.blocked || item.skipped;
    let why = match change {
        Some(Change::Conflict) => CONFLICT,
        Some(Change::Unknown) => NOT_COMPARED,
        _ if deletes => NOT_LINKED,
        _ => SAME,
    };
    let reasons = match (item.blocked, skip && !skipped) {
        (true, _) if item.errors.is_empty() => vec![because(ERRORS)],
        (true, _) => item.errors.iter().map(result_reason::of_error).collect(),
        (false, true) => vec![because(why)],
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

/// The reason of rows that the preview found to change nothing.
const SAME: &str = "changes-nothing";
/// The reason of rows that have errors, where it isn't known which.
const ERRORS: &str = "has-errors";
/// The reason of rows in conflict that a person left out.
const CONFLICT: &str = "conflict-left-out";

/// The reason of rows of a delete that the preview couldn't compare.
const NOT_COMPARED: &str = "not-compared";

fn because(code: &str) -> Reason {
    Reason::Because { code: code.to_owned(), parameters: std::collections::BTreeMap::new() }
}
