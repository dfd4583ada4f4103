//! The content codings of request bodies (RFC 9110, 8.4.1).

use std::io::Read;

use axum::http::{HeaderMap, header};
use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// The supported codings, as sent to clients that use another one.
pub(crate) const ACCEPTED_CODINGS: &str = "gzip, deflate";
/// The maximum number of codings of a body. Each one may expand the body, and real requests have fewer.
const MAX_CODINGS: usize = 2;
/// The compression method and the checksum's divisor of a zlib header (RFC 1950, 2.2).
const ZLIB_METHOD: u8 = 8;
const ZLIB_CHECK: u16 = 31;

/// A supported coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentCoding {
    Gzip,
    Deflate,
}

/// The coding isn't supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a coding that isn't read")]
pub(crate) struct UnknownCoding;

impl ContentCoding {
    /// Returns a body's codings in the order in which they were applied.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Result<Vec<Self>, UnknownCoding> {
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

    /// Returns a reader of the decoded bytes. Some senders omit the zlib header of `deflate`.
    pub(crate) fn reader(self, bytes: &[u8]) -> Box<dyn Read + '_> {
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
