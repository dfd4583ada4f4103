//! Documents changed at random, from a printed seed. The reader never panics and always ends.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use takt_openapi::{Document, document::SchemaPointer, schema::Schema};

const ROUNDS: usize = 400;
const DOCUMENTS: [&str; 4] = [
    include_str!("../../documents/swashbuckle-small.json"),
    include_str!("../../documents/nswag-small.json"),
    include_str!("../../documents/aspnet-small.json"),
    include_str!("../../documents/anchors.yaml"),
];
/// JSON texts that replace random values.
const REPLACEMENTS: [&str; 16] = [
    "null",
    "[]",
    "{}",
    "7",
    "-1e999",
    "\"$ref\"",
    "*a",
    "&a",
    "<<",
    "#/",
    "\"#/components/schemas/WorkOrderDto\"",
    "{\"$ref\":\"#\"}",
    "true",
    ":",
    ",",
    "\u{1f600}",
];

#[test]
fn changed_documents_are_read_or_refused() {
    let mut random = crate::seeded_random();
    for round in 0..ROUNDS {
        let mut bytes = DOCUMENTS[round % DOCUMENTS.len()].as_bytes().to_vec();
        for _ in 0..random.random_range(1..6) {
            change_bytes(&mut bytes, &mut random);
        }
        if let Ok(document) = Document::read(&bytes) {
            resolve_all_schemas(&document);
        }
    }
}

fn change_bytes(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    let at = random.random_range(0..bytes.len());
    let end = (at + random.random_range(0..40)).min(bytes.len());
    match random.random_range(0..4) {
        0 => bytes[at] = random.random(),
        1 => drop(bytes.drain(at..end)),
        2 => {
            let copy = bytes[at..end].to_vec();
            let to = random.random_range(0..bytes.len());
            bytes.splice(to..to, copy);
        }
        _ => {
            let piece = REPLACEMENTS[random.random_range(0..REPLACEMENTS.len())];
            bytes.splice(at..end.min(at + 6), piece.bytes());
        }
    }
}

/// Resolves all schemas of the operations, a few levels deep.
fn resolve_all_schemas(document: &Document) {
    for operation in document.operations().iter().chain(document.webhooks()) {
        let answers = operation.responses.iter().filter_map(|answer| answer.schema.as_ref());
        let parameters = operation.parameters.iter().filter_map(|parameter| parameter.schema.as_ref());
        let pointers: Vec<&SchemaPointer> = operation.request.iter().chain(answers).chain(parameters).collect();
        for pointer in pointers {
            resolve_parts(document, &document.schema(pointer), 4);
        }
    }
}

fn resolve_parts(document: &Document, schema: &Schema<'_>, depth: usize) {
    if depth == 0 {
        return;
    }
    let members = schema.members.iter().map(|member| &member.node);
    for node in members.chain(&schema.items).chain(&schema.values) {
        resolve_parts(document, &document.resolve(node), depth - 1);
    }
}
