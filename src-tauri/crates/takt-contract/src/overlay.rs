//! Describes a site's differences from the built-in contract. They come from its OpenAPI document, its responses or the
//! user.
//!
//! Overlays can be merged ([`Overlay::merge`]) and applied ([`Contract::with_overlay`](crate::Contract::with_overlay)).
//! Parts that an overlay doesn't contain are unchanged. Overlays are proposed in takt-openapi and stored in takt-sites.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    EventKind, Field, FieldKind, Limits, Names, Operation, OperationKind, Parameter, ParameterPlace, Provenance,
    ProvenanceLevel, RowSchema, Statement, StatementAbout,
    form::{BatchForm, ErrorForm, Paging, ReplyForm, ValueForm},
    reader::prune,
};

/// The new source of observed parts after a successful trial run.
const TRIAL_SOURCE: &str = "a trial run";

/// The differences of a site from the built-in contract.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct Overlay {
    pub operations: Vec<OperationOverlay>,
    pub events: Vec<EventOverlay>,
    pub errors: Option<ErrorForm>,
    /// The form of the reply to events for which the service waits.
    pub reply: Option<ReplyForm>,
    pub assumptions: Vec<AssumptionOverlay>,
}

/// A site's replacement for an assumption.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AssumptionOverlay {
    /// The ID in `x-takt-assumptions`.
    pub id: String,
    pub value: Value,
    pub provenance: Provenance,
}

/// The differences of an event from the built-in contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EventOverlay {
    /// The service's event number, as in the built-in contract.
    pub id: i32,
    pub provenance: Provenance,
    pub fields: Vec<FieldOverlay>,
}

/// The differences of an operation, or a new operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct OperationOverlay {
    /// The ID of a built-in operation, or a new ID if [`Self::adds`] is set.
    pub id: String,
    pub provenance: Provenance,
    /// Properties that only a new operation needs.
    #[serde(default)]
    pub adds: Option<AddedOperation>,
    #[serde(default)]
    pub method: Option<String>,
    /// The path with `{name}` for path parameters, which have their names on the wire.
    #[serde(default)]
    pub path: Option<String>,
    /// The complete list of parameters. Parameters that aren't listed are removed.
    #[serde(default)]
    pub parameters: Option<Vec<ParameterOverlay>>,
    /// The changed paging, which may remove the pages.
    #[serde(default)]
    pub paging: Option<PagingOverlay>,
    #[serde(default)]
    pub request: Option<ShapeOverlay>,
    #[serde(default)]
    pub answer: Option<ShapeOverlay>,
    #[serde(default)]
    pub batch: Option<BatchForm>,
    /// The fields of an item's business key, in order.
    #[serde(default)]
    pub key: Option<Vec<String>>,
    /// The default number of items per request.
    #[serde(default)]
    pub batch_size: Option<u32>,
    /// Whether the change was derived from a read and not confirmed by a trial run yet.
    #[serde(default)]
    pub untried: Option<bool>,
}

/// Properties of an operation that the built-in contract doesn't have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AddedOperation {
    pub kind: OperationKind,
    pub area: String,
    pub purpose: String,
    pub names: Names,
}

/// The paging of a list. None if it isn't paged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PagingOverlay {
    pub paging: Option<Paging>,
}

/// The differences of a parameter, or a new parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ParameterOverlay {
    /// The name of the built-in parameter or of the new one.
    pub name: String,
    /// The name on the wire, if it differs from Takt's.
    #[serde(default)]
    pub wire: Option<String>,
    /// Required if the parameter is new.
    #[serde(default)]
    pub place: Option<ParameterPlace>,
    #[serde(default)]
    pub kind: Option<FieldKind>,
    #[serde(default)]
    pub form: Option<ValueForm>,
    #[serde(default)]
    pub required: Option<bool>,
    /// Required if the parameter is new.
    #[serde(default)]
    pub names: Option<Names>,
    pub provenance: Provenance,
}

/// The differences of a list and its objects.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct ShapeOverlay {
    /// The dotted path of the list in the body. Empty if the body is the list.
    pub member: Option<String>,
    /// The site's name for such an object.
    pub schema: Option<String>,
    /// Whether fields that aren't listed are removed.
    pub complete: bool,
    pub fields: Vec<FieldOverlay>,
}

/// The differences of a field, or a new field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FieldOverlay {
    /// The name of the built-in field or of the new one.
    pub name: String,
    /// The name on the wire, if it differs from Takt's.
    #[serde(default)]
    pub wire: Option<String>,
    /// Required if the field is new.
    #[serde(default)]
    pub kind: Option<FieldKind>,
    #[serde(default)]
    pub form: Option<ValueForm>,
    #[serde(default)]
    pub required: Option<bool>,
    #[serde(default)]
    pub nullable: Option<bool>,
    #[serde(default)]
    pub limits: Option<Limits>,
    /// Required if the field is new.
    #[serde(default)]
    pub names: Option<Names>,
    #[serde(default)]
    pub example: Option<String>,
    /// The fields of an object, or of the objects in a list.
    #[serde(default)]
    #[expect(clippy::use_self, reason = "the TypeScript derive can't see `Self` here")]
    pub fields: Vec<FieldOverlay>,
    #[serde(default)]
    pub gone: bool,
    /// Whether nested fields that aren't listed are removed.
    #[serde(default)]
    pub complete: bool,
    pub provenance: Provenance,
}

impl FieldOverlay {
    /// Returns an overlay for a field, without differences.
    #[must_use]
    pub fn new(name: &str, provenance: Provenance) -> Self {
        Self {
            name: name.to_owned(),
            wire: None,
            kind: None,
            form: None,
            required: None,
            nullable: None,
            limits: None,
            names: None,
            example: None,
            fields: Vec::new(),
            gone: false,
            complete: false,
            provenance,
        }
    }
}

impl OperationOverlay {
    /// Returns an overlay for an operation, without differences.
    #[must_use]
    pub fn new(id: &str, provenance: Provenance) -> Self {
        Self {
            id: id.to_owned(),
            provenance,
            adds: None,
            method: None,
            path: None,
            parameters: None,
            paging: None,
            request: None,
            answer: None,
            batch: None,
            key: None,
            batch_size: None,
            untried: None,
        }
    }
}

impl Overlay {
    /// Merges `later` into this overlay. If both define a part, `later` takes precedence.
    #[must_use]
    pub fn merge(&self, later: &Self) -> Self {
        let mut operations = self.operations.clone();
        for change in &later.operations {
            match operations.iter_mut().find(|operation| operation.id == change.id) {
                Some(operation) => merge_operation(operation, change),
                None => operations.push(change.clone()),
            }
        }
        let mut events = self.events.clone();
        for change in &later.events {
            match events.iter_mut().find(|event| event.id == change.id) {
                Some(event) => {
                    event.provenance = change.provenance.clone();
                    event.fields = merge_fields(&event.fields, &change.fields, false);
                }
                None => events.push(change.clone()),
            }
        }
        let errors = later.errors.as_ref().or(self.errors.as_ref()).cloned();
        let reply = later.reply.as_ref().or(self.reply.as_ref()).cloned();
        let mut assumptions = self.assumptions.clone();
        for change in &later.assumptions {
            assumptions.retain(|known| known.id != change.id);
            assumptions.push(change.clone());
        }
        Self { operations, events, errors, reply, assumptions }
    }
}

fn merge_operation(operation: &mut OperationOverlay, later: &OperationOverlay) {
    operation.provenance = later.provenance.clone();
    replace_if_some(&mut operation.adds, &later.adds);
    replace_if_some(&mut operation.method, &later.method);
    replace_if_some(&mut operation.path, &later.path);
    replace_if_some(&mut operation.paging, &later.paging);
    replace_if_some(&mut operation.batch, &later.batch);
    replace_if_some(&mut operation.key, &later.key);
    replace_if_some(&mut operation.batch_size, &later.batch_size);
    replace_if_some(&mut operation.untried, &later.untried);
    match (&mut operation.parameters, &later.parameters) {
        (Some(parameters), Some(later)) => *parameters = merge_parameters(parameters, later),
        (parameters, later) => replace_if_some(parameters, later),
    }
    merge_shape(&mut operation.request, &later.request);
    merge_shape(&mut operation.answer, &later.answer);
}

/// Merges two lists of parameters. Since the later list is complete, parameters missing from it are removed.
fn merge_parameters(known: &[ParameterOverlay], later: &[ParameterOverlay]) -> Vec<ParameterOverlay> {
    let merged = later.iter().map(|change| match known.iter().find(|known| known.name == change.name) {
        Some(known) => ParameterOverlay {
            name: change.name.clone(),
            wire: change.wire.clone().or_else(|| known.wire.clone()),
            place: change.place.or(known.place),
            kind: change.kind.or(known.kind),
            form: change.form.clone().or_else(|| known.form.clone()),
            required: change.required.or(known.required),
            names: change.names.clone().or_else(|| known.names.clone()),
            provenance: change.provenance.clone(),
        },
        None => change.clone(),
    });
    merged.collect()
}

fn merge_shape(shape: &mut Option<ShapeOverlay>, later: &Option<ShapeOverlay>) {
    let (Some(known), Some(later)) = (shape.as_mut(), later) else { return replace_if_some(shape, later) };
    replace_if_some(&mut known.member, &later.member);
    replace_if_some(&mut known.schema, &later.schema);
    known.fields = merge_fields(&known.fields, &later.fields, later.complete);
    known.complete = known.complete || later.complete;
}

fn merge_fields(known: &[FieldOverlay], later: &[FieldOverlay], complete: bool) -> Vec<FieldOverlay> {
    let remains = |field: &&FieldOverlay| !complete || later.iter().any(|change| change.name == field.name);
    let mut fields: Vec<FieldOverlay> = known.iter().filter(remains).cloned().collect();
    for change in later {
        match fields.iter_mut().find(|field| field.name == change.name) {
            Some(field) => merge_field(field, change),
            None => fields.push(change.clone()),
        }
    }
    fields
}

fn merge_field(field: &mut FieldOverlay, later: &FieldOverlay) {
    field.provenance = later.provenance.clone();
    field.gone = later.gone;
    replace_if_some(&mut field.wire, &later.wire);
    replace_if_some(&mut field.kind, &later.kind);
    replace_if_some(&mut field.form, &later.form);
    replace_if_some(&mut field.required, &later.required);
    replace_if_some(&mut field.nullable, &later.nullable);
    replace_if_some(&mut field.limits, &later.limits);
    replace_if_some(&mut field.names, &later.names);
    replace_if_some(&mut field.example, &later.example);
    field.fields = merge_fields(&field.fields, &later.fields, later.complete);
    field.complete = field.complete || later.complete;
}

fn replace_if_some<T: Clone>(target: &mut Option<T>, later: &Option<T>) {
    if later.is_some() {
        target.clone_from(later);
    }
}

impl Overlay {
    /// Returns the overlay after a successful trial run of an operation. None if the operation doesn't wait for a
    /// trial.
    #[must_use]
    pub fn mark_tried(&self, operation: &str) -> Option<Self> {
        let mut overlay = self.clone();
        let tried = overlay.operations.iter_mut().find(|one| one.id == operation && one.untried == Some(true))?;
        tried.untried = Some(false);
        mark_tried(&mut tried.provenance);
        tried.request.iter_mut().for_each(|shape| mark_fields_tried(&mut shape.fields));
        Some(overlay)
    }
}

fn mark_fields_tried(fields: &mut [FieldOverlay]) {
    for field in fields {
        mark_tried(&mut field.provenance);
        mark_fields_tried(&mut field.fields);
    }
}

/// Changes the source of observed parts. Parts from a document or the user are unchanged.
fn mark_tried(provenance: &mut Provenance) {
    if provenance.level == ProvenanceLevel::Observed {
        TRIAL_SOURCE.clone_into(&mut provenance.source);
    }
}

/// Returns the site's operations. Changes to unknown operations are ignored, since another version of Takt may have
/// written the overlay.
pub(crate) fn apply_to_operations(overlay: &Overlay, operations: &[Operation], zone: &TimeZone) -> Vec<Operation> {
    let mut operations = operations.to_vec();
    for change in &overlay.operations {
        match operations.iter_mut().find(|operation| operation.id == change.id) {
            Some(operation) => replace_operation(operation, change),
            None => operations.extend(new_operation(change)),
        }
    }
    for operation in &mut operations {
        operation.time_zone = zone.clone();
    }
    prune(&mut operations);
    operations
}

/// Returns the site's events. Changes to unknown events are ignored.
pub(crate) fn apply_to_events(overlay: &Overlay, events: &[EventKind]) -> Vec<EventKind> {
    let mut events = events.to_vec();
    for change in &overlay.events {
        let Some(event) = events.iter_mut().find(|event| event.id == change.id) else { continue };
        event.provenance = change.provenance.clone();
        replace_fields(&mut event.fields, &change.fields, false);
    }
    events
}

fn new_operation(change: &OperationOverlay) -> Option<Operation> {
    let adds = change.adds.as_ref()?;
    let mut operation = Operation {
        id: change.id.clone(),
        area: adds.area.clone(),
        area_names: same_in_all_languages(&adds.area),
        kind: adds.kind,
        method: String::new(),
        path: String::new(),
        paged: false,
        paging: Default::default(),
        purpose: adds.purpose.clone(),
        names: adds.names.clone(),
        provenance: change.provenance.clone(),
        statements: Vec::new(),
        parameters: Vec::new(),
        request: matches!(adds.kind, OperationKind::Sync | OperationKind::Delete).then(RowSchema::default),
        answer: (adds.kind == OperationKind::Read).then(RowSchema::default),
        batch: Default::default(),
        key: Vec::new(),
        read_back: None,
        pictures: Vec::new(),
        cleanup: None,
        counts: Default::default(),
        absent: Operation::DEFAULT_ABSENT_STATUSES.to_vec(),
        is_repeatable: true,
        list_effects: Default::default(),
        total: None,
        nouns: None,
        batch_size: if matches!(adds.kind, OperationKind::Sync | OperationKind::Delete) {
            Operation::DEFAULT_BATCH_SIZE
        } else {
            0
        },
        untried: false,
        time_zone: TimeZone::UTC,
    };
    replace_operation(&mut operation, change);
    (!operation.method.is_empty() && !operation.path.is_empty()).then_some(operation)
}

fn replace_operation(operation: &mut Operation, change: &OperationOverlay) {
    operation.provenance = change.provenance.clone();
    if let Some(method) = &change.method {
        operation.method = method.to_uppercase();
        set_statement(operation, StatementAbout::Method, &change.provenance);
    }
    if let Some(path) = &change.path {
        operation.path.clone_from(path);
        set_statement(operation, StatementAbout::Path, &change.provenance);
    }
    if let Some(parameters) = &change.parameters {
        operation.parameters =
            parameters.iter().map(|change| replace_parameter(&operation.parameters, change)).collect();
    }
    if let Some(paging) = &change.paging {
        operation.paged = paging.paging.is_some();
        operation.paging = paging.paging.clone().unwrap_or_default();
    }
    if let (Some(shape), Some(change)) = (&mut operation.request, &change.request) {
        replace_shape(shape, change);
    }
    if let (Some(shape), Some(change)) = (&mut operation.answer, &change.answer) {
        replace_shape(shape, change);
    }
    if let Some(batch) = &change.batch {
        operation.batch.clone_from(batch);
    }
    if let Some(key) = &change.key {
        operation.key.clone_from(key);
    }
    if let Some(batch_size) = change.batch_size {
        operation.batch_size = batch_size;
    }
    assign_if_some(&mut operation.untried, change.untried.as_ref());
}

fn set_statement(operation: &mut Operation, about: StatementAbout, provenance: &Provenance) {
    operation.statements.retain(|statement| statement.about != about);
    operation.statements.push(Statement { about, at: String::new(), provenance: provenance.clone() });
}

fn replace_parameter(known: &[Parameter], change: &ParameterOverlay) -> Parameter {
    let mut parameter = known.iter().find(|known| known.name == change.name).cloned().unwrap_or_else(|| Parameter {
        name: change.name.clone(),
        wire: None,
        form: ValueForm::default(),
        place: ParameterPlace::Query,
        kind: FieldKind::Text,
        required: false,
        names: same_in_all_languages(&change.name),
        narrows: None,
        span: None,
        provenance: change.provenance.clone(),
        assumed: Default::default(),
    });
    parameter.provenance = change.provenance.clone();
    parameter.assumed.clear();
    parameter.wire = change.wire.clone().filter(|wire| *wire != change.name);
    assign_if_some(&mut parameter.place, change.place.as_ref());
    assign_if_some(&mut parameter.kind, change.kind.as_ref());
    assign_if_some(&mut parameter.form, change.form.as_ref());
    assign_if_some(&mut parameter.required, change.required.as_ref());
    assign_if_some(&mut parameter.names, change.names.as_ref());
    parameter
}

fn replace_shape(shape: &mut RowSchema, change: &ShapeOverlay) {
    assign_if_some(&mut shape.member, change.member.as_ref());
    assign_if_some(&mut shape.schema, change.schema.as_ref());
    replace_fields(&mut shape.fields, &change.fields, change.complete);
    let fields = &shape.fields;
    shape.rules.retain(|rule| rule.fields().iter().all(|name| fields.iter().any(|field| field.name == *name)));
}

fn replace_fields(fields: &mut Vec<Field>, changes: &[FieldOverlay], complete: bool) {
    if complete {
        fields.retain(|field| changes.iter().any(|change| change.name == field.name));
    }
    for change in changes {
        if change.gone {
            fields.retain(|field| field.name != change.name);
            continue;
        }
        match fields.iter_mut().find(|field| field.name == change.name) {
            Some(field) => replace_field(field, change),
            None => {
                let mut field = new_field(change);
                replace_field(&mut field, change);
                fields.push(field);
            }
        }
    }
}

fn replace_field(field: &mut Field, change: &FieldOverlay) {
    field.provenance = change.provenance.clone();
    field.assumed.clear();
    if change.wire.is_some() {
        field.wire = change.wire.clone().filter(|wire| *wire != field.name);
    }
    assign_if_some(&mut field.kind, change.kind.as_ref());
    assign_if_some(&mut field.form, change.form.as_ref());
    assign_if_some(&mut field.required, change.required.as_ref());
    assign_if_some(&mut field.nullable, change.nullable.as_ref());
    assign_if_some(&mut field.limits, change.limits.as_ref());
    assign_if_some(&mut field.names, change.names.as_ref());
    if change.example.is_some() {
        field.example.clone_from(&change.example);
    }
    replace_fields(&mut field.fields, &change.fields, change.complete);
}

fn new_field(change: &FieldOverlay) -> Field {
    Field {
        name: change.name.clone(),
        wire: None,
        form: ValueForm::default(),
        kind: FieldKind::Text,
        required: false,
        nullable: true,
        names: same_in_all_languages(&change.name),
        synonyms: Vec::new(),
        limits: Limits::default(),
        labels: Default::default(),
        example: None,
        provenance: change.provenance.clone(),
        assumed: Default::default(),
        refers_to: None,
        reference_checks: Vec::new(),
        fields: Vec::new(),
    }
}

fn same_in_all_languages(text: &str) -> Names {
    Names { en: text.to_owned(), de: text.to_owned(), es: text.to_owned(), pt: text.to_owned() }
}

fn assign_if_some<T: Clone>(target: &mut T, value: Option<&T>) {
    if let Some(value) = value {
        target.clone_from(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_proves_what_was_observed_and_nothing_twice() {
        let provenance = |level| Provenance { level, source: "before".to_owned() };
        let mut operation = OperationOverlay::new("sync", provenance(ProvenanceLevel::Site));
        operation.untried = Some(true);
        let fields = vec![FieldOverlay::new("code", provenance(ProvenanceLevel::Observed))];
        operation.request = Some(ShapeOverlay { fields, ..ShapeOverlay::default() });
        let overlay = Overlay { operations: vec![operation], ..Overlay::default() };
        let tried = overlay.mark_tried("sync").unwrap();
        let operation = &tried.operations[0];
        assert_eq!((operation.untried, operation.provenance.source.as_str()), (Some(false), "before"));
        assert_eq!(operation.request.as_ref().unwrap().fields[0].provenance.source, TRIAL_SOURCE);
        assert!(tried.mark_tried("sync").is_none() && overlay.mark_tried("other").is_none());
    }
}
