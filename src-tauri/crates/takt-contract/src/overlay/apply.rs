//! Applies an overlay to the operations and events of a contract.

use jiff::tz::TimeZone;

use super::differences::{FieldOverlay, OperationOverlay, Overlay, ParameterOverlay, ShapeOverlay};
use crate::{
    EventKind, Field, FieldKind, Limits, Names, Operation, OperationKind, Parameter, ParameterPlace, Provenance, Shape,
    Statement, StatementAbout, form::ValueForm, reader::prune,
};

/// Returns the operations of the site. Changes to unknown operations are ignored: the overlay may come from another
/// version of Takt.
pub(crate) fn apply(overlay: &Overlay, operations: &[Operation], zone: &TimeZone) -> Vec<Operation> {
    let mut operations = operations.to_vec();
    for change in &overlay.operations {
        match operations.iter_mut().find(|operation| operation.id == change.id) {
            Some(operation) => replace(operation, change),
            None => operations.extend(added(change)),
        }
    }
    for operation in &mut operations {
        operation.time_zone = zone.clone();
    }
    prune(&mut operations);
    operations
}

/// Returns the events of the site.
pub(crate) fn apply_to_events(overlay: &Overlay, events: &[EventKind]) -> Vec<EventKind> {
    let mut events = events.to_vec();
    for change in &overlay.events {
        let Some(event) = events.iter_mut().find(|event| event.id == change.id) else { continue };
        event.provenance = change.provenance.clone();
        replace_fields(&mut event.fields, &change.fields, false);
    }
    events
}

fn added(change: &OperationOverlay) -> Option<Operation> {
    let adds = change.adds.as_ref()?;
    let names =
        |text: &str| Names { en: text.to_owned(), de: text.to_owned(), es: text.to_owned(), pt: text.to_owned() };
    let mut operation = Operation {
        id: change.id.clone(),
        area: adds.area.clone(),
        area_names: names(&adds.area),
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
        request: matches!(adds.kind, OperationKind::Sync | OperationKind::Delete).then(Shape::default),
        answer: (adds.kind == OperationKind::Read).then(Shape::default),
        batch: Default::default(),
        key: Vec::new(),
        read_back: None,
        pictures: Vec::new(),
        cleanup: None,
        counts: Default::default(),
        absent: Operation::ABSENT.to_vec(),
        is_repeatable: true,
        list_effects: Default::default(),
        total: None,
        nouns: None,
        batch_size: if matches!(adds.kind, OperationKind::Sync | OperationKind::Delete) {
            Operation::BATCH_SIZE
        } else {
            0
        },
        untried: false,
        time_zone: TimeZone::UTC,
    };
    replace(&mut operation, change);
    (!operation.method.is_empty() && !operation.path.is_empty()).then_some(operation)
}

fn replace(operation: &mut Operation, change: &OperationOverlay) {
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
        operation.parameters = parameters.iter().map(|change| parameter(&operation.parameters, change)).collect();
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
    set_if_some(&mut operation.untried, change.untried.as_ref());
}

fn set_statement(operation: &mut Operation, about: StatementAbout, provenance: &Provenance) {
    operation.statements.retain(|statement| statement.about != about);
    operation.statements.push(Statement { about, at: String::new(), provenance: provenance.clone() });
}

fn parameter(known: &[Parameter], change: &ParameterOverlay) -> Parameter {
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
    set_if_some(&mut parameter.place, change.place.as_ref());
    set_if_some(&mut parameter.kind, change.kind.as_ref());
    set_if_some(&mut parameter.form, change.form.as_ref());
    set_if_some(&mut parameter.required, change.required.as_ref());
    set_if_some(&mut parameter.names, change.names.as_ref());
    parameter
}

fn replace_shape(shape: &mut Shape, change: &ShapeOverlay) {
    set_if_some(&mut shape.member, change.member.as_ref());
    set_if_some(&mut shape.schema, change.schema.as_ref());
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
    set_if_some(&mut field.kind, change.kind.as_ref());
    set_if_some(&mut field.form, change.form.as_ref());
    set_if_some(&mut field.required, change.required.as_ref());
    set_if_some(&mut field.nullable, change.nullable.as_ref());
    set_if_some(&mut field.limits, change.limits.as_ref());
    set_if_some(&mut field.names, change.names.as_ref());
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

fn set_if_some<T: Clone>(target: &mut T, value: Option<&T>) {
    if let Some(value) = value {
        target.clone_from(value);
    }
}
