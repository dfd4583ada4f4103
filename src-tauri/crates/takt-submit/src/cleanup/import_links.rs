//! Links that come from a spreadsheet: which of them an import would delete, before anything is sent.

use std::collections::BTreeSet;

use super::{GoingLinks, facts::Facts, matrix::count};
use takt_core::{Item, Problem};
use takt_import::import::ImportId;

use crate::{Templates, preview::PreviewChoice};

impl Templates {
    /// What an import would delete on a site: its rows without errors, and without those that the preview leaves out where one was
    /// taken. Absent where the import deletes no links. Nothing is sent, and nothing is remembered.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the contract says nothing of templates, or no such import is open, or
    ///   it has no preview where `choice` needs one.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import is for another site (`other-site`), no sheet has
    ///   an operation (`no-operation`), or its preview doesn't fit any more (`preview-stale`, `rows-in-conflict`).
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn links_of_import(
        &self,
        site: &str,
        import: ImportId,
        choice: Option<PreviewChoice>,
    ) -> Result<Option<GoingLinks>, Problem> {
        let delete = &Facts::of(&self.contract)?.cleanup.delete;
        self.import_sites.require(import, site)?;
        let (mut steps, _) = self.imports.to_send(import)?;
        // What deletes goes by itself.
        if steps.iter().any(|step| step.set.operation != delete.operation) {
            return Ok(None);
        }
        if let Some(choice) = choice {
            self.previews.look_over(import, site, &mut steps, choice)?;
        }
        let going = || steps.iter().flat_map(|step| &step.set.items).filter(|item| goes(item));
        let templates: BTreeSet<i64> = going().filter_map(|item| item.body.get(&delete.template)?.as_i64()).collect();
        Ok(Some(GoingLinks { links: count(going().count()), templates: templates.into_iter().collect() }))
    }
}

fn goes(item: &Item) -> bool {
    !item.blocked && !item.skipped && item.looked.as_ref().is_none_or(|looked| !looked.skip)
}
