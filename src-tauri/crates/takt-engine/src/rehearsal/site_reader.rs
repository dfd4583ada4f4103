//! Reads a site's lists one after the other, within its rate limit. Lists that the site refuses are skipped and
//! reported.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;
use takt_browse::{BrowseEnd, BrowseProgress, BrowseQuery, RowSet};
use takt_client::Canceller;
use takt_contract::{Cleanup, Contract, Operation, OperationKind};
use takt_core::{Code, Problem};

use super::site_copy::Rehearsals;

/// The maximum number of templates to read. Each needs a request.
const MAX_TEMPLATES: usize = 1_000;

/// A list to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListSelection {
    pub operation: String,
    /// The list to read instead if the site refuses it.
    pub fallback: Option<String>,
}

/// The rows of a site's lists.
#[derive(Debug, Default)]
pub struct SiteRows {
    pub lists: Vec<RowSet>,
    pub templates: Vec<TemplateRows>,
    pub skipped: Vec<SkippedList>,
    /// Lists that changed while they were read. Some of their rows may be missing.
    pub changed_lists: Vec<String>,
    /// The number of templates that weren't read because of the limit.
    pub unread_templates: u32,
    /// The number of pages that were read for all lists and templates.
    pub requests: u32,
    /// True if reading was canceled, so that rows are missing.
    pub is_canceled: bool,
}

/// A template's processes.
#[derive(Debug)]
pub struct TemplateRows {
    pub id: i64,
    pub rows: RowSet,
}

/// A list that the copy doesn't contain.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SkippedList {
    pub operation: String,
    /// The reason. `None` if copies don't support its rows.
    pub problem: Option<Problem>,
}

/// The progress of reading.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RehearsalProgress {
    /// The list that is being read.
    pub operation: String,
    /// The list's number among all lists, from 1.
    pub list: u32,
    pub lists: u32,
    /// The number of the list's rows that were read so far.
    pub rows: u32,
    /// The total number of the list's rows, if the site states it.
    pub total: Option<u32>,
    /// The end of the wait for the rate limit.
    #[cfg_attr(feature = "specta", specta(type = Option<String>))]
    pub waiting_until: Option<Timestamp>,
}

impl Rehearsals<'_> {
    /// Reads lists of a site, and the templates that their rows name.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - An error that affects all lists: no user is signed in, or the site can't be reached.
    /// - The error of the first list, if none could be read.
    pub async fn read_site(
        &self,
        site: &str,
        selections: &[ListSelection],
        canceller: &Canceller,
        mut progress: impl FnMut(RehearsalProgress) + Send,
    ) -> Result<SiteRows, Problem> {
        let contract = self.0.sites().contract(site)?;
        let mut reader = SiteReader { rehearsals: *self, site, canceller, rows: SiteRows::default() };
        let lists = u32::try_from(selections.len()).unwrap_or(u32::MAX);
        for (list, selection) in (1..).zip(selections) {
            let mut report = |operation: &str, read_progress: BrowseProgress| {
                let BrowseProgress { rows, total, waiting_until, .. } = read_progress;
                progress(RehearsalProgress {
                    operation: operation.to_owned(),
                    list,
                    lists,
                    rows,
                    total,
                    waiting_until,
                });
            };
            for operation in [Some(&selection.operation), selection.fallback.as_ref()].into_iter().flatten() {
                if contract.operation(operation).is_some() && reader.read_list(operation, &mut report).await? {
                    break;
                }
            }
            if reader.rows.is_canceled {
                return Ok(reader.rows);
            }
        }
        reader.ensure_any_list()?;
        reader.read_templates(&contract, selections).await?;
        reader.report_unselected_lists(&contract, selections);
        Ok(reader.rows)
    }
}

/// Reads a site's lists, and collects their rows.
struct SiteReader<'a> {
    rehearsals: Rehearsals<'a>,
    site: &'a str,
    canceller: &'a Canceller,
    rows: SiteRows,
}

impl SiteReader<'_> {
    /// Reads a list. Returns false if the site refuses it.
    async fn read_list(
        &mut self,
        operation: &str,
        report: &mut (dyn FnMut(&str, BrowseProgress) + Send),
    ) -> Result<bool, Problem> {
        report(operation, BrowseProgress::default());
        let query = BrowseQuery { operation: operation.to_owned(), parameters: BTreeMap::new() };
        match self.read_rows(&query, |read_progress| report(operation, read_progress)).await {
            Ok(set) => {
                self.rows.lists.push(set);
                Ok(true)
            }
            Err(problem) if is_list_problem(problem.code) => {
                self.rows.skipped.push(SkippedList { operation: operation.to_owned(), problem: Some(problem) });
                Ok(false)
            }
            Err(problem) => Err(problem),
        }
    }

    async fn read_rows(
        &mut self,
        query: &BrowseQuery,
        mut report: impl FnMut(BrowseProgress) + Send,
    ) -> Result<RowSet, Problem> {
        let browse = self.rehearsals.0.browse();
        let set = browse.row_set(self.site, &query.operation)?;
        let mut pages = 0;
        let end = browse.read_all(query, &set, self.canceller, |read_progress| {
            pages = read_progress.page.max(pages);
            report(read_progress);
        });
        let end = end.await;
        self.rows.requests = self.rows.requests.saturating_add(pages.max(1));
        match end? {
            BrowseEnd::Whole => {}
            BrowseEnd::Uneven => self.rows.changed_lists.push(query.operation.clone()),
            BrowseEnd::Stopped => self.rows.is_canceled = true,
        }
        Ok(set)
    }

    /// Reads the processes of every template that a row names.
    async fn read_templates(&mut self, contract: &Contract, selections: &[ListSelection]) -> Result<(), Problem> {
        for operation in contract.operations() {
            let Some(cleanup) = &operation.cleanup else { continue };
            let ids = self.collect_template_ids(cleanup, selections);
            let unread = u32::try_from(ids.len().saturating_sub(MAX_TEMPLATES)).unwrap_or(u32::MAX);
            self.rows.unread_templates = self.rows.unread_templates.saturating_add(unread);
            for id in ids.into_iter().take(MAX_TEMPLATES) {
                let parameters = BTreeMap::from([(cleanup.template.clone(), id.to_string())]);
                let query = BrowseQuery { operation: operation.id.clone(), parameters };
                match self.read_rows(&query, |_| {}).await {
                    Ok(rows) => self.rows.templates.push(TemplateRows { id, rows }),
                    Err(problem) if is_list_problem(problem.code) => {
                        let is_skipped = self.rows.skipped.iter().any(|skipped| skipped.operation == operation.id);
                        if !is_skipped {
                            let problem = Some(problem);
                            self.rows.skipped.push(SkippedList { operation: operation.id.clone(), problem });
                        }
                    }
                    Err(problem) => return Err(problem),
                }
                if self.rows.is_canceled {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn collect_template_ids(&self, cleanup: &Cleanup, selections: &[ListSelection]) -> BTreeSet<i64> {
        let mut ids = BTreeSet::new();
        for user in &cleanup.users {
            let main_list = selections.iter().find(|selection| selection.fallback.as_ref() == Some(&user.list));
            let names = [Some(&user.list), main_list.map(|selection| &selection.operation)];
            let sets = self.rows.lists.iter().filter(|set| names.iter().flatten().any(|name| *name == set.operation()));
            for set in sets {
                set.for_each_row(|_, row| {
                    let row: serde_json::Value = serde_json::from_str(row).unwrap_or_default();
                    ids.extend(row.get(&user.template).and_then(serde_json::Value::as_i64));
                });
            }
        }
        ids
    }

    /// Reports the site's lists that weren't selected as skipped.
    fn report_unselected_lists(&mut self, contract: &Contract, selections: &[ListSelection]) {
        let is_selected = |operation: &Operation| {
            selections.iter().any(|selection| {
                selection.operation == operation.id || selection.fallback.as_deref() == Some(operation.id.as_str())
            })
        };
        let others = contract.operations().iter().filter(|operation| {
            operation.kind == OperationKind::Read && operation.cleanup.is_none() && !is_selected(operation)
        });
        let skipped = others.map(|operation| SkippedList { operation: operation.id.clone(), problem: None });
        self.rows.skipped.extend(skipped);
    }

    /// Fails with the first list's problem if no list could be read.
    fn ensure_any_list(&self) -> Result<(), Problem> {
        let first = self.rows.skipped.iter().find_map(|skipped| skipped.problem.clone());
        match first {
            Some(problem) if self.rows.lists.is_empty() => Err(problem),
            Some(_) | None => Ok(()),
        }
    }
}

/// Returns true if the problem affects only one list, so that others can still be read.
fn is_list_problem(code: Code) -> bool {
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
