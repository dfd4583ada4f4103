//! Operations: what can be asked of the service, and the shapes that go in and come out.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::{
    Cleanup, Field, FieldKind, Names, Nouns, Provenance, Rule, Statement, Total,
    form::{BatchForm, Paging, ValueForm},
    picture::Picture,
    read_back::{ListEffects, ReadBack},
};

/// What an operation does to the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum OperationKind {
    /// Changes nothing.
    Read,
    /// Creates or updates a batch of items by business key.
    Sync,
    /// Deletes a batch of items.
    Delete,
    /// A free query (GraphQL).
    Query,
}

/// Where a parameter stands in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum ParameterPlace {
    Path,
    Query,
    /// A member of the body, by its dotted path.
    Body,
}

/// A parameter of a read, without those of the paging (see [`Operation::paging`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Parameter {
    /// By which Takt knows it; its name on the wire unless [`Self::wire`] says otherwise.
    pub name: String,
    /// Its name on the wire, where a site calls it otherwise.
    #[serde(default)]
    pub wire: Option<String>,
    /// How its value travels.
    #[serde(default)]
    pub form: ValueForm,
    #[serde(rename = "in")]
    pub place: ParameterPlace,
    pub kind: FieldKind,
    pub required: bool,
    pub names: Names,
    /// The field of the answer's rows that is held against it, where the document says so (`x-takt-narrows`).
    pub narrows: Option<String>,
    /// The end of a span of time that it names, where the document says so (`x-takt-span`).
    pub span: Option<SpanEnd>,
    pub provenance: Provenance,
    /// Keywords that are assumed though the parameter itself isn't, each with why (`x-takt-assumed`).
    #[serde(default)]
    pub assumed: BTreeMap<String, String>,
}

impl Parameter {
    /// Its name as it travels.
    #[must_use]
    pub fn wire_name(&self) -> &str {
        self.wire.as_deref().unwrap_or(&self.name)
    }
}

/// One end of a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum SpanEnd {
    Begin,
    /// Excluded.
    End,
}

/// An object's fields, and the member of the body that carries the list of such objects.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Shape {
    /// The list's dotted path in the body, for example `items`, `data`, `data.items`; empty where the body is the list.
    pub member: String,
    /// The component schema's name, for example `WorkOrder`.
    pub schema: String,
    pub fields: Vec<Field>,
    pub rules: Vec<Rule>,
}

impl Shape {
    /// Every field with its path, the parts of lists and objects after their carrier: `rawMaterials.code`.
    #[must_use]
    pub fn flat(&self) -> Vec<(String, &Field)> {
        let mut found = Vec::new();
        flatten("", &self.fields, &mut found);
        found
    }
}

fn flatten<'a>(front: &str, fields: &'a [Field], found: &mut Vec<(String, &'a Field)>) {
    for field in fields {
        let path = if front.is_empty() { field.name.clone() } else { format!("{front}.{}", field.name) };
        found.push((path.clone(), field));
        flatten(&path, &field.fields, found);
    }
}

/// One operation of the service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// For example `work-orders.sync`.
    pub id: String,
    /// The functional area, in the specification's words.
    pub area: String,
    /// What people call the area.
    pub area_names: Names,
    pub kind: OperationKind,
    /// Upper case, for example `POST`.
    pub method: String,
    /// Relative to the base URL, with `{name}` for path parameters.
    pub path: String,
    pub paged: bool,
    /// How its pages are asked for, where it is paged.
    pub paging: Paging,
    /// One sentence from the specification.
    pub purpose: String,
    pub names: Names,
    /// What its items are called (`x-takt-nouns`). Absent where nobody said; then they are rows.
    #[serde(default)]
    pub nouns: Option<Nouns>,
    /// Of the operation as a whole; [`Self::statements`] tells its parts apart.
    pub provenance: Provenance,
    /// What is said of it, statement by statement. Empty where the document doesn't tell them apart.
    pub statements: Vec<Statement>,
    pub parameters: Vec<Parameter>,
    /// One item of a sync or delete.
    pub request: Option<Shape>,
    /// One row of the answer.
    pub answer: Option<Shape>,
    /// What a sync or delete answers.
    pub batch: BatchForm,
    /// The fields that make up an item's business key, in order. Empty for reads without one.
    pub key: Vec<String>,
    /// Where what it changed is read again. Absent where nothing shows it, and for what changes nothing.
    pub read_back: Option<ReadBack>,
    /// What can be drawn of its rows. Empty where nothing can, or where a site's own document doesn't say.
    pub pictures: Vec<Picture>,
    /// Where it shows what a cleanup of links is made from: which of its fields means what.
    pub cleanup: Option<Cleanup>,
    /// Where its response states counts if it isn't paged: a count that its rows don't reach shows that rows are missing.
    #[serde(skip)]
    pub counts: Paging,
    /// The statuses by which it says that there is no such thing (`x-takt-absent`).
    #[serde(skip)]
    pub absent: Vec<u16>,
    /// Whether the same item may be sent once more without doing more than the first time.
    #[serde(skip, default = "yes")]
    pub is_repeatable: bool,
    /// What the lists within its items do to those that the service holds.
    #[serde(skip)]
    pub list_effects: ListEffects,
    /// What its items add up to. Absent where nobody needs to know.
    pub total: Option<Total>,
    /// Items per request unless the site says otherwise. 0 where there is no batch.
    pub batch_size: u32,
    /// True where it is known from its read side alone, and nothing was sent like this yet.
    #[serde(default)]
    pub untried: bool,
    /// In which a moment without an offset is. UTC where no site is known.
    #[serde(skip, default = "utc")]
    pub time_zone: TimeZone,
}

fn yes() -> bool {
    true
}

fn utc() -> TimeZone {
    TimeZone::UTC
}

impl Operation {
    /// The statuses that say that there is no such thing, where nothing else is said.
    pub(crate) const ABSENT: [u16; 1] = [404];
    /// Items per request, where nothing else is said.
    pub(crate) const BATCH_SIZE: u32 = 100;

    /// Whether it reads, and needs nothing from a person for it.
    #[must_use]
    pub fn reads_without_input(&self) -> bool {
        let needs = |one: &Parameter| one.required || one.place == ParameterPlace::Path;
        self.kind == OperationKind::Read && !self.parameters.iter().any(needs)
    }
}
