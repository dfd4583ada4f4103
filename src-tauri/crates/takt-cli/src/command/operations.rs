//! `takt operations`: the service's operations and assumptions, with their sources.

use std::sync::Arc;

use serde_json::{Value, json};
use takt_engine::{
    Engine,
    contract::{Assumption, Contract, Operation, ProvenanceLevel, Statement},
    serialized_name,
};

use crate::{
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    session,
};

pub(super) fn run(assumptions: bool, json: bool, site: Option<&str>, console: &Console) -> Result<ExitStatus, Failure> {
    let engine = session::open_local_engine(console)?;
    let contract = contract_at(&engine, site)?;
    if assumptions {
        contract.assumptions().iter().for_each(|assumption| print_assumption(assumption, json, console));
        return Ok(ExitStatus::Done);
    }
    let operations = contract.operations();
    if json {
        for operation in operations {
            let shape = operation.request.as_ref().or(operation.answer.as_ref());
            let flat = shape.map(|shape| shape.fields_with_paths()).unwrap_or_default();
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
            console.print_json(&json!({
                "id": operation.id,
                "area": operation.area,
                "kind": operation.kind,
                "method": operation.method,
                "path": operation.path,
                "provenance": operation.provenance.level,
                "source": operation.provenance.source,
                "statements": operation.statements.iter().map(statement_json).collect::<Vec<_>>(),
                "purpose": operation.purpose,
                "paged": operation.paged,
                "key": operation.key,
                "batchSize": operation.batch_size,
                "untried": operation.untried,
                "parameters": parameters,
                "fields": fields,
            }));
        }
        return Ok(ExitStatus::Done);
    }
    let mut rows = vec![
        ["id", "kind", "method", "path", "provenance"]
            .map(|key| console.texts.text(&format!("operations.{key}"), &[]))
            .to_vec(),
    ];
    rows.extend(operations.iter().map(|operation| {
        vec![
            operation.id.clone(),
            serialized_name(operation.kind),
            operation.method.clone(),
            operation.path.clone(),
            provenance_text(operation),
        ]
    }));
    console.print_table(&rows);
    Ok(ExitStatus::Done)
}

/// Prints an assumption with its decision, value and source.
fn print_assumption(assumption: &Assumption, json: bool, console: &Console) {
    let Assumption { id, subject, decision, value, provenance } = assumption;
    if json {
        return console.print_json(&json!({
            "id": id,
            "subject": subject,
            "decision": decision,
            "value": value,
            "provenance": provenance.level,
            "source": provenance.source,
        }));
    }
    console.print_line(&format!("{} ({})", sanitize(id), serialized_name(provenance.level)));
    console.print_line(&format!("  {}", sanitize(subject)));
    console.print_line(&format!("  {}", sanitize(decision)));
    if let Some(value) = value {
        console.print_line(&format!("  {}", sanitize(&value.to_string())));
    }
    console.print_line(&format!("  {}", sanitize(&provenance.source)));
}

/// Returns the contract in force at a site, or the built-in contract without a site.
pub(super) fn contract_at(engine: &Engine, site: Option<&str>) -> Result<Arc<Contract>, Failure> {
    let Some(site) = site else { return Ok(Arc::clone(engine.sites().builtin_contract())) };
    engine.sites().find(site)?;
    Ok(engine.sites().contract(site)?)
}

fn statement_json(statement: &Statement) -> Value {
    let Statement { about, at, provenance } = statement;
    let mut shown = json!({ "about": about, "provenance": provenance.level, "source": provenance.source });
    if !at.is_empty() {
        shown["at"] = json!(at);
    }
    shown
}

/// Returns an operation's provenance. If only some of its statements are assumed, lists them.
fn provenance_text(operation: &Operation) -> String {
    let overall = operation.statements.iter().filter(|statement| statement.at.is_empty());
    let (assumed, other): (Vec<_>, Vec<_>) =
        overall.partition(|statement| statement.provenance.level == ProvenanceLevel::Assumed);
    let level = serialized_name(operation.provenance.level);
    if assumed.is_empty() || other.is_empty() {
        return level;
    }
    let parts: Vec<String> = assumed.iter().map(|statement| serialized_name(statement.about)).collect();
    format!("{} ({})", serialized_name(ProvenanceLevel::Assumed), parts.join(", "))
}
