//! Previews which links an import would delete.

use std::collections::BTreeSet;

use super::{
    facts::Facts,
    templates::Templates,
    view::{LinksToDelete, count},
};
use takt_core::{Item, Problem};
use takt_import::ImportId;

use crate::preview::PreviewChoice;

impl Templates {
    /// Returns the links that an import would delete on a site: its rows without errors, and without those that
    /// `choice` skips.
    ///
    /// Returns `None` if the import deletes no links. Nothing is sent or remembered.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the contract doesn't define templates, the import isn't open, or
    ///   it has no preview although there is a `choice`.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import is for another site (`other-site`), no sheet
    ///   has an operation (`no-operation`), or its preview doesn't fit any more (`preview-stale`, `rows-in-conflict`).
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn links_of_import(
        &self,
        site: &str,
        import: ImportId,
        choice: Option<PreviewChoice>,
    ) -> Result<Option<LinksToDelete>, Problem> {
        let delete = &Facts::of(&self.contract)?.cleanup.delete;
        self.import_sites.require(import, site)?;
        let (mut steps, _) = self.imports.to_send(import)?;
        // Links are deleted by imports of only this operation.
        if steps.iter().any(|step| step.set.operation != delete.operation) {
            return Ok(None);
        }
        if let Some(choice) = choice {
            self.previews.mark_items(import, site, &mut steps, choice)?;
        }
        let sent_items = || steps.iter().flat_map(|step| &step.set.items).filter(|item| is_sent(item));
        let templates: BTreeSet<i64> =
            sent_items().filter_map(|item| item.body.get(&delete.template)?.as_i64()).collect();
        Ok(Some(LinksToDelete { links: count(sent_items().count()), templates: templates.into_iter().collect() }))
    }
}

fn is_sent(item: &Item) -> bool {
    !item.blocked && !item.skipped && item.comparison.as_ref().is_none_or(|comparison| !comparison.skip)
}
