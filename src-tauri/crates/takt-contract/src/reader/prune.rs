//! Removes references to fields that a site doesn't have, since they would have no effect.

use super::integrity;
use crate::{
    Field, Operation, RowSchema,
    picture::{Picture, PictureKind},
};

/// Removes all keys, references, rules, read-backs, charts, cleanups and totals that name a missing field or operation.
pub(crate) fn prune(operations: &mut [Operation]) {
    for operation in operations.iter_mut() {
        prune_key_and_parameters(operation);
    }
    let known = operations.to_vec();
    for operation in operations.iter_mut() {
        prune_request(operation, &known);
        prune_read_back(operation, &known);
        prune_pictures(operation, &known);
    }
    // Charts and cleanups depend on other operations, so they are checked after those were pruned.
    let known = operations.to_vec();
    for operation in operations.iter_mut() {
        prune_pictures(operation, &known);
        prune_cleanup(operation, &known);
    }
}

fn prune_key_and_parameters(operation: &mut Operation) {
    let shape = operation.request.as_ref().or(operation.answer.as_ref());
    if let Some(shape) = shape {
        operation.key.retain(|name| has_field(shape, name));
    }
    let rows = operation.answer.as_ref();
    for parameter in &mut operation.parameters {
        parameter.narrows = parameter.narrows.take().filter(|name| rows.is_some_and(|rows| has_field(rows, name)));
    }
    if let (Some(total), Some(shape)) = (&operation.total, &operation.request)
        && integrity::check_total(total, shape).is_err()
    {
        operation.total = None;
    }
}

fn has_field(shape: &RowSchema, name: &str) -> bool {
    shape.fields.iter().any(|field| field.name == name)
}

fn prune_request(operation: &mut Operation, known: &[Operation]) {
    let Some(shape) = &mut operation.request else { return };
    let unpruned = shape.clone();
    prune_fields(&mut shape.fields, &unpruned, known);
}

fn prune_fields(fields: &mut [Field], shape: &RowSchema, known: &[Operation]) {
    for field in fields {
        field.refers_to =
            field.refers_to.take().filter(|refers_to| integrity::check_reference(known, shape, refers_to).is_ok());
        let unchanged = field.clone();
        field.reference_checks.retain(|check| integrity::check_rule(known, shape, check, &unchanged).is_ok());
        prune_fields(&mut field.fields, shape, known);
    }
}

fn prune_read_back(operation: &mut Operation, known: &[Operation]) {
    let (Some(mut read_back), Some(shape)) = (operation.read_back.take(), &operation.request) else { return };
    let list = known.iter().find(|operation| operation.id == read_back.list);
    let has_parameter =
        |name: &str| list.is_some_and(|list| list.parameters.iter().any(|parameter| parameter.name == name));
    read_back.asks.retain(|asks| has_parameter(&asks.parameter) && has_field(shape, &asks.own));
    read_back.lists.retain(|list| {
        let parts = shape.fields.iter().find(|field| field.name == list.list).map(|field| field.fields.as_slice());
        parts.is_some_and(|parts| parts.iter().any(|part| part.name == list.key))
    });
    // A key field that neither requests nor rows have can't distinguish items.
    let rows = list.and_then(|list| list.answer.as_ref());
    read_back.key.retain(|pair| has_field(shape, &pair.own) || rows.is_some_and(|rows| has_field(rows, &pair.theirs)));
    read_back.every.retain(|own| read_back.key.iter().any(|pair| pair.own == *own));
    operation.read_back =
        Some(read_back).filter(|read_back| integrity::check_read_back(known, read_back, shape).is_ok());
}

fn prune_pictures(operation: &mut Operation, known: &[Operation]) {
    let Some(rows) = operation.answer.clone() else { return };
    let pictures = std::mem::take(&mut operation.pictures);
    operation.pictures = pictures.into_iter().filter_map(|picture| prune_picture(picture, &rows, known)).collect();
}

/// Removes optional roles one by one until the chart is valid. None if it never is.
fn prune_picture(mut picture: Picture, rows: &RowSchema, known: &[Operation]) -> Option<Picture> {
    let optional: [fn(&mut PictureKind); 6] = [
        |_| {},
        |draw| {
            if let PictureKind::Plan { moves, .. } = draw {
                *moves = None
            }
        },
        |draw| {
            if let PictureKind::Plan { calendar, .. } = draw {
                *calendar = None
            }
        },
        |draw| {
            if let PictureKind::Plan { status, .. } = draw {
                *status = None
            }
        },
        |draw| {
            if let PictureKind::Plan { real, .. } = draw {
                *real = None
            }
        },
        |draw| {
            if let PictureKind::Calendar { stoppages, .. } = draw {
                *stoppages = None
            }
        },
    ];
    for remove_role in optional {
        remove_role(&mut picture.draw);
        if integrity::check_picture(known, rows, &picture).is_ok() {
            return Some(picture);
        }
    }
    None
}

fn prune_cleanup(operation: &mut Operation, known: &[Operation]) {
    let Some(mut cleanup) = operation.cleanup.take() else { return };
    cleanup.users.retain(|user| integrity::check_template_user(known, user).is_ok());
    if integrity::check_cleanup(known, operation, &cleanup).is_ok() {
        operation.cleanup = Some(cleanup);
    }
}
