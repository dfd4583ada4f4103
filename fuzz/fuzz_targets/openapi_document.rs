//! Reads a site's document, and resolves the schemas of its operations. Neither may panic or run forever.

#![no_main]

use libfuzzer_sys::fuzz_target;
use takt_openapi::{Document, document::SchemaPointer, schema::Schema};

/// The maximum depth to which members of an operation's schema are resolved.
const MAX_DEPTH: usize = 4;

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = Document::read(bytes) else { return };
    for operation in document.operations().iter().chain(document.webhooks()) {
        let answers = operation.responses.iter().filter_map(|answer| answer.schema.as_ref());
        let parameters = operation.parameters.iter().filter_map(|parameter| parameter.schema.as_ref());
        let pointers: Vec<&SchemaPointer> = operation.request.iter().chain(answers).chain(parameters).collect();
        for pointer in pointers {
            resolve(&document, &document.schema(pointer), MAX_DEPTH);
        }
    }
});

fn resolve(document: &Document, schema: &Schema<'_>, depth: usize) {
    if depth == 0 {
        return;
    }
    let members = schema.members.iter().map(|member| &member.node);
    for node in members.chain(&schema.items).chain(&schema.values) {
        resolve(document, &document.resolve(node), depth - 1);
    }
}
