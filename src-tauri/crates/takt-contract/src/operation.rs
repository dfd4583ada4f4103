//! The service's operations, with the schemas of their requests and responses. Statements about an operation have a
//! provenance, so its method may be specified and its path assumed.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::{
    Cleanup, Field, FieldKind, Names, Nouns, Provenance, Rule,
    form::{BatchForm, Paging, ValueForm},
    picture::Picture,
    read_back::{ListEffects, ReadBack},
};

/// The effect of an operation on the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum OperationKind {
    /// Reads without any effect.
    Read,
    /// Creates or updates a batch of items by business key.
    Sync,
    /// Deletes a batch of items.
    Delete,
    /// A free query (GraphQL).
    Query,
}

/// The part of a request that contains a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum ParameterPlace {
    Path,
    Query,
    /// A member of the body, by its dotted path.
    Body,
}

/// A parameter of a read. Paging parameters are in [`Operation::paging`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Parameter {
    /// Takt's name, which is also used on the wire unless [`Self::wire`] is set.
    pub name: String,
    /// The site's name on the wire, if it differs from Takt's.
    #[serde(default)]
    pub wire: Option<String>,
    #[serde(default)]
    pub form: ValueForm,
    #[serde(rename = "in")]
    pub place: ParameterPlace,
    pub kind: FieldKind,
    pub required: bool,
    pub names: Names,
    /// The field of the rows that the parameter filters, if the document names one (`x-takt-narrows`).
    pub narrows: Option<String>,
    /// Whether the parameter is the start or the end of a time span (`x-takt-span`).
    pub span: Option<SpanEnd>,
    pub provenance: Provenance,
    /// The assumed keywords of a specified parameter, each with the reason (`x-takt-assumed`).
    #[serde(default)]
    pub assumed: BTreeMap<String, String>,
}

impl Parameter {
    /// Returns the name on the wire.
    #[must_use]
    pub fn wire_name(&self) -> &str {
        self.wire.as_deref().unwrap_or(&self.name)
    }
}

/// One end of a time span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum SpanEnd {
    Begin,
    /// The end, which isn't part of the span.
    End,
}

/// The fields of an object, and the list of such objects in the body.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RowSchema {
    /// The dotted path of the list in the body, for example `items`, `data`, `data.items`. Empty if the body is the
    /// list.
    pub member: String,
    /// The name of the component schema, for example `WorkOrder`.
    pub schema: String,
    pub fields: Vec<Field>,
    pub rules: Vec<Rule>,
}

impl RowSchema {
    /// Returns every field with its path. The path of a nested field starts with its parent's, as in
    /// `rawMaterials.code`.
    #[must_use]
    pub fn fields_with_paths(&self) -> Vec<(String, &Field)> {
        let mut found = Vec::new();
        collect_fields("", &self.fields, &mut found);
        found
    }
}

fn collect_fields<'a>(path_prefix: &str, fields: &'a [Field], found: &mut Vec<(String, &'a Field)>) {
    for field in fields {
        let path = if path_prefix.is_empty() { field.name.clone() } else { format!("{path_prefix}.{}", field.name) };
        found.push((path.clone(), field));
        collect_fields(&path, &field.fields, found);
    }
}

/// One operation of the service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// The unique ID, for example `work-orders.sync`.
    pub id: String,
    /// The functional area, as named in the specification.
    pub area: String,
    /// The display names of the area.
    pub area_names: Names,
    pub kind: OperationKind,
    /// In upper case, for example `POST`.
    pub method: String,
    /// The path relative to the base URL, with `{name}` for path parameters.
    pub path: String,
    pub paged: bool,
    /// The parameters and counts for pages, if the operation is paged.
    pub paging: Paging,
    /// The operation's purpose, in one sentence from the specification.
    pub purpose: String,
    pub names: Names,
    /// The nouns for the items in texts (`x-takt-nouns`). Without nouns, they are called rows.
    #[serde(default)]
    pub nouns: Option<Nouns>,
    /// The provenance of the whole operation. [`Self::statements`] has the provenance of its parts.
    pub provenance: Provenance,
    /// The provenance of its parts. Empty if the document doesn't distinguish parts.
    pub statements: Vec<Statement>,
    pub parameters: Vec<Parameter>,
    /// The schema of an item to sync or delete.
    pub request: Option<RowSchema>,
    /// The schema of a row in the response.
    pub answer: Option<RowSchema>,
    /// The form of the response to a sync or delete.
    pub batch: BatchForm,
    /// The fields of an item's business key, in order. Empty for reads without a key.
    pub key: Vec<String>,
    /// The read that returns changed items. Absent for operations without changes, and if no read returns the items.
    pub read_back: Option<ReadBack>,
    /// The charts of its rows. Empty if the document defines none.
    pub pictures: Vec<Picture>,
    /// The fields that a cleanup of links uses.
    pub cleanup: Option<Cleanup>,
    /// The place of the number of rows in a response that isn't paged. A greater number shows that rows are missing.
    #[serde(skip)]
    pub counts: Paging,
    /// The response statuses that mean "not found" (`x-takt-absent`).
    #[serde(skip)]
    pub absent: Vec<u16>,
    /// Whether sending an item twice has the same effect as sending it once.
    #[serde(skip, default = "default_true")]
    pub is_repeatable: bool,
    /// Whether a list within an item replaces the service's list or adds to it.
    #[serde(skip)]
    pub list_effects: ListEffects,
    /// The total to show for the items of a submission. Absent if a total isn't meaningful.
    pub total: Option<Total>,
    /// The default number of items per request. 0 for operations that don't send items.
    pub batch_size: u32,
    /// Whether the change was derived from a read and not confirmed by a trial run yet.
    #[serde(default)]
    pub untried: bool,
    /// The time zone of date-times without an offset. It is UTC if no site is known.
    #[serde(skip, default = "default_time_zone")]
    pub time_zone: TimeZone,
}

fn default_true() -> bool {
    true
}

fn default_time_zone() -> TimeZone {
    TimeZone::UTC
}

impl Operation {
    /// The value of [`Self::absent`] without a statement in the document.
    pub(crate) const DEFAULT_ABSENT_STATUSES: [u16; 1] = [404];
    /// The value of [`Self::batch_size`] without a statement in the document.
    pub(crate) const DEFAULT_BATCH_SIZE: u32 = 100;

    /// Returns whether this is a read that needs no input from the user.
    #[must_use]
    pub fn reads_without_input(&self) -> bool {
        let needs_input = |one: &Parameter| one.required || one.place == ParameterPlace::Path;
        self.kind == OperationKind::Read && !self.parameters.iter().any(needs_input)
    }
}

/// The part of an operation that a statement is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum StatementAbout {
    /// The operation's functional area.
    Area,
    Method,
    Path,
    /// The operation's purpose.
    Purpose,
    /// The schema of requests and responses in GraphQL.
    Schema,
    /// The response status in [`Statement::at`].
    Status,
    /// An assumed keyword of a specified part. [`Statement::at`] contains the part and the keyword.
    Keyword,
}

/// The provenance of one part of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Statement {
    pub about: StatementAbout,
    /// A status, or a part with its keyword, for example `limit schema.default`. Empty for other subjects.
    pub at: String,
    pub provenance: Provenance,
}

/// A total of an operation's items (`x-takt-total`), with the fields to group by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Total {
    /// The numeric field to add up.
    pub of: String,
    pub by: Vec<String>,
    pub provenance: Provenance,
}
