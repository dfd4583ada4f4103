//! Values as both binary forms of a workbook write them: error values by their code, numbers in four bytes.

/// As Excel shows it.
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

/// A number in four bytes: 30 bits of a whole number or of a double, and how it is to be read.
pub(crate) fn packed_number(bits: u32) -> f64 {
    let number = if bits & 2 == 0 {
        f64::from_bits(u64::from(bits & 0xFFFF_FFFC) << 32)
    } else {
        f64::from(bits.cast_signed() >> 2)
    };
    if bits & 1 == 0 { number } else { number / 100.0 }
}
