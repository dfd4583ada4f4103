//! The list of samples, `samples.json`: the operation of each file and its wrong rows. Tests of other crates read it.

use serde::Serialize;

use super::{dice::SEED, error::SamplesError, mistake::Mistake};

pub(super) const FILE: &str = "samples.json";

/// A written file, and the mistakes that a reader must find.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SampleFile {
    pub(crate) file: String,
    pub(crate) operation: &'static str,
    /// The language of the headings, or `sap` for the technical names of an SAP export.
    pub(crate) language: &'static str,
    /// Absent for text files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sheet: Option<&'static str>,
    /// The header row, 1-based as in Excel.
    pub(crate) heading_row: u32,
    /// The number of rows below the header row.
    pub(crate) rows: usize,
    pub(crate) wrong: Vec<Mistake>,
}

#[derive(Serialize)]
struct Manifest<'a> {
    seed: u64,
    samples: &'a [SampleFile],
}

pub(super) fn build(samples: &[SampleFile]) -> Result<Vec<u8>, SamplesError> {
    let mut bytes = serde_json::to_vec_pretty(&Manifest { seed: SEED, samples })?;
    bytes.push(b'\n');
    Ok(bytes)
}
