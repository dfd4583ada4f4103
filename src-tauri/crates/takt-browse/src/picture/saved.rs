//! Saves a picture as a file.

use std::path::Path;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use takt_core::{Code, Problem, write_file};

use crate::Pictures;

/// The most characters of base64. A picture of a very large screen takes a tenth of it.
const MAX_BASE64_LENGTH: usize = 64 << 20;
/// The first bytes of every PNG.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

impl Pictures {
    /// Writes a base64-encoded PNG, and refuses anything else. An existing file is only replaced by a complete one.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: `base64` is too long, invalid, or not a PNG.
    /// - [`Code::WriteFailed`]: the file can't be written.
    pub fn save_png(&self, base64: &str, path: &Path) -> Result<(), Problem> {
        write_file(path, &png(base64)?)
    }
}

fn png(base64: &str) -> Result<Vec<u8>, Problem> {
    let invalid = || Problem::new(Code::InvalidInput).parameter("what", "PNG");
    if base64.len() > MAX_BASE64_LENGTH {
        return Err(invalid());
    }
    let bytes = STANDARD.decode(base64).map_err(|cause| invalid().details(cause))?;
    if bytes.starts_with(SIGNATURE) { Ok(bytes) } else { Err(invalid()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_png_is_taken() {
        let small = STANDARD.encode([SIGNATURE, b"rest"].concat());
        assert_eq!(png(&small).unwrap(), [SIGNATURE, b"rest"].concat());
        for wrong in ["", "iVBOR", "PHNjcmlwdD4=", "not base64!"] {
            assert!(matches!(png(wrong), Err(problem) if problem.code == Code::InvalidInput), "{wrong}");
        }
        assert!(png(&"A".repeat(MAX_BASE64_LENGTH + 4)).is_err());
    }
}
