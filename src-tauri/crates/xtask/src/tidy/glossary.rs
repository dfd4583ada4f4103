//! Checks that texts use the terms of the glossary in each language. Retired words and internal names are complaints.
//! The glossary is `docs/words.json`.

use serde::Deserialize;
use serde_json::Value;

use crate::{
    error::XtaskError,
    tidy::{complaint::Complaint, tree::Tree},
};

const GLOSSARY: &str = "docs/words.json";
/// Names with an inner capital letter that users know, or type in examples.
const KNOWN_NAMES: [&str; 2] = ["order.Code", "retryAfter"];

#[derive(Deserialize)]
struct Glossary {
    retired: Vec<Retired>,
}

#[derive(Deserialize)]
struct Retired {
    /// Retired words or phrases, matched as whole words regardless of case.
    words: Vec<String>,
    languages: Vec<String>,
    /// The term that replaces them.
    #[serde(rename = "use")]
    instead: String,
}

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let glossary = match tree.text(GLOSSARY).map(serde_json::from_str::<Glossary>) {
        Ok(Ok(glossary)) => glossary,
        Ok(Err(error)) => return Ok(vec![Complaint::new(GLOSSARY, error.line(), error.to_string())]),
        Err(_) => return Ok(vec![Complaint::new(GLOSSARY, None, "is missing")]),
    };
    let mut complaints = Vec::new();
    for text in tree.texts() {
        let Some(language) = language_of_file(&text.path) else { continue };
        // The check of the locales reports files that can't be parsed.
        let Ok(value) = serde_json::from_str::<Value>(&text.text) else { continue };
        check_texts(&glossary, &text.path, language, "", &value, &mut complaints);
    }
    Ok(complaints)
}

/// Returns the language of a file in a folder `locales`, or `None` for other files.
fn language_of_file(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once('/')?;
    if folder.ends_with("/locales") { name.strip_suffix(".json") } else { None }
}

fn check_texts(
    glossary: &Glossary,
    path: &str,
    language: &str,
    key: &str,
    value: &Value,
    complaints: &mut Vec<Complaint>,
) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let inner_key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                check_texts(glossary, path, language, &inner_key, value, complaints);
            }
        }
        Value::String(text) => {
            let words = visible_words(text);
            for retired in glossary.retired.iter().filter(|retired| retired.languages.iter().any(|one| one == language))
            {
                for word in retired.words.iter().filter(|word| contains_phrase(&words, word)) {
                    let text = format!("{key} says “{word}”; the word is: {}", retired.instead);
                    complaints.push(Complaint::new(path, None, text));
                }
            }
            for name in words.iter().filter(|word| is_internal_name(word)) {
                complaints.push(Complaint::new(path, None, format!("{key} shows the internal name {name}")));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {}
    }
}

/// Returns the words of a text, without the names of placeholders and without the command after `takt`.
fn visible_words(text: &str) -> Vec<String> {
    let mut visible_text = String::new();
    let mut rest = text;
    while let Some((before, placeholder, after)) = rest
        .split_once("{{")
        .and_then(|(before, rest)| rest.split_once("}}").map(|(placeholder, after)| (before, placeholder, after)))
    {
        visible_text.push_str(before);
        // The plural forms of a placeholder are visible text, as in `{{rows?row|rows}}`.
        visible_text.push_str(placeholder.split_once('?').map_or(" _ ", |(_, forms)| forms));
        rest = after;
    }
    visible_text.push_str(rest);
    let parts = visible_text
        .split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | '\'' | '/')));
    let words: Vec<&str> =
        parts.map(|part| part.trim_matches(['.', '\'', '/'])).filter(|part| !part.is_empty()).collect();
    let after_takt = |at: usize| at > 0 && words.get(at - 1) == Some(&"takt");
    words
        .iter()
        .enumerate()
        .filter(|(at, word)| !after_takt(*at) && !word.starts_with("--"))
        .map(|(_, word)| (*word).to_owned())
        .collect()
}

fn contains_phrase(words: &[String], phrase: &str) -> bool {
    let wanted: Vec<String> = phrase.split(' ').map(str::to_lowercase).collect();
    words
        .windows(wanted.len())
        .any(|candidates| candidates.iter().zip(&wanted).all(|(word, wanted)| word.to_lowercase() == *wanted))
}

/// Returns whether a word is the internal name of a member (`promiseDate`) or an operation (`work-orders.sync`).
fn is_internal_name(word: &str) -> bool {
    if KNOWN_NAMES.contains(&word) || word.contains('/') {
        return false;
    }
    let starts_lowercase = word.starts_with(|letter: char| letter.is_ascii_lowercase());
    let is_member = starts_lowercase && word.contains(|letter: char| letter.is_ascii_uppercase());
    let is_operation = [".list", ".sync", ".details", ".delete"].iter().any(|ending| word.ends_with(ending));
    is_member || is_operation
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(german: &str) -> Vec<String> {
        let glossary =
            r#"{"retired":[{"words":["Anlage","im Zweifel"],"languages":["de"],"use":"Standort, unbestätigt"}]}"#;
        let tree = Tree::from_files(&[
            (GLOSSARY, glossary),
            ("x/locales/de.json", german),
            ("x/locales/en.json", r#"{"a":"Anlage"}"#),
        ]);
        check(&tree).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_retired_word_can_not_come_back_in_its_language() {
        assert_eq!(
            complaints(r#"{"a":{"b":"Die Anlage."},"c":"{{n}} {{n?Zeile ist|Zeilen sind}} Im Zweifel"}"#),
            [
                "x/locales/de.json: a.b says “Anlage”; the word is: Standort, unbestätigt",
                "x/locales/de.json: c says “im Zweifel”; the word is: Standort, unbestätigt",
            ]
        );
    }

    #[test]
    fn whole_words_are_meant_and_neither_places_nor_commands() {
        let german = r#"{"a":"Anlagen, Testanlage","b":"{{Anlage}}: takt Anlage","c":"Im {{x}} Zweifel"}"#;
        assert_eq!(complaints(german), Vec::<String>::new());
    }

    #[test]
    fn internal_names_are_seen() {
        assert_eq!(
            complaints(r#"{"a":"promiseDate fehlt","b":"work-orders.sync, GraphQL, OpenAPI, {order.Code}"}"#),
            [
                "x/locales/de.json: a shows the internal name promiseDate",
                "x/locales/de.json: b shows the internal name work-orders.sync",
            ]
        );
    }

    #[test]
    fn a_glossary_that_is_missing_is_seen() {
        assert_eq!(check(&Tree::from_files(&[])).unwrap(), [Complaint::new(GLOSSARY, None, "is missing")]);
    }
}
