//! Tests of the contract document and its types against the specification and hand-written JSON.
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

mod codec;
mod codec_round_trip;
mod document;
mod overlay;
mod picture;
mod reader;
mod reference_checks;
mod specification;
mod wire;

use serde_json::Value;
use takt_contract::Contract;

/// Returns the built-in contract's document.
fn document() -> Value {
    Contract::builtin().unwrap().document().clone()
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}
