//! Which language is spoken, and the command line's own texts in it. What the engine says comes from the engine's files.

use std::{collections::HashMap, env};

use takt_engine::{Language, Words};

/// What the texts of one language name.
type Places<'a> = &'a [(&'a str, String)];

/// The command line's texts and the engine's.
#[derive(Debug)]
pub(crate) struct Texts {
    pub(crate) language: Language,
    pub(crate) engine: Words,
    own: HashMap<String, String>,
}

impl Texts {
    /// The person's language, or English for a script.
    pub(crate) fn of_environment(script: bool) -> Self {
        let tags = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().filter_map(|name| env::var(name).ok());
        Self::load(if script { Language::En } else { chosen(tags) })
    }

    pub(crate) fn load(language: Language) -> Self {
        let own = match language {
            Language::En => include_str!("../locales/en.json"),
            Language::De => include_str!("../locales/de.json"),
            Language::Es => include_str!("../locales/es.json"),
            Language::Pt => include_str!("../locales/pt.json"),
        };
        // The files are part of the program; a test reads them all.
        Self { language, engine: Words::load(language), own: serde_json::from_str(own).unwrap_or_default() }
    }

    /// The text of a key with its places filled; the key itself where there is none. A place is `{{rows}}`, or
    /// `{{rows?row|rows}}`: the first form where the number is 1, the second otherwise.
    pub(crate) fn text(&self, key: &str, places: Places<'_>) -> String {
        filled(self.own.get(key).map_or(key, String::as_str), places)
    }
}

fn filled(text: &str, places: Places<'_>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    // What is put in is not searched again: a value may hold braces of its own.
    while let Some((before, place, after)) = next_place(rest) {
        filled.push_str(before);
        match value(place, places) {
            Some(value) => filled.push_str(value),
            None => filled.push_str(&format!("{{{{{place}}}}}")),
        }
        rest = after;
    }
    filled + rest
}

fn next_place(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let (place, after) = rest.split_once("}}")?;
    Some((before, place, after))
}

fn value<'a>(place: &'a str, places: Places<'a>) -> Option<&'a str> {
    let of = |wanted: &str| places.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.as_str());
    let Some((name, forms)) = place.split_once('?') else { return of(place) };
    let (one, other) = forms.split_once('|')?;
    Some(if of(name)? == "1" { one } else { other })
}

/// The first variable that is set decides, as everywhere on Unix; a language that isn't spoken is English.
fn chosen(mut tags: impl Iterator<Item = String>) -> Language {
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
        let told = |text: &str| filled(text, &[("name", "{{rows}}".to_owned()), ("rows", "1".to_owned())]);
        assert_eq!(told("{{name}}: {{rows}} {{rows?row is|rows are}} {{unknown}}"), "{{rows}}: 1 row is {{unknown}}");
    }

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let tags = |tags: [&str; 2]| chosen(tags.into_iter().map(str::to_owned));
        assert_eq!(tags(["", "de_AT.UTF-8"]), Language::De);
        assert_eq!(tags(["C.UTF-8", "de_AT.UTF-8"]), Language::En);
        assert_eq!(tags(["pt_BR", ""]), Language::Pt);
    }
}
