//! Normalizes headings for comparison. Letter case, accents and punctuation are ignored. A unit in brackets can be
//! removed.

use takt_core::folding::fold;

/// Reduces a text to lowercase letters and digits. `Auftrags-Nr. (FA)` becomes `auftragsnrfa`, `N.º OP` becomes `nop`.
pub(crate) fn normalize_heading(text: &str) -> String {
    let mut word = fold(text);
    // Letters of other scripts are dropped.
    word.retain(|letter| letter.is_ascii_alphanumeric());
    word
}

/// Removes a unit in brackets, so that `Quantity [pcs]` becomes `quantity`. Returns `None` without brackets.
pub(crate) fn strip_unit(text: &str) -> Option<String> {
    let open = text.find(['(', '[', '{'])?;
    let name = normalize_heading(text.get(..open)?);
    (!name.is_empty()).then_some(name)
}

/// Sorts the words, so that `Begin planned` and `Planned begin` are equal. Returns `None` for a single word.
pub(crate) fn sort_words(text: &str) -> Option<String> {
    let text = fold(text);
    let words = text.split(|letter: char| !letter.is_alphanumeric()).map(normalize_heading);
    let mut words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    (words.len() > 1).then(|| words.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_compared_without_dress() {
        assert_eq!(normalize_heading("Auftrags-Nr. (FA)"), "auftragsnrfa");
        assert_eq!(normalize_heading("N.º OP"), "nop");
        assert_eq!(normalize_heading("Größe"), "grosse");
        assert_eq!(normalize_heading("Počet kusů"), "pocetkusu");
        assert_eq!(normalize_heading("Ilość łączna / Størrelse 数量"), "ilosclacznastorrelse");
        assert_eq!(normalize_heading("  workOrder_Code "), "workordercode");
        assert_eq!(strip_unit("Quantity [pcs]").as_deref(), Some("quantity"));
        assert_eq!(strip_unit("(pcs)"), None);
        assert_eq!(strip_unit("Quantity"), None);
        assert_eq!(sort_words("Geplanter Beginn").as_deref(), Some("beginngeplanter"));
        assert_eq!(sort_words("Geplante Gro\u{308}ße"), sort_words("Größe, geplante"));
        assert_eq!(sort_words("Beginn"), None);
    }
}
