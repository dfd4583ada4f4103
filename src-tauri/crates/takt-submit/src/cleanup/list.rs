//! The cleanup list and the named lists of ids: kept per site, also over a restart.

use std::{collections::HashSet, path::Path};

use takt_sheet::writer::{OutCell, OutColumn, OutSheet, write_workbook};

use super::{IdList, facts::Facts, ids::parse_template_ids, links, settings};
use takt_core::{Code, Item, Problem};

use crate::{
    Templates,
    link::{CleanupLink, Link, duration_cell},
};

/// Links on one list.
const MAX_LINKS: usize = 50_000;
const MAX_LISTS: usize = 200;

impl Templates {
    /// The links to delete of a site, in the order in which they were collected.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn links(&self, site: &str) -> Result<Vec<CleanupLink>, Problem> {
        Ok(settings::get(&self.journal, settings::LINKS, site)?.unwrap_or_default())
    }

    /// Keeps the list as it stands now, each link once.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: there are too many.
    /// - A [journal code](takt_core::problem#journal-codes): they can't be written.
    pub fn store_links(&self, site: &str, links: Vec<CleanupLink>) -> Result<Vec<CleanupLink>, Problem> {
        let mut seen: HashSet<Link> = HashSet::new();
        let once: Vec<CleanupLink> = links.into_iter().filter(|kept| seen.insert(kept.link.clone())).collect();
        if once.len() > MAX_LINKS {
            return Err(Problem::new(Code::InvalidInput).parameter("what", once.len().to_string()));
        }
        settings::put(&self.journal, settings::LINKS, site, &once)?;
        Ok(once)
    }

    /// Forgets the links to delete, the named lists of ids and which orders use templates: the site was removed.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be removed.
    pub fn forget_lists(&self, site: &str) -> Result<(), Problem> {
        settings::forget(&self.journal, site)
    }

    /// Writes the list as a workbook that can be opened to be sent.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract says nothing of templates.
    /// - [`Code::WriteFailed`]: the workbook can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the links can't be read.
    pub fn save_links(&self, site: &str, path: &Path) -> Result<(), Problem> {
        let facts = Facts::of(&self.contract)?;
        let delete = &facts.cleanup.delete;
        let known = [&facts.cleanup.description, &facts.cleanup.labor, &facts.cleanup.machine];
        let headings = [&delete.template, &delete.process, &delete.by_person].into_iter().chain(known);
        let sheet = OutSheet {
            name: delete.operation.chars().take(31).collect(),
            columns: headings.map(|heading| OutColumn::new(heading.as_str())).collect(),
            rows: self.links(site)?.iter().map(cells).collect(),
            ..OutSheet::default()
        };
        let file = path.display().to_string();
        write_workbook(path, &[sheet]).map_err(|error| Problem::of_sheet(&file, error))
    }

    /// In the order of their names.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn id_lists(&self, site: &str) -> Result<Vec<IdList>, Problem> {
        Ok(settings::get(&self.journal, settings::ID_LISTS, site)?.unwrap_or_default())
    }

    /// Keeps ids under a name, in place of what that name meant before. Without ids the name is forgotten.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: it has no name, there are too many lists, or the numbers can't be read, as
    ///   [`parse_template_ids`] says.
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
        settings::put(&self.journal, settings::ID_LISTS, site, &lists)?;
        Ok(lists)
    }
}

/// One item per link, and what is known of each beside what is sent.
pub(super) fn items(kept: &[CleanupLink]) -> (Vec<Item>, Vec<CleanupLink>) {
    let mut seen: HashSet<&Link> = HashSet::new();
    let once: Vec<CleanupLink> = kept.iter().filter(|kept| seen.insert(&kept.link)).cloned().collect();
    let plain: Vec<Link> = once.iter().map(|kept| kept.link.clone()).collect();
    (links::links_to_items(&plain), once)
}

fn cells(kept: &CleanupLink) -> Vec<OutCell> {
    let CleanupLink { link, description, labor_seconds, machine_seconds } = kept;
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
