//! The engine's language files: what problems, results and findings are called, in each language that Takt speaks.
//!
//! Owns reading them and filling `{{name}}` places. The sections: `problem` (`title` and `hint` per code), `result`,
//! `severity`, `finding`, `unchecked`. The window reads the same files.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, LazyLock},
};

use parking_lot::RwLock;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_contract::{Contract, Names};

/// Stands where a text names something that isn't known.
const UNKNOWN: &str = "–";
const SECONDS_PER_DAY: f64 = 86_400.0;

static ENGLISH: LazyLock<Words> = LazyLock::new(|| Words::load(Language::En));

/// A language that Takt speaks.
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

    /// From a tag such as `de-AT` or `pt_BR.UTF-8`; absent where Takt doesn't speak it.
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

    /// A thing's name in this language.
    #[must_use]
    pub fn named(self, names: &Names) -> &str {
        match self {
            Self::En => &names.en,
            Self::De => &names.de,
            Self::Es => &names.es,
            Self::Pt => &names.pt,
        }
    }

    fn file(self) -> &'static str {
        match self {
            Self::En => include_str!("../locales/en.json"),
            Self::De => include_str!("../locales/de.json"),
            Self::Es => include_str!("../locales/es.json"),
            Self::Pt => include_str!("../locales/pt.json"),
        }
    }
}

/// The language that Takt speaks now. Clones speak the same.
#[derive(Debug, Clone)]
pub struct CurrentWords(Arc<RwLock<Arc<Words>>>);

impl CurrentWords {
    /// English, until somebody chooses.
    pub fn new(contract: &Contract) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(Words::load(Language::En).naming_fields(contract)))))
    }

    pub fn speak(&self, language: Language, contract: &Contract) {
        *self.0.write() = Arc::new(Words::load(language).naming_fields(contract));
    }

    /// The words in which people read reasons.
    pub fn words(&self) -> Arc<Words> {
        Arc::clone(&self.0.read())
    }
}

/// The texts of one language.
#[derive(Debug, Clone)]
pub struct Words {
    language: Language,
    sections: Value,
    /// What the fields of what is sent are called, by the member's name.
    fields: BTreeMap<String, String>,
}

impl Words {
    /// The files are part of the program; a test reads them all.
    #[must_use]
    pub fn load(language: Language) -> Self {
        Self { language, sections: serde_json::from_str(language.file()).unwrap_or_default(), fields: BTreeMap::new() }
    }

    /// The same words with the contract's names of what is sent, so that a reason calls a field as its label does. A member that
    /// isn't called the same everywhere keeps its own name.
    #[must_use]
    pub fn naming_fields(mut self, contract: &Contract) -> Self {
        let mut several = BTreeSet::new();
        let shapes = contract.operations().iter().filter_map(|operation| operation.request.as_ref());
        for field in shapes.flat_map(|shape| &shape.fields) {
            let name = self.named(&field.names).to_owned();
            let before = self.fields.insert(field.name.clone(), name.clone());
            if before.is_some_and(|before| before != name) {
                several.insert(field.name.clone());
            }
        }
        self.fields.retain(|member, _| !several.contains(member));
        self
    }

    /// What a field is called.
    pub fn field<'a>(&'a self, member: &'a str) -> &'a str {
        self.fields.get(member).map_or(member, String::as_str)
    }

    pub fn language(&self) -> Language {
        self.language
    }

    /// The keys of a section's texts that hold a text, in whatever case.
    pub fn keys_holding(&self, section: &str, text: &str) -> Vec<String> {
        let text = text.to_lowercase();
        let texts = self.sections.get(section).and_then(Value::as_object).into_iter().flatten();
        let holds = |found: &Value| found.as_str().is_some_and(|found| found.to_lowercase().contains(&text));
        texts.filter(|(_, found)| holds(found)).map(|(key, _)| key.clone()).collect()
    }

    pub fn english() -> &'static Self {
        &ENGLISH
    }

    /// What may have been meant, behind what is wrong, where that is known.
    pub fn with_suggestion(&self, said: String, parameters: &BTreeMap<String, String>) -> String {
        if !parameters.contains_key("near") {
            return said;
        }
        let end = if said.ends_with(['.', '?', '!']) { "" } else { "." };
        format!("{said}{end} {}", self.text(&["rule-fault", "near"], parameters))
    }

    /// Something that a person has to confirm.
    #[must_use]
    pub fn question(&self, key: &str, parameters: &[(&str, String)]) -> String {
        let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        self.text(&["question", key], &parameters)
    }

    /// The operator's message if a rule gives no reply and has no message.
    #[must_use]
    pub fn rules_failed(&self) -> String {
        self.text(&["rule-answer", "failed"], &BTreeMap::new())
    }

    /// A thing's name in this language.
    #[must_use]
    pub fn named<'a>(&self, names: &'a Names) -> &'a str {
        self.language.named(names)
    }

    /// What a variable of rules holds.
    #[must_use]
    pub fn variable(&self, name: &str) -> String {
        self.text(&["variable", &name.replace('.', "-")], &BTreeMap::new())
    }

    /// A duration as planners write it: `1 h 05 min`, `12 min 30 s`, `4 s`. Days are counted as hours.
    #[must_use]
    pub fn duration(&self, seconds: f64) -> String {
        let whole = seconds.abs().round();
        let (hours, minutes, rest) = ((whole / 3600.0).floor(), (whole % 3600.0 / 60.0).floor(), whole % 60.0);
        let two = |value: f64| format!("{value:02}");
        let (form, h, min, s) = if hours > 0.0 {
            ("hours", hours.to_string(), two(minutes), two(rest))
        } else if minutes > 0.0 {
            ("minutes", String::new(), minutes.to_string(), two(rest))
        } else {
            ("seconds", String::new(), String::new(), rest.to_string())
        };
        let sign = if seconds < 0.0 && whole > 0.0 { "−" } else { "" }.to_owned();
        let places = [("sign", sign), ("h", h), ("min", min), ("s", s)];
        let places = places.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        self.text(&["duration", form], &places)
    }

    /// How long it is from one date to another: whole days as such, anything else as a duration.
    #[must_use]
    pub fn days_or_duration(&self, seconds: f64) -> String {
        let days = (seconds / SECONDS_PER_DAY).abs();
        if days < 1.0 || days.fract() != 0.0 {
            return self.duration(seconds);
        }
        self.text(&["duration", "days"], &BTreeMap::from([("count".to_owned(), days.to_string())]))
    }

    /// Whether there is a text, or a section of texts, at a path of keys.
    pub fn has(&self, path: &[&str]) -> bool {
        path.iter().try_fold(&self.sections, |section, key| section.get(key)).is_some()
    }

    /// The text at a path of keys with its places filled; the path itself where there is none.
    #[must_use]
    pub fn text(&self, path: &[&str], parameters: &BTreeMap<String, String>) -> String {
        let found = path.iter().try_fold(&self.sections, |section, key| section.get(key));
        let found = found.or_else(|| self.counted(path, parameters));
        match found.and_then(Value::as_str) {
            Some(text) => fill(text, &self.with_time(text, parameters)),
            None => path.join("."),
        }
    }

    /// What a text names, with the parameter `seconds` as a duration where it names `time`.
    fn with_time<'a>(&self, text: &str, parameters: &'a BTreeMap<String, String>) -> Cow<'a, BTreeMap<String, String>> {
        let seconds =
            parameters.get("seconds").filter(|_| text.contains("{{time}}") && !parameters.contains_key("time"));
        let Some(seconds) = seconds.and_then(|seconds| seconds.parse().ok()) else { return Cow::Borrowed(parameters) };
        let mut parameters = parameters.clone();
        parameters.insert("time".to_owned(), self.duration(seconds));
        Cow::Owned(parameters)
    }
}

impl Words {
    /// A text that has a form for one and a form for several, by `count`.
    fn counted(&self, path: &[&str], parameters: &BTreeMap<String, String>) -> Option<&Value> {
        let (last, sections) = path.split_last()?;
        let form = if parameters.get("count").is_some_and(|count| count == "1") { "one" } else { "other" };
        let section = sections.iter().try_fold(&self.sections, |section, key| section.get(key))?;
        section.get(format!("{last}_{form}"))
    }
}

/// A code's name in the files is its name on the wire.
pub fn name(code: impl Serialize) -> String {
    match serde_json::to_value(code) {
        Ok(Value::String(name)) => name,
        Ok(_) | Err(_) => String::new(),
    }
}

fn fill(text: &str, parameters: &BTreeMap<String, String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    // What is put in is not searched again: a value may hold braces of its own.
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((place, remaining)) = after.split_once("}}") else { break };
        filled.push_str(before);
        filled.push_str(parameters.get(place.trim()).map_or(UNKNOWN, String::as_str));
        rest = remaining;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_said_in_the_singular() {
        let said = |count: &str| {
            let parameters = BTreeMap::from([("count".to_owned(), count.to_owned())]);
            Words::load(Language::En).text(&["obstacle", "rows-with-errors"], &parameters)
        };
        assert_eq!((said("1").as_str(), said("2").as_str()), ("1 row has errors", "2 rows have errors"));
    }

    #[test]
    fn durations_are_written_as_planners_read_them() {
        let said =
            [0.0, -0.2, 4.0, 750.0, 3_900.0, -3_900.0, 90_000.0].map(|seconds| Words::english().duration(seconds));
        assert_eq!(said, ["0 s", "0 s", "4 s", "12 min 30 s", "1 h 05 min", "−1 h 05 min", "25 h 00 min"]);
        let spans = [86_400.0, 604_800.0, 3_600.0, 90_000.0].map(|span| Words::english().days_or_duration(span));
        assert_eq!(spans, ["1 day", "7 days", "1 h 00 min", "25 h 00 min"]);
        let parameters = BTreeMap::from([("seconds".to_owned(), "20700".to_owned())]);
        for language in Language::ALL {
            let said = Words::load(language).text(&["connection", "findings", "clock-ahead"], &parameters);
            assert!(said.contains("5 h 45 min"), "{said}");
        }
    }

    #[test]
    fn places_are_filled_once() {
        let parameters = BTreeMap::from([("file".to_owned(), "{{site}}".to_owned())]);
        assert_eq!(fill("{{file}} on {{ site }} {{", &parameters), "{{site}} on – {{");
    }
}
