//! Marks that show the provenance of a part of the contract.

use serde_json::Value;
use takt_contract::ProvenanceLevel;

use super::sheet::Sheet;
use crate::page::escape;

/// Renders a provenance level as a mark, followed by its source if there is one.
pub(super) fn mark(sheet: &Sheet, level: ProvenanceLevel, source: Option<&str>) -> String {
    let (class, key) = match level {
        ProvenanceLevel::Specified => ("specified", "home.specified"),
        ProvenanceLevel::Assumed => ("assumed", "home.assumed"),
        ProvenanceLevel::Observed => ("site", "home.observed"),
        ProvenanceLevel::Site => ("site", "home.site"),
    };
    let source = source.map_or_else(String::new, |source| format!(" <small lang=\"en\">{}</small>", escape(source)));
    format!("<span class=\"mark {class}\">{}</span>{source}", sheet.text(key))
}

/// Renders the mark of a node of the document. Empty if it has no provenance.
pub(super) fn mark_of(sheet: &Sheet, node: &Value, with_source: bool) -> String {
    let Some(provenance) = node.get("x-takt-provenance") else { return String::new() };
    let own = level(provenance["level"].as_str().unwrap_or_default());
    let own = own.map(|level| mark(sheet, level, provenance["source"].as_str().filter(|_| with_source)));
    own.unwrap_or_default() + &assumed_keywords(sheet, node)
}

/// Renders the keywords of a specified node that are assumed, each with its reason.
fn assumed_keywords(sheet: &Sheet, node: &Value) -> String {
    let Some(parts) = node.get("x-takt-assumed").and_then(Value::as_object) else { return String::new() };
    let part = |(keyword, reason): (&String, &Value)| {
        format!("<abbr title=\"{}\">{}</abbr>", escape(reason.as_str().unwrap_or_default()), escape(keyword))
    };
    let parts: Vec<String> = parts.iter().map(part).collect();
    format!(" {} <small lang=\"en\">{}</small>", mark(sheet, ProvenanceLevel::Assumed, None), parts.join(", "))
}

pub(super) fn level(name: &str) -> Option<ProvenanceLevel> {
    match name {
        "specified" => Some(ProvenanceLevel::Specified),
        "assumed" => Some(ProvenanceLevel::Assumed),
        "observed" => Some(ProvenanceLevel::Observed),
        "site" => Some(ProvenanceLevel::Site),
        _ => None,
    }
}
