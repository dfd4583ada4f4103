//! Values that xls and xlsb store in the same way: error codes and numbers packed into four bytes.

/// Returns the name that Excel shows for an error code.
pub(crate) fn error_value(code: u8) -> &'static str {
    match code {
        0x00 => "#NULL!",
        0x07 => "#DIV/0!",
        0x0F => "#VALUE!",
        0x17 => "#REF!",
        0x1D => "#NAME?",
        0x24 => "#NUM!",
        0x2A => "#N/A",
        0x2B => "#GETTING_DATA",
        _ => "#ERROR!",
    }
}

/// Decodes a number from four bytes: 30 bits of an integer or a double, and two bits that tell the type and the scale.
pub(crate) fn packed_number(bits: u32) -> f64 {
    let number = if bits & 2 == 0 {
        f64::from_bits(u64::from(bits & 0xFFFF_FFFC) << 32)
    } else {
        f64::from(bits.cast_signed() >> 2)
    };
    if bits & 1 == 0 { number } else { number / 100.0 }
}
