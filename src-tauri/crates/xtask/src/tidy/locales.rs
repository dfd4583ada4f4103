//! Checks the language files in folders `locales`. Each language must have the same keys and placeholders, and no empty
//! texts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{
    error::XtaskError,
    tidy::{complaint::Complaint, tree::Tree},
};

const LANGUAGES: [&str; 4] = ["en", "de", "es", "pt"];
/// The suffixes of plural forms. Languages may have different forms, so keys that differ only in the suffix are treated
/// as one.
const PLURAL_SUFFIXES: [&str; 6] = ["_zero", "_one", "_two", "_few", "_many", "_other"];

type Texts = BTreeMap<String, BTreeSet<String>>;

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let mut complaints = Vec::new();
    let folders: BTreeSet<&str> = tree.texts().iter().filter_map(|text| locale_folder(&text.path)).collect();
    for folder in folders {
        let english = format!("{folder}/en.json");
        let Some(wanted) = read(tree, &english, &mut complaints) else { continue };
        for language in LANGUAGES.iter().skip(1) {
            let path = format!("{folder}/{language}.json");
            let Some(found) = read(tree, &path, &mut complaints) else { continue };
            compare(&path, &wanted, &found, &mut complaints);
        }
    }
    Ok(complaints)
}

/// Returns the folder of a language file, or `None` if the file isn't one.
fn locale_folder(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once('/')?;
    (folder.ends_with("/locales") && name.ends_with(".json")).then_some(folder)
}

fn read(tree: &Tree, path: &str, complaints: &mut Vec<Complaint>) -> Option<Texts> {
    let Ok(text) = tree.text(path) else {
        complaints.push(Complaint::new(path, None, "is missing"));
        return None;
    };
    match serde_json::from_str::<Value>(text) {
        Ok(value) => {
            let mut texts = Texts::new();
            collect_texts(path, "", &value, &mut texts, complaints);
            Some(texts)
        }
        Err(error) => {
            complaints.push(Complaint::new(path, error.line(), error.to_string()));
            None
        }
    }
}

fn collect_texts(path: &str, key: &str, value: &Value, texts: &mut Texts, complaints: &mut Vec<Complaint>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let inner_key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                collect_texts(path, &inner_key, value, texts, complaints);
            }
        }
        Value::String(text) if text.trim().is_empty() => {
            complaints.push(Complaint::new(path, None, format!("{key} is empty")));
        }
        Value::String(text) => {
            let name = PLURAL_SUFFIXES.iter().find_map(|ending| key.strip_suffix(ending)).unwrap_or(key);
            texts.entry(name.to_owned()).or_default().extend(placeholder_names(text));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            complaints.push(Complaint::new(path, None, format!("{key} is no text")));
        }
    }
}

/// Returns the names in `{{name}}`, without formats (`{{name, number}}`) and plural forms (`{{name?one|other}}`).
fn placeholder_names(text: &str) -> impl Iterator<Item = String> {
    text.split("{{").skip(1).filter_map(|rest| {
        let placeholder = rest.split_once("}}")?.0;
        Some(placeholder.split([',', '?']).next().unwrap_or(placeholder).trim().to_owned())
    })
}

fn compare(path: &str, english_texts: &Texts, texts: &Texts, complaints: &mut Vec<Complaint>) {
    for (key, placeholders) in english_texts {
        match texts.get(key) {
            None => complaints.push(Complaint::new(path, None, format!("{key} is missing"))),
            Some(other) if other != placeholders => {
                complaints.push(Complaint::new(path, None, format!("{key} has other places to fill than in English")));
            }
            Some(_) => {}
        }
    }
    for key in texts.keys().filter(|key| !english_texts.contains_key(*key)) {
        complaints.push(Complaint::new(path, None, format!("{key} doesn't exist in English")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(german: &str) -> Vec<String> {
        let english = r#"{"a":{"b":"{{count}} rows"},"n_one":"one","n_other":"{{n}}"}"#;
        let tree = Tree::from_files(&[
            ("x/locales/en.json", english),
            ("x/locales/de.json", german),
            ("x/locales/es.json", english),
            ("x/locales/pt.json", english),
        ]);
        check(&tree).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_same_texts_pass_with_their_own_plurals() {
        let german = r#"{"a":{"b":"{{ count }} {{count?Zeile|Zeilen}}"},"n_one":"{{n}}","n_many":"x","n_other":"y"}"#;
        assert_eq!(complaints(german), Vec::<String>::new());
    }

    #[test]
    fn missing_empty_further_and_changed_texts_are_seen() {
        let found = complaints(r#"{"a":{"b":"{{rows}} Zeilen","c":" "},"m":"x"}"#);
        assert_eq!(
            found,
            [
                "x/locales/de.json: a.c is empty",
                "x/locales/de.json: a.b has other places to fill than in English",
                "x/locales/de.json: n is missing",
                "x/locales/de.json: m doesn't exist in English",
            ]
        );
    }

    #[test]
    fn a_language_that_is_missing_is_seen() {
        let tree =
            Tree::from_files(&[("x/locales/en.json", "{}"), ("x/locales/de.json", "{}"), ("x/locales/es.json", "{}")]);
        let found = check(&tree).unwrap();
        assert_eq!(found, [Complaint::new("x/locales/pt.json", None, "is missing")]);
    }
}
