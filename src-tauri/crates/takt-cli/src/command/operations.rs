//! `takt operations` and `takt contract show`: what the service can do, and who says so.

use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    console::Console,
    ending::{Ending, Failure},
    session,
};

pub(super) fn show(json: bool, console: &Console) -> Result<Ending, Failure> {
    let engine = session::engine(console)?;
    let operations = engine.contract().operations();
    if json {
        for operation in operations {
            let shape = operation.request.as_ref().or(operation.answer.as_ref());
            let flat = shape.map(|shape| shape.flat()).unwrap_or_default();
            let fields: Vec<Value> = flat
                .into_iter()
                .map(|(path, field)| {
                    json!({
                        "name": path,
                        "type": field.kind,
                        "required": field.required,
                        "provenance": field.provenance.level,
                    })
                })
                .collect();
            let parameters: Vec<Value> = operation
                .parameters
                .iter()
                .map(|parameter| {
                    json!({
                        "name": parameter.name,
                        "in": parameter.place,
                        "type": parameter.kind,
                        "required": parameter.required,
                        "provenance": parameter.provenance.level,
                    })
                })
                .collect();
            console.json(&json!({
                "id": operation.id,
                "area": operation.area,
                "kind": operation.kind,
                "method": operation.method,
                "path": operation.path,
                "provenance": operation.provenance.level,
                "source": operation.provenance.source,
                "purpose": operation.purpose,
                "paged": operation.paged,
                "key": operation.key,
                "batchSize": operation.batch_size,
                "parameters": parameters,
                "fields": fields,
            }));
        }
        return Ok(Ending::Done);
    }
    let mut rows = vec![
        ["id", "kind", "method", "path", "provenance"]
            .map(|key| console.texts.text(&format!("operations.{key}"), &[]))
            .to_vec(),
    ];
    rows.extend(operations.iter().map(|operation| {
        vec![
            operation.id.clone(),
            name(operation.kind),
            operation.method.clone(),
            operation.path.clone(),
            name(operation.provenance.level),
        ]
    }));
    console.table(&rows);
    Ok(Ending::Done)
}

pub(super) fn show_contract(console: &Console) -> Result<Ending, Failure> {
    let engine = session::engine(console)?;
    console.line(&format!("{:#}", engine.contract().document()));
    Ok(Ending::Done)
}

/// A name as it stands in the contract document.
fn name(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        Ok(_) | Err(_) => String::new(),
    }
}
