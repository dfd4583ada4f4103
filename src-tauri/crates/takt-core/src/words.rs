//! The texts of problems, results and findings in each language.
//!
//! Loads the language files and fills in their `{{name}}` placeholders. Sections are `problem` (`title` and `hint` per
//! code), `result`, `severity`, `finding` and `unchecked`. The window uses the same files.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, LazyLock},
};

use parking_lot::RwLock;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_contract::{Contract, Names};

/// Replaces a placeholder that has no parameter.
const UNKNOWN_PARAMETER: &str = "–";
const SECONDS_PER_DAY: f64 = 86_400.0;

static ENGLISH: LazyLock<Words> = LazyLock::new(|| Words::load(Language::En));

/// A supported language.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    #[default]
    En,
    De,
    Es,
    Pt,
}

impl Language {
    pub const ALL: [Self; 4] = [Self::En, Self::De, Self::Es, Self::Pt];

    /// Parses a tag such as `de-AT` or `pt_BR.UTF-8`. Returns `None` for unsupported languages.
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_', '.']).next()?.to_ascii_lowercase();
        match primary.as_str() {
            "en" => Some(Self::En),
            "de" => Some(Self::De),
            "es" => Some(Self::Es),
            "pt" => Some(Self::Pt),
            _ => None,
        }
    }

    /// Returns the name in this language, from a name's translations.
    #[must_use]
    pub fn localized_name(self, names: &Names) -> &str {
        match self {
            Self::En => &names.en,
            Self::De => &names.de,
            Self::Es => &names.es,
            Self::Pt => &names.pt,
        }
    }

    fn embedded_file(self) -> &'static str {
        match self {
            Self::En => include_str!("../locales/en.json"),
            Self::De => include_str!("../locales/de.json"),
            Self::Es => include_str!("../locales/es.json"),
            Self::Pt => include_str!("../locales/pt.json"),
        }
    }
}

/// The texts in the current language. Clones share the language.
#[derive(Debug, Clone)]
pub struct CurrentWords(Arc<RwLock<Arc<Words>>>);

impl CurrentWords {
    /// Loads the texts in English, with the contract's field names.
    pub fn new(contract: &Contract) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(Words::load(Language::En).with_field_names(contract)))))
    }

    pub fn set_language(&self, language: Language, contract: &Contract) {
        *self.0.write() = Arc::new(Words::load(language).with_field_names(contract));
    }

    /// Returns the texts in the current language.
    pub fn words(&self) -> Arc<Words> {
        Arc::clone(&self.0.read())
    }
}

/// The texts of one language, with placeholders for parameters.
#[derive(Debug, Clone)]
pub struct Words {
    language: Language,
    sections: Value,
    /// The names of sent fields, by member.
    fields: BTreeMap<String, String>,
}

impl Words {
    /// Loads the texts of a language. The files are embedded, and a test loads all of them.
    #[must_use]
    pub fn load(language: Language) -> Self {
        Self {
            language,
            sections: serde_json::from_str(language.embedded_file()).unwrap_or_default(),
            fields: BTreeMap::new(),
        }
    }

    /// Adds the contract's names of sent fields, so that reasons name a field like its label. A member that has several
    /// names isn't renamed.
    #[must_use]
    pub fn with_field_names(mut self, contract: &Contract) -> Self {
        let mut ambiguous = BTreeSet::new();
        let shapes = contract.operations().iter().filter_map(|operation| operation.request.as_ref());
        for field in shapes.flat_map(|shape| &shape.fields) {
            let name = self.localized_name(&field.names).to_owned();
            let before = self.fields.insert(field.name.clone(), name.clone());
            if before.is_some_and(|before| before != name) {
                ambiguous.insert(field.name.clone());
            }
        }
        self.fields.retain(|member, _| !ambiguous.contains(member));
        self
    }

    /// Returns the name of the field `member`, or `member` if it has no name or several.
    pub fn field_name<'a>(&'a self, member: &'a str) -> &'a str {
        self.fields.get(member).map_or(member, String::as_str)
    }

    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns the keys of a section's texts that contain a text, ignoring case.
    pub fn find_keys_with_text(&self, section: &str, text: &str) -> Vec<String> {
        let text = text.to_lowercase();
        let texts = self.sections.get(section).and_then(Value::as_object).into_iter().flatten();
        let contains = |value: &Value| value.as_str().is_some_and(|value| value.to_lowercase().contains(&text));
        texts.filter(|(_, value)| contains(value)).map(|(key, _)| key.clone()).collect()
    }

    pub fn english() -> &'static Self {
        &ENGLISH
    }

    /// Appends the suggestion in the parameter `near`, if there is one.
    pub fn with_suggestion(&self, text: String, parameters: &BTreeMap<String, String>) -> String {
        if !parameters.contains_key("near") {
            return text;
        }
        let end = if text.ends_with(['.', '?', '!']) { "" } else { "." };
        format!("{text}{end} {}", self.text(&["rule-fault", "near"], parameters))
    }

    /// Returns the text of a question that the user must confirm.
    #[must_use]
    pub fn question_text(&self, key: &str, parameters: &[(&str, String)]) -> String {
        let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        self.text(&["question", key], &parameters)
    }

    /// Returns the text of the button that confirms a question, or of the button `cancel`.
    #[must_use]
    pub fn question_button(&self, key: &str) -> String {
        self.text(&["question-button", key], &BTreeMap::new())
    }

    /// Returns the operator's message that is used if a rule gives no reply and has no message.
    #[must_use]
    pub fn rules_failed_message(&self) -> String {
        self.text(&["rule-answer", "failed"], &BTreeMap::new())
    }

    /// Returns the name in this language, from a name's translations.
    #[must_use]
    pub fn localized_name<'a>(&self, names: &'a Names) -> &'a str {
        self.language.localized_name(names)
    }

    /// Returns the description of a variable that rules can use.
    #[must_use]
    pub fn variable_description(&self, name: &str) -> String {
        self.text(&["variable", &name.replace('.', "-")], &BTreeMap::new())
    }

    /// Formats a duration: `1 h 05 min`, `12 min 30 s`, `4 s`. Days are counted as hours.
    #[must_use]
    pub fn format_duration(&self, seconds: f64) -> String {
        let total = seconds.abs().round();
        let (hours, minutes, rest) = ((total / 3600.0).floor(), (total % 3600.0 / 60.0).floor(), total % 60.0);
        let two_digits = |value: f64| format!("{value:02}");
        let (form, h, min, s) = if hours > 0.0 {
            ("hours", hours.to_string(), two_digits(minutes), two_digits(rest))
        } else if minutes > 0.0 {
            ("minutes", String::new(), minutes.to_string(), two_digits(rest))
        } else {
            ("seconds", String::new(), String::new(), rest.to_string())
        };
        let sign = if seconds < 0.0 && total > 0.0 { "−" } else { "" }.to_owned();
        let parameters = [("sign", sign), ("h", h), ("min", min), ("s", s)];
        let parameters = parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        self.text(&["duration", form], &parameters)
    }

    /// Formats the time between two dates: complete days as days, otherwise as a duration.
    #[must_use]
    pub fn format_days_or_duration(&self, seconds: f64) -> String {
        let days = (seconds / SECONDS_PER_DAY).abs();
        if days < 1.0 || days.fract() != 0.0 {
            return self.format_duration(seconds);
        }
        self.text(&["duration", "days"], &BTreeMap::from([("count".to_owned(), days.to_string())]))
    }

    /// Returns true if there is a text, or a section of texts, at a path of keys.
    pub fn has_text(&self, path: &[&str]) -> bool {
        path.iter().try_fold(&self.sections, |section, key| section.get(key)).is_some()
    }

    /// Returns the text at a path of keys with its placeholders filled in, or the path if there is none.
    #[must_use]
    pub fn text(&self, path: &[&str], parameters: &BTreeMap<String, String>) -> String {
        let value = path.iter().try_fold(&self.sections, |section, key| section.get(key));
        let value = value.or_else(|| self.find_plural_form(path, parameters));
        match value.and_then(Value::as_str) {
            Some(text) => fill_placeholders(text, &self.add_time(text, parameters)),
            None => path.join("."),
        }
    }

    /// Adds `time` as a formatted duration, if the text uses it and there is a parameter `seconds`.
    fn add_time<'a>(&self, text: &str, parameters: &'a BTreeMap<String, String>) -> Cow<'a, BTreeMap<String, String>> {
        let seconds =
            parameters.get("seconds").filter(|_| text.contains("{{time}}") && !parameters.contains_key("time"));
        let Some(seconds) = seconds.and_then(|seconds| seconds.parse().ok()) else { return Cow::Borrowed(parameters) };
        let mut parameters = parameters.clone();
        parameters.insert("time".to_owned(), self.format_duration(seconds));
        Cow::Owned(parameters)
    }

    /// Returns the singular or plural form of a text, by `count`.
    fn find_plural_form(&self, path: &[&str], parameters: &BTreeMap<String, String>) -> Option<&Value> {
        let (last, sections) = path.split_last()?;
        let form = if parameters.get("count").is_some_and(|count| count == "1") { "one" } else { "other" };
        let section = sections.iter().try_fold(&self.sections, |section, key| section.get(key))?;
        section.get(format!("{last}_{form}"))
    }
}

/// Returns a code's name in the language files, which is its serialized name.
pub fn serialized_name(code: impl Serialize) -> String {
    match serde_json::to_value(code) {
        Ok(Value::String(name)) => name,
        Ok(_) | Err(_) => String::new(),
    }
}

fn fill_placeholders(text: &str, parameters: &BTreeMap<String, String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    // Inserted values aren't searched, because they may contain braces.
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((placeholder, remaining)) = after.split_once("}}") else { break };
        filled.push_str(before);
        filled.push_str(parameters.get(placeholder.trim()).map_or(UNKNOWN_PARAMETER, String::as_str));
        rest = remaining;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod language_files;
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_said_in_the_singular() {
        let text = |count: &str| {
            let parameters = BTreeMap::from([("count".to_owned(), count.to_owned())]);
            Words::load(Language::En).text(&["obstacle", "rows-with-errors"], &parameters)
        };
        assert_eq!((text("1").as_str(), text("2").as_str()), ("1 row has errors", "2 rows have errors"));
    }

    #[test]
    fn durations_are_written_as_planners_read_them() {
        let texts = [0.0, -0.2, 4.0, 750.0, 3_900.0, -3_900.0, 90_000.0]
            .map(|seconds| Words::english().format_duration(seconds));
        assert_eq!(texts, ["0 s", "0 s", "4 s", "12 min 30 s", "1 h 05 min", "−1 h 05 min", "25 h 00 min"]);
        let spans = [86_400.0, 604_800.0, 3_600.0, 90_000.0].map(|span| Words::english().format_days_or_duration(span));
        assert_eq!(spans, ["1 day", "7 days", "1 h 00 min", "25 h 00 min"]);
        let parameters = BTreeMap::from([("seconds".to_owned(), "20700".to_owned())]);
        for language in Language::ALL {
            let text = Words::load(language).text(&["connection", "findings", "clock-ahead"], &parameters);
            assert!(text.contains("5 h 45 min"), "{text}");
        }
    }

    #[test]
    fn places_are_filled_once() {
        let parameters = BTreeMap::from([("file".to_owned(), "{{site}}".to_owned())]);
        assert_eq!(fill_placeholders("{{file}} on {{ site }} {{", &parameters), "{{site}} on – {{");
    }
}
