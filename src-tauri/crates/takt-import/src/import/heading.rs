//! Headings as they are compared: letter case, accents, punctuation and units in brackets don't count.

/// Only small letters and digits; `Auftrags-Nr. (FA)` becomes `auftragsnrfa`, `N.º OP` becomes `nop`.
pub(super) fn normalised(text: &str) -> String {
    let mut word = String::with_capacity(text.len());
    for letter in text.chars() {
        // Nearly every letter is: thousands of names are compared at each start.
        if letter.is_ascii() {
            word.extend(letter.is_ascii_alphanumeric().then(|| letter.to_ascii_lowercase()));
        } else {
            word.extend(folded(letter).filter(char::is_ascii_alphanumeric));
        }
    }
    word
}

/// Without what stands in brackets: `Quantity [pcs]` becomes `quantity`. Absent where there are none.
pub(super) fn without_unit(text: &str) -> Option<String> {
    let open = text.find(['(', '[', '{'])?;
    let name = normalised(text.get(..open)?);
    (!name.is_empty()).then_some(name)
}

/// The words in the order of the alphabet, so that `Begin planned` and `Planned begin` are the same. Absent for a single word.
pub(super) fn in_any_order(text: &str) -> Option<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).map(normalised);
    let mut words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    (words.len() > 1).then(|| words.concat())
}

/// Small letters without accents. Letters of other scripts stay as they are and are dropped later.
fn folded(letter: char) -> impl Iterator<Item = char> {
    let plain = match letter {
        'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' | 'Á' | 'À' | 'Â' | 'Ä' | 'Ã' | 'Å' => "a",
        'é' | 'è' | 'ê' | 'ë' | 'É' | 'È' | 'Ê' | 'Ë' => "e",
        'í' | 'ì' | 'î' | 'ï' | 'Í' | 'Ì' | 'Î' | 'Ï' => "i",
        'ó' | 'ò' | 'ô' | 'ö' | 'õ' | 'Ó' | 'Ò' | 'Ô' | 'Ö' | 'Õ' => "o",
        'ú' | 'ù' | 'û' | 'ü' | 'Ú' | 'Ù' | 'Û' | 'Ü' => "u",
        'ñ' | 'Ñ' => "n",
        'ç' | 'Ç' => "c",
        'ß' => "ss",
        _ => "",
    };
    let rest = plain.is_empty().then(|| letter.to_lowercase()).into_iter().flatten();
    plain.chars().chain(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_compared_without_dress() {
        assert_eq!(normalised("Auftrags-Nr. (FA)"), "auftragsnrfa");
        assert_eq!(normalised("N.º OP"), "nop");
        assert_eq!(normalised("Größe"), "grosse");
        // What is nothing but ASCII goes a shorter way.
        for letter in '\0'..'\u{80}' {
            assert_eq!(
                format!("oe{}", normalised(&letter.to_string())),
                normalised(&format!("öe{letter}")),
                "{letter:?}"
            );
        }
        assert_eq!(normalised("  workOrder_Code "), "workordercode");
        assert_eq!(without_unit("Quantity [pcs]").as_deref(), Some("quantity"));
        assert_eq!(without_unit("(pcs)"), None);
        assert_eq!(without_unit("Quantity"), None);
        assert_eq!(in_any_order("Geplanter Beginn").as_deref(), Some("beginngeplanter"));
        assert_eq!(in_any_order("Beginn"), None);
    }
}
