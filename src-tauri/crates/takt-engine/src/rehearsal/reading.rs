//! A site's lists, read one after the other at the site's pace. A list that the site refuses is said and passed over.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;
use takt_browse::{BrowseEnd, BrowseProgress, BrowseQuery, RowSet};
use takt_client::Canceller;
use takt_contract::{Cleanup, Contract, Operation, OperationKind};
use takt_core::{Code, Problem};

use super::Rehearsals;

/// Templates that are read: each takes a request of its own.
const MAX_TEMPLATES: usize = 1_000;

/// A list to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListSelection {
    pub operation: String,
    /// What is read in its place where the site refuses it.
    pub otherwise: Option<String>,
}

/// What a site's lists showed.
#[derive(Debug, Default)]
pub struct SiteRows {
    pub lists: Vec<RowSet>,
    pub templates: Vec<TemplateRows>,
    pub skipped: Vec<SkippedList>,
    /// Lists that changed while they were read: rows of them may be missing.
    pub uneven: Vec<String>,
    /// Templates that weren't read because there are so many.
    pub unread_templates: u32,
    /// Pages that were read.
    pub requests: u32,
    /// Somebody stopped it: what is there isn't all.
    pub stopped: bool,
}

/// A template's processes.
#[derive(Debug)]
pub struct TemplateRows {
    pub id: i64,
    pub rows: RowSet,
}

/// A list that isn't part of the copy.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SkippedList {
    pub operation: String,
    /// What was in the way. Absent where a copy has no place for its rows.
    pub problem: Option<Problem>,
}

/// How far reading is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RehearsalProgress {
    /// The list that is read now.
    pub operation: String,
    /// Its place among all lists, counted from 1.
    pub list: u32,
    pub lists: u32,
    /// Rows of it that have come.
    pub rows: u32,
    /// How many there are, where the site says so.
    pub total: Option<u32>,
    /// Until when the site's limit is waited for.
    #[cfg_attr(feature = "specta", specta(type = Option<String>))]
    pub waiting_until: Option<Timestamp>,
}

impl Rehearsals<'_> {
    /// Reads these lists of a site, and the templates that their rows name.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - What keeps all lists from being read: no person is signed in, or the site can't be reached.
    /// - What the first list failed with, where none could be read.
    pub async fn read(
        &self,
        site: &str,
        selections: &[ListSelection],
        canceller: &Canceller,
        mut progress: impl FnMut(RehearsalProgress) + Send,
    ) -> Result<SiteRows, Problem> {
        let contract = self.0.sites().contract(site)?;
        let mut reader = Reader { rehearsals: *self, site, canceller, rows: SiteRows::default() };
        let lists = u32::try_from(selections.len()).unwrap_or(u32::MAX);
        for (list, selection) in (1..).zip(selections) {
            let mut tell = |operation: &str, walked: BrowseProgress| {
                let BrowseProgress { rows, total, waiting_until, .. } = walked;
                progress(RehearsalProgress {
                    operation: operation.to_owned(),
                    list,
                    lists,
                    rows,
                    total,
                    waiting_until,
                });
            };
            for operation in [Some(&selection.operation), selection.otherwise.as_ref()].into_iter().flatten() {
                if contract.operation(operation).is_some() && reader.list(operation, &mut tell).await? {
                    break;
                }
            }
            if reader.rows.stopped {
                return Ok(reader.rows);
            }
        }
        reader.require_a_list()?;
        reader.templates(&contract, selections).await?;
        reader.skip_other_lists(&contract, selections);
        Ok(reader.rows)
    }
}

struct Reader<'a> {
    rehearsals: Rehearsals<'a>,
    site: &'a str,
    canceller: &'a Canceller,
    rows: SiteRows,
}

impl Reader<'_> {
    /// False where the site refuses it.
    async fn list(
        &mut self,
        operation: &str,
        tell: &mut (dyn FnMut(&str, BrowseProgress) + Send),
    ) -> Result<bool, Problem> {
        tell(operation, BrowseProgress::default());
        let query = BrowseQuery { operation: operation.to_owned(), parameters: BTreeMap::new() };
        match self.read(&query, |walked| tell(operation, walked)).await {
            Ok(set) => {
                self.rows.lists.push(set);
                Ok(true)
            }
            Err(problem) if concerns_one_list(problem.code) => {
                self.rows.skipped.push(SkippedList { operation: operation.to_owned(), problem: Some(problem) });
                Ok(false)
            }
            Err(problem) => Err(problem),
        }
    }

    async fn read(
        &mut self,
        query: &BrowseQuery,
        mut tell: impl FnMut(BrowseProgress) + Send,
    ) -> Result<RowSet, Problem> {
        let browse = self.rehearsals.0.browse();
        let set = browse.row_set(self.site, &query.operation)?;
        let mut pages = 0;
        let ended = browse.read_all(query, &set, self.canceller, |walked| {
            pages = walked.page.max(pages);
            tell(walked);
        });
        let ended = ended.await;
        self.rows.requests = self.rows.requests.saturating_add(pages.max(1));
        match ended? {
            BrowseEnd::Whole => {}
            BrowseEnd::Uneven => self.rows.uneven.push(query.operation.clone()),
            BrowseEnd::Stopped => self.rows.stopped = true,
        }
        Ok(set)
    }

    /// The processes of every template that a row names.
    async fn templates(&mut self, contract: &Contract, selections: &[ListSelection]) -> Result<(), Problem> {
        for operation in contract.operations() {
            let Some(cleanup) = &operation.cleanup else { continue };
            let ids = self.template_ids(cleanup, selections);
            self.rows.unread_templates = u32::try_from(ids.len().saturating_sub(MAX_TEMPLATES)).unwrap_or(u32::MAX);
            for id in ids.into_iter().take(MAX_TEMPLATES) {
                let parameters = BTreeMap::from([(cleanup.template.clone(), id.to_string())]);
                let query = BrowseQuery { operation: operation.id.clone(), parameters };
                match self.read(&query, |_| {}).await {
                    Ok(rows) => self.rows.templates.push(TemplateRows { id, rows }),
                    Err(problem) if concerns_one_list(problem.code) => {
                        let known = self.rows.skipped.iter().any(|skipped| skipped.operation == operation.id);
                        if !known {
                            let problem = Some(problem);
                            self.rows.skipped.push(SkippedList { operation: operation.id.clone(), problem });
                        }
                    }
                    Err(problem) => return Err(problem),
                }
                if self.rows.stopped {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn template_ids(&self, cleanup: &Cleanup, selections: &[ListSelection]) -> BTreeSet<i64> {
        let mut ids = BTreeSet::new();
        for user in &cleanup.users {
            let longer = selections.iter().find(|selection| selection.otherwise.as_ref() == Some(&user.list));
            let names = [Some(&user.list), longer.map(|selection| &selection.operation)];
            let sets = self.rows.lists.iter().filter(|set| names.iter().flatten().any(|name| *name == set.operation()));
            for set in sets {
                set.each(|_, row| {
                    let row: serde_json::Value = serde_json::from_str(row).unwrap_or_default();
                    ids.extend(row.get(&user.template).and_then(serde_json::Value::as_i64));
                });
            }
        }
        ids
    }

    /// What the site shows and nobody selected.
    fn skip_other_lists(&mut self, contract: &Contract, selections: &[ListSelection]) {
        let is_selected = |operation: &Operation| {
            selections.iter().any(|selection| {
                selection.operation == operation.id || selection.otherwise.as_deref() == Some(operation.id.as_str())
            })
        };
        let others = contract.operations().iter().filter(|operation| {
            operation.kind == OperationKind::Read && operation.cleanup.is_none() && !is_selected(operation)
        });
        let skipped = others.map(|operation| SkippedList { operation: operation.id.clone(), problem: None });
        self.rows.skipped.extend(skipped);
    }

    /// If no list could be read, the first list's problem is the result.
    fn require_a_list(&self) -> Result<(), Problem> {
        let first = self.rows.skipped.iter().find_map(|skipped| skipped.problem.clone());
        match first {
            Some(problem) if self.rows.lists.is_empty() => Err(problem),
            Some(_) | None => Ok(()),
        }
    }
}

/// Whether others may be read all the same.
fn concerns_one_list(code: Code) -> bool {
    matches!(
        code,
        Code::AccessDenied
            | Code::Rejected
            | Code::NotFound
            | Code::ServiceFailed
            | Code::AnswerNotUnderstood
            | Code::AnswerTooLarge
            | Code::Unknown
            | Code::InvalidInput
            | Code::Precondition
    )
}
