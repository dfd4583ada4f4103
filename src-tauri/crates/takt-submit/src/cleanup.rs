//! Cleaning up template-process links: reading templates by id, what is where among them, the list of links to delete, what that
//! touches, the delete itself, and what was deleted before.
//!
//! No operation lists templates, so ids are given by a person and remembered per site. Deleting is a submission like any
//! other: written down before it is sent, one result per link. Which field means what says the contract (`facts`).

mod deleted;
mod facets;
mod facts;
mod ids;
mod import_links;
mod links;
mod list;
mod matrix;
mod reading;
mod settings;
mod users;
mod view;

use std::sync::Arc;

use takt_contract::Contract;
use takt_core::{Clock, Code, Home, Problem};
use takt_import::{ImportSites, Imports, ItemSet};
use takt_journal::{ClaimChoice, Journal};
use takt_sites::{Context, Sites, sites::SeenPaths};

use crate::{
    link::CleanupLink,
    preview::Previews,
    submission::{PlanView, SubmissionRequest, Submissions},
};
pub use deleted::DeletedTable;
use facts::Facts;
pub use ids::{parse_template_ids, write_template_ids};
pub use links::links_to_items;
pub use reading::TemplateSet;
pub use view::*;

/// Templates, their links to processes, and what is deleted of these.
#[derive(Clone)]
pub struct Templates {
    pub contract: Arc<Contract>,
    pub journal: Arc<Journal>,
    pub sites: Arc<Sites>,
    pub clock: Clock,
    pub(crate) home: Home,
    pub(crate) imports: Arc<Imports>,
    pub(crate) import_sites: ImportSites,
    pub(crate) previews: Arc<Previews>,
    pub(crate) submissions: Arc<Submissions>,
}

takt_core::opaque_debug!(Templates);

impl Templates {
    /// Templates of the sites of `context`; `submissions` deletes their links.
    #[must_use]
    pub fn new(
        context: &Context,
        imports: Arc<Imports>,
        import_sites: ImportSites,
        previews: Arc<Previews>,
        submissions: Arc<Submissions>,
    ) -> Self {
        Self {
            contract: Arc::clone(&context.contract),
            journal: Arc::clone(&context.journal),
            sites: Arc::clone(&context.sites),
            clock: Arc::clone(&context.clock),
            home: context.home.clone(),
            imports,
            import_sites,
            previews,
            submissions,
        }
    }

    /// What has come of a set of templates so far: sums, which template holds which process, and what is worth a look.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): which orders use the templates can't be read.
    pub fn view(&self, set: &TemplateSet) -> Result<TemplatesView, Problem> {
        Ok(set.view(self.uses(set.site())?.as_ref()))
    }

    /// Ids that were read on this site before.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn remembered(&self, site: &str) -> Result<Ids, Problem> {
        Ok(Ids::of(&self.journal.templates().list(site)?))
    }

    /// Forgets the templates that were known at a site.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read or removed.
    pub fn forget(&self, site: &str) -> Result<(), Problem> {
        for template in self.journal.templates().list(site)? {
            self.journal.templates().forget(site, template)?;
        }
        SeenPaths::forget(&self.sites, site);
        Ok(())
    }

    /// Deletes links as a submission. What was known of their processes goes into the workbook that is kept of it. `claimed`: what is
    /// done about links that other desks of a team are sending.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: a link lacks its process or operation.
    /// - [`Code::Unknown`]: the contract says nothing of templates, or has no operation that deletes their links.
    /// - As [`Submissions::submit`] for what can't be sent.
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
        if let Some(kept) = links.iter().find(blank) {
            return Err(Problem::new(Code::InvalidInput).parameter("what", links::key(&kept.link)));
        }
        let (items, beside) = list::items(links);
        let operation = Facts::of(&self.contract)?.cleanup.delete.operation.clone();
        self.submissions
            .submit(SubmissionRequest {
                site: site.to_owned(),
                steps: vec![ItemSet { operation, items, ..ItemSet::default() }.into()],
                beside: serde_json::to_value(beside).ok(),
                confirmed,
                claimed,
                ..SubmissionRequest::default()
            })
            .await
    }
}
