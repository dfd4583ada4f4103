//! Merges two overlays. The later one wins.

use super::differences::{FieldOverlay, OperationOverlay, Overlay, ParameterOverlay, ShapeOverlay};

impl Overlay {
    /// Merges `later` into this overlay. It wins if both differ.
    #[must_use]
    pub fn merged(&self, later: &Self) -> Self {
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
                    event.fields = merged_fields(&event.fields, &change.fields, false);
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
    replace_if_set(&mut operation.adds, &later.adds);
    replace_if_set(&mut operation.method, &later.method);
    replace_if_set(&mut operation.path, &later.path);
    replace_if_set(&mut operation.paging, &later.paging);
    replace_if_set(&mut operation.batch, &later.batch);
    replace_if_set(&mut operation.key, &later.key);
    replace_if_set(&mut operation.batch_size, &later.batch_size);
    replace_if_set(&mut operation.untried, &later.untried);
    match (&mut operation.parameters, &later.parameters) {
        (Some(parameters), Some(later)) => *parameters = merged_parameters(parameters, later),
        (parameters, later) => replace_if_set(parameters, later),
    }
    merge_shape(&mut operation.request, &later.request);
    merge_shape(&mut operation.answer, &later.answer);
}

/// Merges lists of parameters. The later list is complete, so parameters that it doesn't have are removed.
fn merged_parameters(known: &[ParameterOverlay], later: &[ParameterOverlay]) -> Vec<ParameterOverlay> {
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
    let (Some(known), Some(later)) = (shape.as_mut(), later) else { return replace_if_set(shape, later) };
    replace_if_set(&mut known.member, &later.member);
    replace_if_set(&mut known.schema, &later.schema);
    known.fields = merged_fields(&known.fields, &later.fields, later.complete);
    known.complete = known.complete || later.complete;
}

fn merged_fields(known: &[FieldOverlay], later: &[FieldOverlay], complete: bool) -> Vec<FieldOverlay> {
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
    replace_if_set(&mut field.wire, &later.wire);
    replace_if_set(&mut field.kind, &later.kind);
    replace_if_set(&mut field.form, &later.form);
    replace_if_set(&mut field.required, &later.required);
    replace_if_set(&mut field.nullable, &later.nullable);
    replace_if_set(&mut field.limits, &later.limits);
    replace_if_set(&mut field.names, &later.names);
    replace_if_set(&mut field.example, &later.example);
    field.fields = merged_fields(&field.fields, &later.fields, later.complete);
    field.complete = field.complete || later.complete;
}

fn replace_if_set<T: Clone>(target: &mut Option<T>, later: &Option<T>) {
    if later.is_some() {
        target.clone_from(later);
    }
}
