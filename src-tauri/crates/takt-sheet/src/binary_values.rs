//! Values that xls and xlsb store in the same way: numbers and the characters of texts.
//!
//! Characters are UTF-16 or one byte each. ASCII has a fast path, because most of a workbook's millions of texts are
//! ASCII.

const BLOCK_UNITS: usize = 64;

/// Returns the little-endian 16-bit number at a byte offset, or `None` if it extends past the end of the bytes.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_le_bytes)
}

/// Like [`u16_at`], but for 32 bits.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

/// Decodes a number from four bytes: 30 bits of an integer or a double, and two bits for the type and the scale.
pub(crate) fn decode_packed_number(bits: u32) -> f64 {
    let number = if bits & 2 == 0 {
        f64::from_bits(u64::from(bits & 0xFFFF_FFFC) << 32)
    } else {
        f64::from(bits.cast_signed() >> 2)
    };
    if bits & 1 == 0 { number } else { number / 100.0 }
}

/// Appends UTF-16 characters, low byte first. Half a surrogate pair becomes U+FFFD. An odd byte at the end is dropped.
pub(crate) fn push_utf16(bytes: &[u8], out: &mut String) {
    let (mut rest, _) = bytes.as_chunks::<2>();
    let mut ascii = [0; BLOCK_UNITS];
    while let Some((now, later)) = rest.split_at_checked(rest.len().min(BLOCK_UNITS)).filter(|(now, _)| !now.is_empty())
    {
        let mut all = 0;
        for (byte, &pair) in ascii.iter_mut().zip(now) {
            *byte = pair[0];
            all |= u16::from_le_bytes(pair);
        }
        let letters = ascii.get(..now.len()).filter(|_| all < 0x80);
        let Some(letters) = letters.and_then(|letters| std::str::from_utf8(letters).ok()) else {
            // A surrogate pair may span two blocks, so the remaining text is decoded here as a whole.
            return push_any_utf16(rest.as_flattened(), out);
        };
        out.push_str(letters);
        rest = later;
    }
}

fn push_any_utf16(bytes: &[u8], out: &mut String) {
    let units = bytes.chunks_exact(2).filter_map(|pair| u16_at(pair, 0));
    out.extend(char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)));
}

/// Appends characters of one byte each, which are the first 256 of Unicode.
pub(crate) fn push_latin(bytes: &[u8], out: &mut String) {
    match std::str::from_utf8(bytes).ok().filter(|_| bytes.is_ascii()) {
        Some(letters) => out.push_str(letters),
        None => out.extend(bytes.iter().copied().map(char::from)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_what_the_standard_library_makes_of_them() {
        let long = "a".repeat(200);
        let texts =
            ["", "WO-1", "ä", &long, &format!("{long}ö{long}"), &format!("{}😀😀", "b".repeat(63)), "\0\u{7F}\u{80}"];
        for text in texts {
            let mut units: Vec<u16> = text.encode_utf16().collect();
            // Cutting off a unit may leave half a surrogate pair.
            for cut in [0, 1] {
                units.truncate(units.len().saturating_sub(cut));
                let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).chain(vec![7; cut]).collect();
                let mut out = "x".to_owned();
                push_utf16(&bytes, &mut out);
                assert_eq!(out, format!("x{}", String::from_utf16_lossy(&units)), "{text:?}");
            }
        }
        let all: Vec<u8> = (0..=u8::MAX).collect();
        for bytes in [&all[..], &all[..128], &[]] {
            let mut out = String::new();
            push_latin(bytes, &mut out);
            assert_eq!(out, bytes.iter().copied().map(char::from).collect::<String>());
        }
    }
}
