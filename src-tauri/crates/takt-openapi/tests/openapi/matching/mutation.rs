//! Documents changed at random, from a printed seed. Matching, proposing and applying never panic and always end.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use takt_openapi::{Document, export, matching::match_operations, proposal::propose_overlay};

use super::{SECOND_PLANT, contract};

const ROUNDS: usize = 30;
/// The maximum number of changes. With more, hardly any document can be read.
const MAX_CHANGES: usize = 8;

#[test]
fn changed_documents_are_matched_within_bounds() {
    let mut random = crate::seeded_random();
    let contract = contract();
    let documents = [
        Document::read(SECOND_PLANT).unwrap().value().clone(),
        contract.document().clone(),
        export::document(&contract),
    ];
    for round in 0..ROUNDS {
        let mut value = documents[round % documents.len()].clone();
        for _ in 0..random.random_range(1..=MAX_CHANGES) {
            change_random_value(&mut value, &mut random);
        }
        let Ok(document) = Document::read(value.to_string().as_bytes()) else { continue };
        let proposal = propose_overlay(&document, &match_operations(&document, &contract), &contract);
        let exported = export::document(&contract.with_overlay(&proposal.overlay, &jiff::tz::TimeZone::UTC));
        assert!(exported.is_object());
    }
}

/// Replaces or removes a random value within `value`.
fn change_random_value(value: &mut Value, random: &mut ChaCha8Rng) {
    let deeper = random.random_range(0..12) > 0;
    match value {
        Value::Object(members) if deeper && !members.is_empty() => {
            let index = random.random_range(0..members.len());
            if random.random_range(0..40) == 0 {
                let name = members.keys().nth(index).unwrap().clone();
                members.remove(&name);
            } else {
                change_random_value(members.values_mut().nth(index).unwrap(), random);
            }
        }
        Value::Array(parts) if deeper && !parts.is_empty() => {
            let index = random.random_range(0..parts.len());
            change_random_value(&mut parts[index], random);
        }
        other => *other = random_value(random),
    }
}

fn random_value(random: &mut ChaCha8Rng) -> Value {
    match random.random_range(0..8) {
        0 => Value::Null,
        1 => Value::from(random.random_range(-5..5)),
        2 => Value::from("array"),
        3 => serde_json::json!({ "type": "array", "items": { "type": "object", "properties": { "a": {} } } }),
        4 => serde_json::json!({ "$ref": "#/components/schemas/ProductionOrderDto" }),
        5 => serde_json::json!({ "allOf": [{ "$ref": "#/components/schemas/ArticleDto" }, true], "nullable": true }),
        6 => Value::from(true),
        _ => serde_json::json!([]),
    }
}
