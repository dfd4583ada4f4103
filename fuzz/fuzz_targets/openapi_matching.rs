//! Reads a site's document, matches it with the contract, and applies the proposed overlay. The exported document must
//! be readable.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use takt_contract::Contract;
use takt_openapi::{Document, export, matching::match_operations, proposal::propose_overlay};

static CONTRACT: LazyLock<Contract> = LazyLock::new(|| Contract::builtin().expect("the built-in contract is read"));

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = Document::read(bytes) else { return };
    let proposal = propose_overlay(&document, &match_operations(&document, &CONTRACT), &CONTRACT);
    let exported = export::document(&CONTRACT.with_overlay(&proposal.overlay, &jiff::tz::TimeZone::UTC));
    Document::read(exported.to_string().as_bytes()).expect("what is exported can be read");
});
