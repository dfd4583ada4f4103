//! The headings and texts of generated pages, in each language.

use std::collections::BTreeMap;

use takt_core::Language;

pub(crate) struct HelpWords(BTreeMap<String, String>);

impl HelpWords {
    /// Loads the texts of a language. The files are embedded, and a test loads all of them.
    pub(crate) fn load(language: Language) -> Self {
        let file = match language {
            Language::En => include_str!("../locales/en.json"),
            Language::De => include_str!("../locales/de.json"),
            Language::Es => include_str!("../locales/es.json"),
            Language::Pt => include_str!("../locales/pt.json"),
        };
        Self(serde_json::from_str(file).unwrap_or_default())
    }

    /// Returns a text, or its key if there is none.
    pub(crate) fn text<'a>(&'a self, key: &'a str) -> &'a str {
        self.0.get(key).map_or(key, String::as_str)
    }

    /// Returns a text with its `{{name}}` placeholders filled in.
    pub(crate) fn fill_placeholders(&self, key: &str, values: &[(&str, &str)]) -> String {
        values
            .iter()
            .fold(self.text(key).to_owned(), |text, (name, value)| text.replace(&format!("{{{{{name}}}}}"), value))
    }
}

#[cfg(test)]
mod tests {
    use takt_core::Language;

    use super::HelpWords;

    #[test]
    fn every_language_has_the_same_keys() {
        let english = HelpWords::load(Language::En);
        assert!(english.0.len() > 20);
        for language in Language::ALL {
            let words = HelpWords::load(language);
            assert!(words.0.keys().eq(english.0.keys()), "{language:?}");
        }
    }
}
