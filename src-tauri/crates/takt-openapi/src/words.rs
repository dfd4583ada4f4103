//! Splits names into words and maps words to concepts: `productionOrders`, `work-order` and `JobOrder` are one concept.
//!
//! The synonyms of the shop floor are data (`data/concepts.json`).

use std::{
    collections::{HashMap, HashSet},
    iter::once,
    sync::LazyLock,
};

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

const DATA: &str = include_str!("../data/concepts.json");
/// The maximum number of words of a text that are read.
const MAX_WORDS: usize = 100;

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(Vocabulary::new);

#[derive(Deserialize, Default)]
struct VocabularyData {
    concepts: HashMap<String, Vec<String>>,
    noise: HashSet<String>,
    delete: HashSet<String>,
    search: HashSet<String>,
    list: HashSet<String>,
    change: HashSet<String>,
    plural: HashMap<String, String>,
}

/// The vocabulary of shop floors.
pub(crate) struct Vocabulary {
    /// The concept of each phrase.
    phrases: HashMap<String, String>,
    longest_phrase_words: usize,
    noise: HashSet<String>,
    delete: HashSet<String>,
    search: HashSet<String>,
    list: HashSet<String>,
    change: HashSet<String>,
    plural: HashMap<String, String>,
}

impl Vocabulary {
    /// Returns the built-in vocabulary.
    pub(crate) fn get() -> &'static Self {
        &VOCABULARY
    }

    fn new() -> Self {
        let data: VocabularyData = serde_json::from_str(DATA).unwrap_or_default();
        let mut vocabulary = Self {
            phrases: HashMap::new(),
            longest_phrase_words: 1,
            noise: data.noise,
            delete: data.delete,
            search: data.search,
            list: data.list,
            change: data.change,
            plural: data.plural,
        };
        for (concept, phrases) in &data.concepts {
            for phrase in phrases {
                // Texts are compared in the singular, including `goods issue`.
                let words: Vec<String> = split_words(phrase).iter().map(|word| vocabulary.to_singular(word)).collect();
                vocabulary.longest_phrase_words = vocabulary.longest_phrase_words.max(words.len());
                vocabulary.phrases.insert(words.join(" "), concept.clone());
            }
        }
        vocabulary
    }

    /// Returns the concepts of a text in order: the longest known phrases, and unknown words unchanged.
    pub(crate) fn concepts(&self, text: &str) -> Vec<String> {
        let words: Vec<String> = split_words(text).iter().map(|word| self.to_singular(word)).collect();
        let mut concepts = Vec::new();
        let mut rest = words.as_slice();
        while let Some(first) = rest.first() {
            let known = (1..=self.longest_phrase_words.min(rest.len())).rev().find_map(|count| {
                let phrase = rest.get(..count)?.join(" ");
                Some((self.phrases.get(&phrase)?, count))
            });
            let (concept, count) = known.map_or((first, 1), |(concept, count)| (concept, count));
            concepts.push(concept.clone());
            rest = rest.get(count..).unwrap_or_default();
        }
        concepts
    }

    /// Returns the concepts of a text without those that most operations have in common.
    pub(crate) fn distinctive_concepts(&self, text: &str) -> Vec<String> {
        let mut concepts = self.concepts(text);
        concepts.retain(|word| !self.noise.contains(word) && word.chars().any(char::is_alphabetic));
        concepts
    }

    /// Returns whether a text has a word for deleting.
    pub(crate) fn has_delete_word(&self, text: &str) -> bool {
        self.has_word(text, &self.delete)
    }

    /// Returns whether a text has a word for searching.
    pub(crate) fn has_search_word(&self, text: &str) -> bool {
        self.has_word(text, &self.search)
    }

    /// Returns whether a text has a word for reading a list.
    pub(crate) fn has_list_word(&self, text: &str) -> bool {
        self.has_word(text, &self.list)
    }

    /// Returns whether a text has a word for changing data.
    pub(crate) fn has_change_word(&self, text: &str) -> bool {
        self.has_word(text, &self.change)
    }

    fn has_word(&self, text: &str, words: &HashSet<String>) -> bool {
        split_words(text).iter().any(|word| words.contains(word) || words.contains(&self.to_singular(word)))
    }

    fn to_singular(&self, word: &str) -> String {
        if let Some(singular) = self.plural.get(word) {
            return singular.clone();
        }
        if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
            return format!("{stem}y");
        }
        let is_singular = word.len() < 4 || word.ends_with("ss") || (word.len() > 4 && word.ends_with("us"));
        if is_singular { word.to_owned() } else { word.strip_suffix('s').unwrap_or(word).to_owned() }
    }
}

/// Splits a text at changes of case, digits and punctuation into lower-case words without accents.
pub(crate) fn split_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let letters: Vec<char> = text.nfc().take(2_000).collect();
    for (index, &letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| letters.get(before));
        let after = letters.get(index + 1);
        if is_word_start(before, letter, after) && words.last().is_some_and(|word| !word.is_empty()) {
            if words.len() >= MAX_WORDS {
                break;
            }
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            push_without_accents(letter, word);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn is_word_start(before: Option<&char>, letter: char, after: Option<&char>) -> bool {
    let Some(before) = before else { return false };
    if !letter.is_alphanumeric() || !before.is_alphanumeric() {
        return true;
    }
    let upper = letter.is_uppercase();
    let first_of_word = upper && before.is_uppercase() && after.is_some_and(|after| after.is_lowercase());
    (upper && !before.is_uppercase()) || first_of_word || (letter.is_numeric() != before.is_numeric())
}

fn push_without_accents(letter: char, word: &mut String) {
    for letter in letter.to_lowercase() {
        match letter {
            'ä' => word.push_str("ae"),
            'ö' => word.push_str("oe"),
            'ü' => word.push_str("ue"),
            'ß' => word.push_str("ss"),
            // Other letters lose their accents.
            other => word.extend(once(other).nfd().filter(|letter| !matches!(letter, '\u{300}'..='\u{36f}'))),
        }
    }
}

/// Joins all words of a text into one.
pub(crate) fn join_words(text: &str) -> String {
    split_words(text).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_case_are_words() {
        assert_eq!(split_words("workOrderCode"), ["work", "order", "code"]);
        assert_eq!(split_words("GET /api/v2/ERPOrders_to-do"), ["get", "api", "v", "2", "erp", "orders", "to", "do"]);
        assert_eq!(split_words("Auftragsläufe"), ["auftragslaeufe"]);
        assert_eq!(split_words("Auftragsla\u{308}ufe"), ["auftragslaeufe"]);
        assert_eq!(split_words("Größe_señalCódigo_počet"), ["groesse", "senal", "codigo", "pocet"]);
    }

    #[test]
    fn words_of_one_meaning_are_one_concept() {
        let vocabulary = Vocabulary::get();
        assert!(vocabulary.phrases.len() > 200, "the data is read");
        for name in ["workOrders", "ProductionOrder", "job-orders"] {
            assert_eq!(vocabulary.concepts(name), ["work order"], "{name}");
        }
        assert_eq!(vocabulary.concepts("InspectionOrders"), ["inspection"]);
        assert_eq!(vocabulary.distinctive_concepts("/api/v1/articles/import"), ["material"]);
        assert!(vocabulary.has_delete_word("links/bulk-delete"));
    }
}
