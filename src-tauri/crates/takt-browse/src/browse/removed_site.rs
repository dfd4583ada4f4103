//! What lists keep of a site ends with it: another site of the same name is another one.
//!
//! Views of tables stay, as a team shares them by the names of sites.

use takt_core::Problem;

use super::{Browse, filters::READ_FILTERS, moved_bars::MOVED_BARS, table_view::last};

impl Browse {
    /// Of a site that was removed: its moved bars, what its lists were asked with, and which list was looked at last.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): something of it can't be removed.
    pub fn forget(&self, site: &str) -> Result<(), Problem> {
        let others: Vec<String> = self.journal.sites().list()?.into_iter().map(|other| other.name).collect();
        for beginning in [MOVED_BARS, READ_FILTERS] {
            for name in self.journal.settings().names(beginning)? {
                if is_of(&name, site, &others) {
                    self.journal.settings().remove(&name)?;
                }
            }
        }
        self.journal.settings().remove(&last(site))?;
        Ok(())
    }
}

/// Whether a setting whose name ends with its site's is of this one. The name of a site can hold a slash, too.
fn is_of(setting: &str, site: &str, others: &[String]) -> bool {
    let ends_with = |site: &str| setting.strip_suffix(site).is_some_and(|before| before.ends_with('/'));
    ends_with(site) && !others.iter().any(|other| other.len() > site.len() && ends_with(other))
}

#[cfg(test)]
mod tests {
    use super::is_of;

    #[test]
    fn a_site_whose_name_ends_as_anothers_does_keeps_its_settings() {
        let others = ["north/works".to_owned(), "practice".to_owned()];
        assert!(is_of("moved-bars/work-orders.list/works", "works", &others));
        assert!(!is_of("moved-bars/work-orders.list/north/works", "works", &others));
        assert!(!is_of("moved-bars/work-orders.list/steelworks", "works", &others));
        assert!(is_of("moved-bars/work-orders.list/north/works", "north/works", &["works".to_owned()]));
    }
}
