//! Mappings as files, and as they are remembered from one week's file to the next.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::heading::normalised;

/// Which column goes to which field. A file that can be kept beside a workbook and used by `--mapping`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MappingFile {
    pub operation: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// 1-based, as Excel shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header_row: Option<u32>,
    /// Heading to field path. A heading that isn't named here stays unmatched.
    pub columns: BTreeMap<String, String>,
}

/// What headings have in common from week to week: their names, in any order.
pub(super) fn fingerprint(headings: &[String]) -> String {
    let mut names: Vec<String> = headings.iter().map(|heading| normalised(heading)).collect();
    names.sort();
    Sha256::digest(names.join("\n")).iter().map(|byte| format!("{byte:02x}")).collect()
}
