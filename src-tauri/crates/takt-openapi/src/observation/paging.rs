//! Finds the counts of rows and pages in a response, and the number of its page.

use serde_json::Value;
use takt_contract::form::{CountPlace, Paging, at_path};

use crate::member_names::{find_likeliest, names};

/// The maximum number of names that are tried for a parameter.
const MAX_NAMES: usize = 3;

/// The paging found in a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectedPaging {
    /// The members with the numbers of rows, pages and the current page. Its request parameters aren't set, because a
    /// response doesn't prove them.
    pub paging: Paging,
    /// The number of the returned page.
    pub current: Option<u32>,
    /// Rows per page.
    pub size: Option<u32>,
    /// Possible names of the parameters for page and size, the likeliest first.
    pub parameters: Vec<(String, Option<String>)>,
}

/// Finds the paging in the body of a response. Returns None if it has no count of rows or pages and no page number.
#[must_use]
pub fn detect_paging(body: &Value) -> Option<DetectedPaging> {
    let numbers = number_paths(body);
    let find = |wanted: &[String]| {
        find_likeliest(wanted, numbers.iter().map(|path| (path.rsplit('.').next().unwrap_or_default(), path))).cloned()
    };
    let (total, pages, current, size) =
        (find(&names().total), find(&names().pages), find(&names().current), find(&names().limit));
    if total.is_none() && pages.is_none() && current.is_none() {
        return None;
    }
    let number = |path: &Option<String>| {
        let value = at_path(body, path.as_deref()?)?.as_u64()?;
        u32::try_from(value).ok()
    };
    let last_step = |path: &Option<String>| path.as_deref().and_then(|path| path.rsplit('.').next()).map(str::to_owned);
    let member = |path: &Option<String>| path.clone().map(CountPlace::Member);
    Some(DetectedPaging {
        current: number(&current),
        size: number(&size),
        parameters: possible_parameters(last_step(&current), last_step(&size).as_deref()),
        paging: Paging { total: member(&total), pages: member(&pages), current: member(&current), ..Paging::default() },
    })
}

/// Returns possible parameter names: the names of the body's members, the same with a lower-case first letter, and a
/// common pair.
fn possible_parameters(page: Option<String>, size: Option<&str>) -> Vec<(String, Option<String>)> {
    let mut pairs: Vec<(String, Option<String>)> = Vec::new();
    if let Some(page) = page {
        pairs.push((page.clone(), size.map(str::to_owned)));
        pairs.push((lower_first_letter(&page), size.map(lower_first_letter)));
    }
    pairs.push(("page".to_owned(), Some("pageSize".to_owned())));
    pairs.dedup();
    pairs.truncate(MAX_NAMES);
    pairs
}

fn lower_first_letter(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// Returns the dotted paths of a body's unsigned integers, two levels deep.
fn number_paths(body: &Value) -> Vec<String> {
    let mut paths = Vec::new();
    for (name, value) in body.as_object().into_iter().flatten().take(100) {
        if value.is_u64() {
            paths.push(name.clone());
        }
        let inner = value.as_object().into_iter().flatten().take(100);
        paths.extend(inner.filter(|(_, value)| value.is_u64()).map(|(part, _)| format!("{name}.{part}")));
    }
    paths
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_beside_the_list_tell_of_pages() {
        let body =
            json!({ "Data": { "Items": [], "PageIndex": 0, "PageSize": 25, "TotalCount": 80, "TotalPages": 4 } });
        let seen = detect_paging(&body).unwrap();
        assert_eq!((seen.current, seen.size), (Some(0), Some(25)));
        assert_eq!(seen.paging.total, Some(CountPlace::Member("Data.TotalCount".to_owned())));
        assert_eq!(seen.paging.current, Some(CountPlace::Member("Data.PageIndex".to_owned())));
        let page = |at: usize| (seen.parameters[at].0.as_str(), seen.parameters[at].1.as_deref());
        assert_eq!((page(0), page(1)), (("PageIndex", Some("PageSize")), ("pageIndex", Some("pageSize"))));
        assert_eq!(detect_paging(&json!({ "items": [], "version": 3 })), None);
        assert_eq!(detect_paging(&json!([])), None);
    }
}
