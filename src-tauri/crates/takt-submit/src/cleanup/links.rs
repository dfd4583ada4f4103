//! Template-process links to delete: the list of a site, the links of an import, and the delete.

use std::{
    collections::{BTreeSet, HashSet},
    path::Path,
};

use takt_core::{Code, ExcelRow, Item, Problem, RowId, blocking::run_blocking};
use takt_import::{ImportId, ItemSet};
use takt_journal::ClaimChoice;
use takt_sheet::writer::{OutCell, OutColumn, OutSheet, write_workbook};

use super::{
    cleanup_contract::CleanupContract,
    stored_data,
    templates::Templates,
    view::{LinksToDelete, saturating_u32},
};
use crate::{
    link::{CleanupLink, Link, duration_cell},
    preview::PreviewChoice,
    submission::{PlanView, SendOptions, SubmissionRequest},
};

/// Limits a site's list, which is stored as one setting of the journal.
const MAX_LINKS: usize = 50_000;
/// Excel's limit.
const MAX_SHEET_NAME_LENGTH: usize = 31;

impl Templates {
    /// Returns a site's links to delete, in the order in which they were added.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn links(&self, site: &str) -> Result<Vec<CleanupLink>, Problem> {
        Ok(stored_data::load_setting(&self.journal, stored_data::LINKS_SETTING, site)?.unwrap_or_default())
    }

    /// Replaces a site's list. Duplicate links are stored once.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: there are too many links.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be written.
    pub fn store_links(&self, site: &str, links: Vec<CleanupLink>) -> Result<Vec<CleanupLink>, Problem> {
        let mut seen: HashSet<Link> = HashSet::new();
        let distinct: Vec<CleanupLink> = links.into_iter().filter(|link| seen.insert(link.link.clone())).collect();
        if distinct.len() > MAX_LINKS {
            return Err(Problem::new(Code::InvalidInput).parameter("what", distinct.len().to_string()));
        }
        stored_data::store_setting(&self.journal, stored_data::LINKS_SETTING, site, &distinct)?;
        Ok(distinct)
    }

    /// Writes the list as a workbook that can be imported and sent.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract doesn't define templates.
    /// - [`Code::WriteFailed`]: the workbook can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the links can't be read.
    pub fn save_links(&self, site: &str, path: &Path) -> Result<(), Problem> {
        let cleanup_contract = CleanupContract::find(&self.contract)?;
        let delete = &cleanup_contract.cleanup.delete;
        let known =
            [&cleanup_contract.cleanup.description, &cleanup_contract.cleanup.labor, &cleanup_contract.cleanup.machine];
        let headings = [&delete.template, &delete.process, &delete.by_person].into_iter().chain(known);
        let sheet = OutSheet {
            name: links_sheet_name(&delete.operation),
            columns: headings.map(|heading| OutColumn::new(heading.as_str())).collect(),
            rows: self.links(site)?.iter().map(link_cells).collect(),
            ..OutSheet::default()
        };
        let file = path.display().to_string();
        write_workbook(path, &[sheet]).map_err(|error| Problem::from_sheet_error(&file, error))
    }

    /// Returns the links that an import would delete on a site. Rows with errors and rows that `choice` skips aren't
    /// included.
    ///
    /// Returns `None` if a step of the import has another operation. Nothing is sent or remembered.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract doesn't define templates, the import isn't open, or
    ///   it has no preview although there is a `choice`.
    /// - [`Code::Precondition`]: the import is for another site (`other-site`), no sheet has an operation
    ///   (`no-operation`), its preview is outdated (`preview-stale`), or rows are in conflict (`rows-in-conflict`).
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn preview_import_links(
        &self,
        site: &str,
        import: ImportId,
        choice: Option<PreviewChoice>,
    ) -> Result<Option<LinksToDelete>, Problem> {
        let delete = &CleanupContract::find(&self.contract)?.cleanup.delete;
        self.import_sites.require_site(import, site)?;
        let (mut steps, _) = self.imports.items_with_revision(import)?;
        // Links are only deleted by imports whose steps all have this operation.
        if steps.iter().any(|step| step.set.operation != delete.operation) {
            return Ok(None);
        }
        if let Some(choice) = choice {
            self.previews.mark_items(import, site, &mut steps, choice)?;
        }
        let sent_items = || steps.iter().flat_map(|step| &step.set.items).filter(|item| is_sent(item));
        let templates: BTreeSet<i64> =
            sent_items().filter_map(|item| item.body.get(&delete.template)?.as_i64()).collect();
        Ok(Some(LinksToDelete {
            links: saturating_u32(sent_items().count()),
            templates: templates.into_iter().collect(),
        }))
    }

    /// Deletes links with a submission. Its workbook of deleted rows also contains the known data of the processes.
    ///
    /// `claimed` decides about links that other desks of a team are sending.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: a link lacks its process or operation.
    /// - [`Code::Unknown`]: the contract doesn't define templates, or has no operation that deletes their links.
    /// - The errors of [`Submissions::submit`](crate::submission::Submissions::submit).
    pub async fn delete_links(
        &self,
        site: &str,
        links: &[CleanupLink],
        confirmed: Option<String>,
        claimed: ClaimChoice,
    ) -> Result<PlanView, Problem> {
        let blank = |link: &&CleanupLink| {
            link.link.process_code.trim().is_empty() || link.link.operation_code.trim().is_empty()
        };
        if let Some(incomplete) = links.iter().find(blank) {
            return Err(Problem::new(Code::InvalidInput).parameter("what", format_link_key(&incomplete.link)));
        }
        let (items, known_links) = items_and_links(links);
        let operation = CleanupContract::find(&self.contract)?.cleanup.delete.operation.clone();
        let (templates, owned_site, deleted) = (self.clone(), site.to_owned(), links.to_vec());
        run_blocking(move || templates.remember_operation_codes(&owned_site, &deleted)).await?;
        self.submissions
            .submit(SubmissionRequest {
                site: site.to_owned(),
                steps: vec![ItemSet { operation, items, ..ItemSet::default() }.into()],
                known_data: serde_json::to_value(known_links).ok(),
                options: SendOptions { confirmed, claimed, ..SendOptions::default() },
            })
            .await
    }
}

/// Returns the name of a sheet with links, by the operation that deletes them.
pub(super) fn links_sheet_name(operation: &str) -> String {
    operation.chars().take(MAX_SHEET_NAME_LENGTH).collect()
}

fn link_cells(cleanup_link: &CleanupLink) -> Vec<OutCell> {
    let CleanupLink { link, description, labor_seconds, machine_seconds } = cleanup_link;
    #[expect(clippy::cast_precision_loss, reason = "template ids stay below 2^53")]
    let template = OutCell::Number(link.template_id as f64);
    let text = |text: &str| OutCell::from(text);
    vec![
        template,
        text(&link.process_code),
        text(&link.operation_code),
        text(description),
        duration_cell(*labor_seconds),
        duration_cell(*machine_seconds),
    ]
}

fn is_sent(item: &Item) -> bool {
    !item.blocked && !item.skipped && item.comparison.as_ref().is_none_or(|comparison| !comparison.skip)
}

/// Converts each distinct link to an item. There is no file, so an item's row is its 1-based position.
#[must_use]
pub fn links_to_items(links: &[Link]) -> Vec<Item> {
    let mut seen = HashSet::new();
    let distinct = links.iter().filter(|link| seen.insert(*link));
    (1..).zip(distinct).map(|(row, link)| link_item(row, link)).collect()
}

/// Returns an item for each distinct link, and the links with the known data of their processes.
fn items_and_links(links: &[CleanupLink]) -> (Vec<Item>, Vec<CleanupLink>) {
    let mut seen: HashSet<&Link> = HashSet::new();
    let distinct: Vec<CleanupLink> = links.iter().filter(|link| seen.insert(&link.link)).cloned().collect();
    let plain: Vec<Link> = distinct.iter().map(|link| link.link.clone()).collect();
    (links_to_items(&plain), distinct)
}

fn format_link_key(link: &Link) -> String {
    format!("{} · {} · {}", link.template_id, link.process_code, link.operation_code)
}

fn link_item(row: u32, link: &Link) -> Item {
    Item {
        rows: vec![RowId { sheet: String::new(), row: ExcelRow::new(row) }],
        key: format_link_key(link),
        body: serde_json::to_value(link).unwrap_or_default(),
        ..Item::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_link_once_in_order() {
        let link = |template_id, process: &str| Link {
            template_id,
            process_code: process.to_owned(),
            operation_code: "010".to_owned(),
        };
        let items = links_to_items(&[link(2, "IP-01"), link(1, "IP-01"), link(2, "IP-01")]);
        assert_eq!(
            items.iter().map(|item| item.key.as_str()).collect::<Vec<_>>(),
            ["2 · IP-01 · 010", "1 · IP-01 · 010"]
        );
        assert_eq!(
            items.iter().map(|item| item.rows.clone()).map(|rows| rows[0].row.get()).collect::<Vec<_>>(),
            [1, 2]
        );
        assert_eq!(items[0].body, json!({ "templateId": 2, "processCode": "IP-01", "operationCode": "010" }));
    }
}
