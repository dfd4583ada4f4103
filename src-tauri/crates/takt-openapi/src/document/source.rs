//! Decodes bytes to text and parses it as one JSON value, with limits. serde_json reads JSON, serde-saphyr reads YAML.

use serde_json::Value;
use serde_saphyr::{DuplicateKeyPolicy, Error as YamlError};

use crate::{
    DocumentError,
    error::ComplexPart,
    limits::{MAX_ALIAS_EVENTS, MAX_BYTES, MAX_DEPTH, MAX_NODES},
};

/// Decodes a document in UTF-8 or UTF-16. Windows shells write UTF-16.
pub(super) fn decode(bytes: &[u8]) -> Result<String, DocumentError> {
    if bytes.len() > MAX_BYTES {
        return Err(DocumentError::TooLarge { bytes: bytes.len(), limit: MAX_BYTES });
    }
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => decode_utf16(rest, u16::from_le_bytes)?,
        [0xfe, 0xff, rest @ ..] => decode_utf16(rest, u16::from_be_bytes)?,
        [0xef, 0xbb, 0xbf, rest @ ..] => decode_utf8(rest)?,
        all => decode_utf8(all)?,
    };
    if text.contains('\0') { Err(DocumentError::NotText) } else { Ok(text) }
}

fn decode_utf8(bytes: &[u8]) -> Result<String, DocumentError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| DocumentError::NotText)
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, DocumentError> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(DocumentError::NotText);
    }
    char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .collect::<Result<String, _>>()
        .map_err(|_| DocumentError::NotText)
}

/// Parses the text as JSON or YAML.
pub(super) fn parse(text: &str) -> Result<Value, DocumentError> {
    match text.trim_start().chars().next() {
        Some('{') => parse_json(text),
        // An HTML page instead of a document.
        Some('<') | None => Err(DocumentError::NotOpenApi),
        Some(_) => parse_yaml(text),
    }
}

fn parse_json(text: &str) -> Result<Value, DocumentError> {
    serde_json::from_str(text).map_err(|error| {
        let reason = error.to_string();
        if reason.starts_with("recursion limit exceeded") {
            return DocumentError::TooComplex { part: ComplexPart::Depth, limit: MAX_DEPTH };
        }
        let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason).to_owned();
        DocumentError::Syntax { line: error.line() as u64, column: error.column() as u64, reason }
    })
}

fn parse_yaml(text: &str) -> Result<Value, DocumentError> {
    let budget = serde_saphyr::budget! {
        max_depth: MAX_DEPTH,
        flow_nesting_limit: MAX_DEPTH,
        max_nodes: MAX_NODES,
        max_events: 2 * MAX_NODES,
        max_documents: 1,
        max_total_scalar_bytes: 2 * MAX_BYTES,
        max_recorded_anchor_bytes: MAX_BYTES,
        enforce_alias_anchor_ratio: false,
    };
    let options = serde_saphyr::options! {
        budget: budget,
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_ALIAS_EVENTS },
        strict_booleans: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| yaml_error(&error))
}

fn yaml_error(error: &YamlError) -> DocumentError {
    use serde_saphyr::budget::BudgetBreach;
    let location = error.location();
    let mut cause = error.without_snippet();
    while let YamlError::AliasError { error, .. } = cause {
        cause = error;
    }
    match cause {
        YamlError::Budget { breach: BudgetBreach::Depth { .. }, .. } => {
            DocumentError::TooComplex { part: ComplexPart::Depth, limit: MAX_DEPTH }
        }
        YamlError::Budget { .. }
        | YamlError::AliasReplayLimitExceeded { .. }
        | YamlError::AliasExpansionLimitExceeded { .. }
        | YamlError::AliasReplayStackDepthExceeded { .. } => {
            DocumentError::TooComplex { part: ComplexPart::Nodes, limit: MAX_NODES }
        }
        other => {
            let line = location.map_or(1, |location| location.line());
            let column = location.map_or(1, |location| location.column());
            DocumentError::Syntax { line, column, reason: other.to_string() }
        }
    }
}
