//! Searches the pages of the help.

use serde::{Deserialize, Serialize};
use takt_core::folding::fold;

use crate::page::{HelpGroup, HelpPage};

/// Maximum number of results. More aren't useful.
const MAX_RESULTS: usize = 30;

/// A page that contains all words of the query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HelpMatch {
    pub page: String,
    pub group: HelpGroup,
    pub title: String,
    /// The line with the most words of the query, without markup.
    pub line: String,
}

/// Returns the pages with all words of `query`. Pages with words in their title or a heading come first.
#[must_use]
pub fn search_pages(pages: &[HelpPage], query: &str) -> Vec<HelpMatch> {
    let words: Vec<String> = query.split_whitespace().map(fold).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let mut scored: Vec<(usize, HelpMatch)> = pages.iter().filter_map(|page| score_page(page, &words)).collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().take(MAX_RESULTS).map(|(_, page_match)| page_match).collect()
}

fn score_page(page: &HelpPage, words: &[String]) -> Option<(usize, HelpMatch)> {
    let (title, text) = (fold(&page.title), fold(&page.text));
    if !words.iter().all(|word| text.contains(word.as_str())) {
        return None;
    }
    let count = |text: &str| words.iter().filter(|word| text.contains(word.as_str())).count();
    let in_headings: usize =
        page.text.lines().filter(|line| line.starts_with("##")).map(|line| count(&fold(line))).sum();
    // Written pages come before generated tables of fields.
    let is_written = usize::from(page.group != HelpGroup::Operation);
    let score = count(&title) * 100 + in_headings * 10 + is_written * 5 + count(&text);
    let lines =
        page.text.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '!']) && !line.starts_with("|--"));
    // The first of the lines with the most words.
    let line = lines.rev().max_by_key(|line| count(&fold(line))).unwrap_or_default();
    let page_match =
        HelpMatch { page: page.id.clone(), group: page.group, title: page.title.clone(), line: strip_markup(line) };
    Some((score, page_match))
}

/// Removes the markup of a line.
fn strip_markup(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest =
        line.trim_start_matches(|letter: char| letter == '-' || letter.is_ascii_digit() || letter == '.').trim();
    // Links are replaced by their text.
    while let Some((before, after)) = rest.split_once("](") {
        text.push_str(before);
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    let text: String = text.chars().filter(|letter| !matches!(letter, '*' | '`' | '[' | '\\')).collect();
    text.split('|').map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use takt_contract::Contract;
    use takt_core::Language;

    use super::{search_pages, strip_markup};
    use crate::page::pages;

    fn first_result_page(language: Language, query: &str) -> String {
        let contract = Contract::builtin().expect("the built-in contract");
        search_pages(&pages(&contract, language), query).first().map(|found| found.page.clone()).unwrap_or_default()
    }

    #[test]
    fn what_planners_type_finds_the_page() {
        assert_eq!(first_result_page(Language::En, "undo"), "undo");
        assert_eq!(first_result_page(Language::En, "Unconfirmed ROWS"), "unconfirmed-rows");
        assert_eq!(first_result_page(Language::En, "nothing has these words"), "");
        assert_eq!(first_result_page(Language::De, "tastatur"), "keyboard");
        // The accent may be missing, or follow its letter as a combining character.
        assert_eq!(first_result_page(Language::Es, "descripcion de la interfaz"), "contract");
        assert_eq!(first_result_page(Language::Es, "descripcio\u{301}n de la interfaz"), "contract");
        assert_eq!(first_result_page(Language::De, "AUSSERHALB"), first_result_page(Language::De, "außerhalb"));
    }

    #[test]
    fn a_line_is_shown_without_markup() {
        assert_eq!(strip_markup("- Undo it: **all** of [Undo](undo.md)."), "Undo it: all of Undo.");
        assert_eq!(strip_markup("| **Code** | Text |"), "Code · Text");
    }
}
