//! Generates random secrets (tokens, codes and keys), and compares them without revealing them by timing.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

use crate::PlantError;

/// Returns 256 random bits as URL-safe base64.
pub(crate) fn generate() -> Result<String, PlantError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(PlantError::Random)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Returns the SHA-256 digest, which is stored instead of the secret.
pub(crate) fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// Returns the code challenge for a PKCE verifier (S256).
pub(crate) fn code_challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

/// Compares digests, so that the duration doesn't reveal the secrets.
pub(crate) fn are_equal(left: &str, right: &str) -> bool {
    Sha256::digest(left) == Sha256::digest(right)
}
