//! Deletes the stored settings of a removed site, because another site may use its name later.
//!
//! Table views remain, because teams share them by site name.

use takt_core::Problem;

use super::{
    filters::READ_FILTERS, list_reader::Browse, moved_bars::MOVED_BARS_KEY_PREFIX, table_view::last_list_setting,
};

impl Browse {
    /// Deletes a removed site's moved bars, filters and last list.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): a setting can't be removed.
    pub fn forget(&self, site: &str) -> Result<(), Problem> {
        let other_sites: Vec<String> = self.journal.sites().list()?.into_iter().map(|other| other.name).collect();
        for prefix in [MOVED_BARS_KEY_PREFIX, READ_FILTERS] {
            for name in self.journal.settings().names(prefix)? {
                if belongs_to(&name, site, &other_sites) {
                    self.journal.settings().remove(&name)?;
                }
            }
        }
        self.journal.settings().remove(&last_list_setting(site))?;
        Ok(())
    }
}

/// Returns true if the setting belongs to this site. Its name ends with the site's name, which can contain a slash.
fn belongs_to(setting: &str, site: &str, other_sites: &[String]) -> bool {
    let ends_with = |site: &str| setting.strip_suffix(site).is_some_and(|before| before.ends_with('/'));
    ends_with(site) && !other_sites.iter().any(|other| other.len() > site.len() && ends_with(other))
}

#[cfg(test)]
mod tests {
    use super::belongs_to;

    #[test]
    fn a_site_whose_name_ends_as_anothers_does_keeps_its_settings() {
        let other_sites = ["north/works".to_owned(), "practice".to_owned()];
        assert!(belongs_to("moved-bars/work-orders.list/works", "works", &other_sites));
        assert!(!belongs_to("moved-bars/work-orders.list/north/works", "works", &other_sites));
        assert!(!belongs_to("moved-bars/work-orders.list/steelworks", "works", &other_sites));
        assert!(belongs_to("moved-bars/work-orders.list/north/works", "north/works", &["works".to_owned()]));
    }
}
