//! Common names of members and parameters for pages, counts, results and reasons. They are data (`data/members.json`),
//! each written as one lower-case word.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::words::join_words;

const DATA: &str = include_str!("../data/members.json");

static NAMES: LazyLock<MemberNames> = LazyLock::new(|| serde_json::from_str(DATA).unwrap_or_default());

/// Lists of names, the likeliest first.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemberNames {
    pub(crate) rows: Vec<String>,
    pub(crate) not_rows: Vec<String>,
    pub(crate) page: Vec<String>,
    pub(crate) offset: Vec<String>,
    pub(crate) limit: Vec<String>,
    pub(crate) zero: Vec<String>,
    pub(crate) total: Vec<String>,
    pub(crate) pages: Vec<String>,
    pub(crate) current: Vec<String>,
    pub(crate) results: Vec<String>,
    pub(crate) failures: Vec<String>,
    pub(crate) success: Vec<String>,
    pub(crate) status: Vec<String>,
    pub(crate) reasons: Vec<String>,
    pub(crate) index: Vec<String>,
    pub(crate) count_total: Vec<String>,
    pub(crate) count_accepted: Vec<String>,
    pub(crate) count_rejected: Vec<String>,
    pub(crate) yes: Vec<String>,
    pub(crate) no: Vec<String>,
    pub(crate) error_reasons: Vec<String>,
    pub(crate) error_log: Vec<String>,
    pub(crate) problem: Vec<String>,
    pub(crate) problem_log: Vec<String>,
    /// The seven days from Monday on, followed by their abbreviations.
    pub(crate) weekdays: Vec<String>,
}

/// Returns the built-in names.
pub(crate) fn names() -> &'static MemberNames {
    &NAMES
}

/// Returns the position of a name in a list of names.
pub(crate) fn position_in(names: &[String], name: &str) -> Option<usize> {
    let word = join_words(name);
    names.iter().position(|known| *known == word)
}

/// Returns the one of `things` whose name comes first in `names`.
pub(crate) fn find_likeliest<'a, T: 'a>(names: &[String], things: impl Iterator<Item = (&'a str, T)>) -> Option<T> {
    things
        .filter_map(|(name, thing)| Some((position_in(names, name)?, thing)))
        .min_by_key(|(position, _)| *position)
        .map(|(_, thing)| thing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_is_read() {
        assert!(names().rows.len() > 5 && names().problem_log.len() == 1);
        assert_eq!(position_in(&names().limit, "Page-Size"), Some(1));
    }
}
