//! The list of samples, `samples.json`: the operation of each file and its wrong rows. Tests of other crates read it.

use serde::Serialize;

use super::{SEED, SampleFile, SamplesError};

pub(super) const FILE: &str = "samples.json";

#[derive(Serialize)]
struct Manifest<'a> {
    seed: u64,
    samples: &'a [SampleFile],
}

pub(super) fn bytes(samples: &[SampleFile]) -> Result<Vec<u8>, SamplesError> {
    let mut bytes = serde_json::to_vec_pretty(&Manifest { seed: SEED, samples })?;
    bytes.push(b'\n');
    Ok(bytes)
}
