//! The service's operations: the shapes of their requests and responses, their totals, and statements about them with
//! provenance. The method of an operation may be specified and its path assumed.

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
    /// Changes nothing.
    Read,
    /// Creates or updates a batch of items by business key.
    Sync,
    /// Deletes a batch of items.
    Delete,
    /// A free query (GraphQL).
    Query,
}

/// The place of a parameter in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum ParameterPlace {
    Path,
    Query,
    /// A member of the body, by its dotted path.
    Body,
}

/// A parameter of a read, except those of the paging (see [`Operation::paging`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Parameter {
    /// Takt's name. It is also the name on the wire unless [`Self::wire`] differs.
    pub name: String,
    /// The site's name on the wire, if it differs.
    #[serde(default)]
    pub wire: Option<String>,
    /// The form of the value on the wire.
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
    /// Keywords that are assumed even if the parameter isn't, each with the reason (`x-takt-assumed`).
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

/// One end of a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum SpanEnd {
    Begin,
    /// The exclusive end.
    End,
}

/// An object's fields, and the member of the body with the list of such objects.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RowSchema {
    /// The list's dotted path in the body, for example `items`, `data`, `data.items`. Empty if the body is the list.
    pub member: String,
    /// The component schema's name, for example `WorkOrder`.
    pub schema: String,
    pub fields: Vec<Field>,
    pub rules: Vec<Rule>,
}

impl RowSchema {
    /// Returns every field with its path, for nested fields after that of the list or object: `rawMaterials.code`.
    #[must_use]
    pub fn fields_with_paths(&self) -> Vec<(String, &Field)> {
        let mut found = Vec::new();
        collect_fields("", &self.fields, &mut found);
        found
    }
}

fn collect_fields<'a>(front: &str, fields: &'a [Field], found: &mut Vec<(String, &'a Field)>) {
    for field in fields {
        let path = if front.is_empty() { field.name.clone() } else { format!("{front}.{}", field.name) };
        found.push((path.clone(), field));
        collect_fields(&path, &field.fields, found);
    }
}

/// One operation of the service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// The id, for example `work-orders.sync`.
    pub id: String,
    /// The functional area, in the specification's words.
    pub area: String,
    /// The display names of the area.
    pub area_names: Names,
    pub kind: OperationKind,
    /// The method in upper case, for example `POST`.
    pub method: String,
    /// The path relative to the base URL, with `{name}` for path parameters.
    pub path: String,
    pub paged: bool,
    /// The paging parameters, if it is paged.
    pub paging: Paging,
    /// One sentence from the specification.
    pub purpose: String,
    pub names: Names,
    /// The nouns for its items (`x-takt-nouns`). Absent if the document has none. Then they are called rows.
    #[serde(default)]
    pub nouns: Option<Nouns>,
    /// The provenance of the operation as a whole. [`Self::statements`] has that of its parts.
    pub provenance: Provenance,
    /// The provenance of single statements. Empty if the document doesn't distinguish them.
    pub statements: Vec<Statement>,
    pub parameters: Vec<Parameter>,
    /// The shape of one item of a sync or delete.
    pub request: Option<RowSchema>,
    /// The shape of one row of the response.
    pub answer: Option<RowSchema>,
    /// The response of a sync or delete.
    pub batch: BatchForm,
    /// The fields of an item's business key, in order. Empty for reads without one.
    pub key: Vec<String>,
    /// The read that returns the changed items. Absent if there is none, and for operations that change nothing.
    pub read_back: Option<ReadBack>,
    /// The charts of its rows. Empty if there are none, or if a site's document has none.
    pub pictures: Vec<Picture>,
    /// The roles of its fields in a cleanup of links.
    pub cleanup: Option<Cleanup>,
    /// The counts in its response if it isn't paged. A count above the number of rows shows that rows are missing.
    #[serde(skip)]
    pub counts: Paging,
    /// The statuses that mean "not found" (`x-takt-absent`).
    #[serde(skip)]
    pub absent: Vec<u16>,
    /// Whether sending an item twice has the same effect as sending it once.
    #[serde(skip, default = "default_true")]
    pub is_repeatable: bool,
    /// The effect of lists within its items on the lists in the service.
    #[serde(skip)]
    pub list_effects: ListEffects,
    /// The total of its items, if it is of use.
    pub total: Option<Total>,
    /// Items per request unless the site differs. 0 if there is no batch.
    pub batch_size: u32,
    /// Whether it was only learned from its read, and no item was sent in this form yet.
    #[serde(default)]
    pub untried: bool,
    /// The time zone of date-times without an offset. UTC if no site is known.
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
    /// The default for [`Self::absent`].
    pub(crate) const DEFAULT_ABSENT_STATUSES: [u16; 1] = [404];
    /// The default for [`Self::batch_size`].
    pub(crate) const DEFAULT_BATCH_SIZE: u32 = 100;

    /// Returns whether it reads and needs no input from the user.
    #[must_use]
    pub fn reads_without_input(&self) -> bool {
        let needs_input = |one: &Parameter| one.required || one.place == ParameterPlace::Path;
        self.kind == OperationKind::Read && !self.parameters.iter().any(needs_input)
    }
}

/// The subject of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum StatementAbout {
    /// The functional area of the operation.
    Area,
    Method,
    Path,
    /// The purpose of the operation.
    Purpose,
    /// The schema of requests and responses in their own language (GraphQL).
    Schema,
    /// The status in [`Statement::at`] of a response.
    Status,
    /// An assumed keyword of a part that is specified. [`Statement::at`] names the part and the keyword.
    Keyword,
}

/// One statement of the contract about an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Statement {
    pub about: StatementAbout,
    /// The status, or part and keyword, for example `limit schema.default`. Empty for other subjects.
    pub at: String,
    pub provenance: Provenance,
}

/// A total of an operation's items (`x-takt-total`): the field to add up, and the fields to group by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Total {
    /// The field to add up, a number.
    pub of: String,
    pub by: Vec<String>,
    pub provenance: Provenance,
}
