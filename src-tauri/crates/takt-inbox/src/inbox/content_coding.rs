//! What a sender has compressed a body with (RFC 9110, 8.4.1).

use std::io::Read;

use axum::http::{HeaderMap, header};
use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// The codings that are read, as a receiver names them to who uses another.
pub(super) const ACCEPTED: &str = "gzip, deflate";
/// Real requests have fewer, and each one may expand the body.
const MAX_CODINGS: usize = 2;
/// The method and the check of a zlib header (RFC 1950, 2.2).
const ZLIB_METHOD: u8 = 8;
const ZLIB_CHECK: u16 = 31;

/// A coding that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentCoding {
    Gzip,
    Deflate,
}

/// It isn't one of those that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a coding that isn't read")]
pub(super) struct UnknownCoding;

impl ContentCoding {
    /// Those of a body, in the order in which they were applied.
    pub(super) fn all(headers: &HeaderMap) -> Result<Vec<Self>, UnknownCoding> {
        let mut codings = Vec::new();
        for value in headers.get_all(header::CONTENT_ENCODING) {
            for name in value.to_str().map_err(|_| UnknownCoding)?.split(',').map(str::trim) {
                match name.to_ascii_lowercase().as_str() {
                    "" | "identity" => {}
                    "gzip" | "x-gzip" => codings.push(Self::Gzip),
                    "deflate" => codings.push(Self::Deflate),
                    _ => return Err(UnknownCoding),
                }
            }
        }
        if codings.len() > MAX_CODINGS { Err(UnknownCoding) } else { Ok(codings) }
    }

    /// What is under it. Some senders leave out the header that `deflate` has.
    pub(super) fn reader(self, bytes: &[u8]) -> Box<dyn Read + '_> {
        match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(bytes)),
            Self::Deflate if has_zlib_header(bytes) => Box::new(ZlibDecoder::new(bytes)),
            Self::Deflate => Box::new(DeflateDecoder::new(bytes)),
        }
    }
}

fn has_zlib_header(bytes: &[u8]) -> bool {
    let Some(header) = bytes.first_chunk::<2>() else { return false };
    header[0] & 0x0F == ZLIB_METHOD && u16::from_be_bytes(*header) % ZLIB_CHECK == 0
}
