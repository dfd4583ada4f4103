//! Random secrets (tokens, codes, keys), and their comparison without a timing leak.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

use crate::PlantError;

/// Returns 256 random bits as URL-safe text.
pub(crate) fn generate() -> Result<String, PlantError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(PlantError::Random)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Returns a digest to store instead of a secret.
pub(crate) fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// Returns the S256 code challenge of a PKCE verifier.
pub(crate) fn code_challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

/// Compares digests, so that the duration reveals nothing about the secret.
pub(crate) fn are_equal(left: &str, right: &str) -> bool {
    Sha256::digest(left) == Sha256::digest(right)
}
