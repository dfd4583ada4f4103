//! The templates of sites: their view, the remembered IDs, and named lists of IDs.

use std::sync::Arc;

use takt_contract::Contract;
use takt_core::{Clock, Code, Home, Problem};
use takt_import::{ImportSites, Imports};
use takt_journal::Journal;
use takt_sites::{Context, SeenPaths, Sites};

use super::{
    ids::parse_template_ids,
    stored_data,
    template_set::TemplateSet,
    view::{IdList, Ids, TemplatesView},
};
use crate::{preview::Previews, submission::Submissions};

/// Limits a site's named lists, which are stored as one setting of the journal.
const MAX_LISTS: usize = 200;

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
    /// Creates the templates for the sites of `context`. Links are deleted by `submissions`.
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
    pub fn create_set(&self, site: &str, ids: &[i64]) -> TemplateSet {
        TemplateSet::new(site, ids)
    }

    /// Returns the sums, links and facets of the templates that were read so far.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the templates that orders use can't be read.
    pub fn view(&self, set: &TemplateSet) -> Result<TemplatesView, Problem> {
        Ok(set.view(self.load_uses(set.site())?.as_ref()))
    }

    /// Returns the IDs that were read on this site before.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn remembered_ids(&self, site: &str) -> Result<Ids, Problem> {
        Ok(Ids::new(&self.journal.templates().list(site)?))
    }

    /// Returns the named lists of IDs, sorted by name.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn id_lists(&self, site: &str) -> Result<Vec<IdList>, Problem> {
        Ok(stored_data::load_setting(&self.journal, stored_data::ID_LISTS_SETTING, site)?.unwrap_or_default())
    }

    /// Stores a list under its name and replaces an earlier one. A list without IDs is removed.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: the list has no name, there are too many lists, or [`parse_template_ids`] can't parse
    ///   its IDs.
    /// - A [journal code](takt_core::problem#journal-codes): the lists can't be read or written.
    pub fn store_id_list(&self, site: &str, list: &IdList) -> Result<Vec<IdList>, Problem> {
        let (name, ids) = (list.name.trim().to_owned(), list.ids.trim().to_owned());
        let mut lists = self.id_lists(site)?;
        lists.retain(|known| known.name != name);
        if !ids.is_empty() {
            parse_template_ids(&ids)?;
            if name.is_empty() || lists.len() >= MAX_LISTS {
                return Err(Problem::new(Code::InvalidInput).parameter("what", name));
            }
            lists.push(IdList { name, ids });
        }
        lists.sort_by(|one, other| one.name.cmp(&other.name));
        stored_data::store_setting(&self.journal, stored_data::ID_LISTS_SETTING, site, &lists)?;
        Ok(lists)
    }

    /// Removes the remembered IDs of a site, and the paths that reads have shown.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read or written.
    pub fn forget_ids(&self, site: &str) -> Result<(), Problem> {
        for template in self.journal.templates().list(site)? {
            self.journal.templates().forget(site, template)?;
        }
        SeenPaths::forget(&self.sites, site);
        Ok(())
    }

    /// Removes a site's links to delete, its named lists of IDs and its template uses, after the site was removed.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be written.
    pub fn remove_site_settings(&self, site: &str) -> Result<(), Problem> {
        stored_data::remove_settings(&self.journal, site)
    }
}
