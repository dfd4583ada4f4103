//! The language of the output, and the command line's own texts. The engine has its own language files.

use std::{collections::HashMap, env};

use takt_engine::{Language, Words};

/// The values of a text's placeholders, by name.
type Parameters<'a> = &'a [(&'a str, String)];

/// The texts of the command line and of the engine, in one language.
#[derive(Debug)]
pub(crate) struct Texts {
    pub(crate) language: Language,
    pub(crate) engine: Words,
    texts: HashMap<String, String>,
}

impl Texts {
    /// Loads the environment's language. For a script, loads English.
    pub(crate) fn from_environment(script: bool) -> Self {
        let tags = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().filter_map(|name| env::var(name).ok());
        Self::load(if script { Language::En } else { language_of(tags) })
    }

    pub(crate) fn load(language: Language) -> Self {
        let texts = match language {
            Language::En => include_str!("../locales/en.json"),
            Language::De => include_str!("../locales/de.json"),
            Language::Es => include_str!("../locales/es.json"),
            Language::Pt => include_str!("../locales/pt.json"),
        };
        // The files are embedded, and a test parses all of them, so parsing can't fail here.
        Self { language, engine: Words::load(language), texts: serde_json::from_str(texts).unwrap_or_default() }
    }

    /// Returns the text of a key with its placeholders filled, or the key itself if it has no text. A placeholder is
    /// `{{rows}}` or `{{rows?row|rows}}`. The latter uses the first form if the value is 1, otherwise the second.
    pub(crate) fn text(&self, key: &str, parameters: Parameters<'_>) -> String {
        fill_placeholders(self.texts.get(key).map_or(key, String::as_str), parameters)
    }
}

fn fill_placeholders(text: &str, parameters: Parameters<'_>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    // Inserted values may contain braces, so they aren't searched for placeholders.
    while let Some((before, placeholder, after)) = next_placeholder(rest) {
        filled.push_str(before);
        match placeholder_value(placeholder, parameters) {
            Some(value) => filled.push_str(value),
            None => filled.push_str(&format!("{{{{{placeholder}}}}}")),
        }
        rest = after;
    }
    filled + rest
}

fn next_placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let (placeholder, after) = rest.split_once("}}")?;
    Some((before, placeholder, after))
}

fn placeholder_value<'a>(placeholder: &'a str, parameters: Parameters<'a>) -> Option<&'a str> {
    let value_of = |wanted: &str| parameters.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.as_str());
    let Some((name, forms)) = placeholder.split_once('?') else { return value_of(placeholder) };
    let (one, other) = forms.split_once('|')?;
    Some(if value_of(name)? == "1" { one } else { other })
}

/// Returns the language of the first variable that isn't empty, as is usual on Unix. Unsupported languages fall back to
/// English.
fn language_of(mut tags: impl Iterator<Item = String>) -> Language {
    tags.find(|tag| !tag.is_empty()).and_then(|tag| Language::from_tag(&tag)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_texts() {
        for language in Language::ALL {
            let texts = Texts::load(language);
            assert_ne!(texts.text("sync.not-a-terminal", &[]), "sync.not-a-terminal", "{language:?}");
        }
    }

    #[test]
    fn one_is_told_from_several() {
        let rows = |count: &str| Texts::load(Language::En).text("list.rows", &[("rows", count.to_owned())]);
        assert_eq!((rows("1"), rows("2"), rows("0")), ("1 row".to_owned(), "2 rows".to_owned(), "0 rows".to_owned()));
        let told = |text: &str| fill_placeholders(text, &[("name", "{{rows}}".to_owned()), ("rows", "1".to_owned())]);
        assert_eq!(told("{{name}}: {{rows}} {{rows?row is|rows are}} {{unknown}}"), "{{rows}}: 1 row is {{unknown}}");
    }

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let tags = |tags: [&str; 2]| language_of(tags.into_iter().map(str::to_owned));
        assert_eq!(tags(["", "de_AT.UTF-8"]), Language::De);
        assert_eq!(tags(["C.UTF-8", "de_AT.UTF-8"]), Language::En);
        assert_eq!(tags(["pt_BR", ""]), Language::Pt);
    }
}
