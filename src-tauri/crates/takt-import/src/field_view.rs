//! Views of an operation's fields for the window and the command line.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use takt_contract::{FieldKind, Names};

use crate::{
    mapping::{Blank, JoinedView, Rules, is_clearable},
    target::{Target, Targets},
};

/// A field of the chosen operation, flattened: parts of lists as `rawMaterials.code`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FieldView {
    pub path: String,
    /// The contract's field kind, for example `date-time`.
    pub kind: String,
    pub required: bool,
    /// `specified`, `assumed` or `site`.
    pub provenance: String,
    /// By language: en, de, es, pt.
    pub names: BTreeMap<String, String>,
    /// True if the field is part of the business key.
    pub key: bool,
    /// The text for every row.
    pub constant: Option<String>,
    /// The meaning of an empty cell.
    pub blank: Blank,
    /// True if an empty cell may clear the service's value.
    pub clearable: bool,
    /// The columns whose texts are joined into the field.
    pub joined: Option<JoinedView>,
    /// Number of values that are replaced while reading.
    pub replaced: u32,
    /// The only values that the contract allows. Empty if any value is allowed.
    pub allowed: Vec<String>,
}

/// Returns the views of all fields. `names` are the columns' names in the rules.
pub(crate) fn views(targets: &Targets, rules: &Rules, names: &[String]) -> Vec<FieldView> {
    targets.fields.iter().map(|target| view(target, rules, names)).collect()
}

fn view(target: &Target, rules: &Rules, columns: &[String]) -> FieldView {
    let full = |list: fn(&Names) -> &String, own: &String| match &target.list_names {
        Some(names) => format!("{}: {own}", list(names)),
        None => own.clone(),
    };
    let names = BTreeMap::from([
        ("en".to_owned(), full(|names| &names.en, &target.names.en)),
        ("de".to_owned(), full(|names| &names.de, &target.names.de)),
        ("es".to_owned(), full(|names| &names.es, &target.names.es)),
        ("pt".to_owned(), full(|names| &names.pt, &target.names.pt)),
    ]);
    FieldView {
        path: target.path.clone(),
        kind: kind_name(target.kind).to_owned(),
        required: target.required && target.part_of.is_none(),
        provenance: target.provenance.word().to_owned(),
        names,
        key: target.key,
        constant: rules.constants.get(&target.path).cloned(),
        blank: rules.blank.get(&target.path).copied().unwrap_or_default(),
        clearable: is_clearable(target),
        joined: rules.joined.get(&target.path).map(|joined| JoinedView::new(joined, columns)),
        allowed: target.limits.values.clone(),
        replaced: rules.values.get(&target.path).map_or(0, |values| u32::try_from(values.len()).unwrap_or(u32::MAX)),
    }
}

/// Returns the kind's name in the contract.
fn kind_name(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text => "text",
        FieldKind::Integer => "integer",
        FieldKind::Number => "number",
        FieldKind::Boolean => "boolean",
        FieldKind::DateTime => "date-time",
        FieldKind::Duration => "duration",
        FieldKind::TimeSpan => "time-span",
        FieldKind::List => "list",
        FieldKind::Object => "object",
    }
}
