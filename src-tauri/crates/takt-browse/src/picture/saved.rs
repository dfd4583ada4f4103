//! Decodes the window's pictures for files.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use takt_core::{Code, Problem};

/// The most characters of base64. A picture of a very large screen takes a tenth of it.
const MAX_BASE64_LENGTH: usize = 64 << 20;
/// The first bytes of every PNG.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Decodes a base64-encoded PNG, and refuses anything else.
pub(super) fn png(base64: &str) -> Result<Vec<u8>, Problem> {
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
