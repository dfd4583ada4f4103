//! Prints the differences between two contracts.

use serde_json::{Value, json};
use takt_engine::{
    contract::{AssumptionDifference, DifferenceKind, OperationDifference},
    contracts::ContractDifferences,
};

use crate::console::{Console, sanitize};

/// Prints the differences of operations and of assumptions.
pub(super) fn print_all_differences(differences: &ContractDifferences, json: bool, console: &Console) {
    print_differences(&differences.operations, json, console);
    print_assumptions(&differences.assumptions, json, console);
}

/// Prints each changed operation with its parts and the number of changed fields.
pub(super) fn print_differences(differences: &[OperationDifference], json: bool, console: &Console) {
    if json {
        for difference in differences {
            let mut line = json!(difference);
            line["type"] = json!("difference");
            console.print_json(&line);
        }
        return;
    }
    for difference in differences {
        let parts = difference.parts.iter().map(|part| {
            let (before, after) = (sanitize(&part.before), sanitize(&part.after));
            format!("  {}: {before} → {after}", json!(part.part).as_str().unwrap_or_default())
        });
        let count = |kind: DifferenceKind| difference.fields.iter().filter(|field| field.kind == kind).count();
        let parameters = [
            ("operation", sanitize(&difference.id)),
            ("added", count(DifferenceKind::Added).to_string()),
            ("changed", count(DifferenceKind::Changed).to_string()),
            ("gone", count(DifferenceKind::Gone).to_string()),
        ];
        console.print_text("contract.difference", &parameters);
        parts.for_each(|part| console.print_line(&part));
    }
}

/// Prints each changed assumption with its values before and afterwards.
pub(super) fn print_assumptions(differences: &[AssumptionDifference], json: bool, console: &Console) {
    for difference in differences {
        if json {
            let mut line = json!(difference);
            line["type"] = json!("assumption");
            console.print_json(&line);
            continue;
        }
        let value =
            |value: &Option<Value>| value.as_ref().map(|value| sanitize(&value.to_string())).unwrap_or_default();
        console.print_text(
            "contract.assumption",
            &[("assumption", sanitize(&difference.id)), ("subject", sanitize(&difference.subject))],
        );
        console.print_line(&format!("  {} → {}", value(&difference.before), value(&difference.after)));
    }
}
