//! The list of samples beside them: what each file is for, and which rows a reader must stop at. Tests of other crates read it.

use serde::Serialize;

use super::{SEED, SamplesError, Written};

pub(super) const FILE: &str = "samples.json";

#[derive(Serialize)]
struct Manifest<'a> {
    seed: u64,
    samples: &'a [Written],
}

pub(super) fn bytes(samples: &[Written]) -> Result<Vec<u8>, SamplesError> {
    let mut bytes = serde_json::to_vec_pretty(&Manifest { seed: SEED, samples })?;
    bytes.push(b'\n');
    Ok(bytes)
}
