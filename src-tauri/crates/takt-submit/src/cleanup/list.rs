//! The cleanup list and the named lists of IDs, stored per site.

use std::{collections::HashSet, path::Path};

use takt_sheet::writer::{OutCell, OutColumn, OutSheet, write_workbook};

use super::{facts::Facts, ids::parse_template_ids, settings, templates::Templates, view::IdList};
use takt_core::{Code, Problem};

use crate::link::{CleanupLink, Link, duration_cell};

/// The most links on a list.
const MAX_LINKS: usize = 50_000;
const MAX_LISTS: usize = 200;

impl Templates {
    /// Returns a site's links to delete, in the order in which they were added.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn links(&self, site: &str) -> Result<Vec<CleanupLink>, Problem> {
        Ok(settings::get(&self.journal, settings::LINKS, site)?.unwrap_or_default())
    }

    /// Stores the list, each link once.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: there are too many.
    /// - A [journal code](takt_core::problem#journal-codes): they can't be written.
    pub fn store_links(&self, site: &str, links: Vec<CleanupLink>) -> Result<Vec<CleanupLink>, Problem> {
        let mut seen: HashSet<Link> = HashSet::new();
        let distinct: Vec<CleanupLink> = links.into_iter().filter(|link| seen.insert(link.link.clone())).collect();
        if distinct.len() > MAX_LINKS {
            return Err(Problem::new(Code::InvalidInput).parameter("what", distinct.len().to_string()));
        }
        settings::put(&self.journal, settings::LINKS, site, &distinct)?;
        Ok(distinct)
    }

    /// Removes a site's links to delete, its named lists of IDs and its template uses, after the site was removed.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be removed.
    pub fn forget_lists(&self, site: &str) -> Result<(), Problem> {
        settings::forget(&self.journal, site)
    }

    /// Writes the list as a workbook that can be imported and sent.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract doesn't define templates.
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

    /// Returns the named lists of IDs, sorted by name.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn id_lists(&self, site: &str) -> Result<Vec<IdList>, Problem> {
        Ok(settings::get(&self.journal, settings::ID_LISTS, site)?.unwrap_or_default())
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
        settings::put(&self.journal, settings::ID_LISTS, site, &lists)?;
        Ok(lists)
    }
}

fn cells(cleanup_link: &CleanupLink) -> Vec<OutCell> {
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
