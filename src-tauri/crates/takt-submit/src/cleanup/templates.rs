//! The templates of sites: their view, the remembered ones, and the deletion of their links.

use std::sync::Arc;

use takt_contract::Contract;
use takt_core::{Clock, Code, Home, Problem};
use takt_import::{ImportSites, Imports, ItemSet};
use takt_journal::{ClaimChoice, Journal};
use takt_sites::{Context, SeenPaths, Sites};

use super::{
    facts::Facts,
    links,
    template_set::TemplateSet,
    view::{Ids, TemplatesView},
};
use crate::{
    link::CleanupLink,
    preview::Previews,
    submission::{PlanView, SendOptions, SubmissionRequest, Submissions},
};

/// The templates of sites, and the deletion of their links to processes.
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
    /// Creates the templates of the sites of `context`. `submissions` deletes their links.
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

    /// Creates a set without readings.
    #[must_use]
    pub fn set(&self, site: &str, ids: &[i64]) -> TemplateSet {
        TemplateSet::new(site, ids)
    }

    /// Returns the sums, links and facets of the templates that were read so far.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the templates that orders use can't be read.
    pub fn view(&self, set: &TemplateSet) -> Result<TemplatesView, Problem> {
        Ok(set.view(self.uses(set.site())?.as_ref()))
    }

    /// Returns the IDs that were read on this site before.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn remembered(&self, site: &str) -> Result<Ids, Problem> {
        Ok(Ids::of(&self.journal.templates().list(site)?))
    }

    /// Forgets the templates of a site.
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

    /// Deletes links by a submission. The known data of their processes are added to its workbook of deleted rows.
    ///
    /// `claimed` decides about links that other desks of a team are sending.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: a link lacks its process or operation.
    /// - [`Code::Unknown`]: the contract doesn't define templates, or has no operation that deletes their links.
    /// - Those of [`Submissions::submit`].
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
            return Err(Problem::new(Code::InvalidInput).parameter("what", links::link_key(&incomplete.link)));
        }
        let (items, known_links) = links::items_and_links(links);
        let operation = Facts::of(&self.contract)?.cleanup.delete.operation.clone();
        self.submissions
            .submit(SubmissionRequest {
                site: site.to_owned(),
                steps: vec![ItemSet { operation, items, ..ItemSet::default() }.into()],
                beside: serde_json::to_value(known_links).ok(),
                options: SendOptions { confirmed, claimed, ..SendOptions::default() },
            })
            .await
    }
}
