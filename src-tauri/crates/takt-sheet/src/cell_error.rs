//! The names of errors in cells. Binary workbooks store codes. Text files contain names in the language of the program
//! that wrote them.

/// The prefix of LibreOffice's numbered errors, such as `Err:502`.
const NUMBERED_ERROR_PREFIX: &str = "Err:";
/// Fewer number signs may be a text.
const MIN_NUMBER_SIGNS: usize = 3;

/// Returns the name that Excel shows for an error code, or `#ERROR!` for an unknown code.
pub(crate) fn error_name(code: u8) -> &'static str {
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

/// Returns true for the name of an error, such as `#N/A`, and for `####`, which Excel writes for a value that is too
/// wide for its column.
#[must_use]
pub fn is_error_text(text: &str) -> bool {
    let text = text.trim();
    match text.as_bytes().first() {
        Some(b'#') => is_error_name(text) || (text.len() >= MIN_NUMBER_SIGNS && text.bytes().all(|byte| byte == b'#')),
        Some(b'E') => text
            .strip_prefix(NUMBERED_ERROR_PREFIX)
            .is_some_and(|number| number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit())),
        _ => false,
    }
}

fn is_error_name(text: &str) -> bool {
    matches!(
        text,
        "#NULL!" | "#DIV/0!" | "#VALUE!" | "#REF!" | "#NAME?" | "#NUM!" | "#N/A" | "#GETTING_DATA" | "#SPILL!" | "#CALC!"
            | "#CONNECT!" | "#BLOCKED!" | "#UNKNOWN!" | "#FIELD!" | "#BUSY!" | "#PYTHON!" | "#EXTERNAL!"
            // German
            | "#WERT!" | "#BEZUG!" | "#ZAHL!" | "#NV" | "#ÜBERLAUF!" | "#KALK!" | "#VERBINDEN!" | "#BLOCKIERT!" | "#FELD!"
            // Spanish
            | "#¡NULO!" | "#¡DIV/0!" | "#¡VALOR!" | "#¡REF!" | "#¿NOMBRE?" | "#¡NUM!" | "#N/D" | "#¡DESBORDAMIENTO!"
            | "#¡CALC!"
            // Portuguese
            | "#NULO!" | "#VALOR!" | "#NOME?" | "#NÚM!" | "#DESPEJAR!"
            // French and Italian
            | "#NUL!" | "#VALEUR!" | "#NOM?" | "#NOMBRE!" | "#NULLO!" | "#VALORE!" | "#RIF!"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_errors_are_known() {
        for text in ["#N/A", " #REF! ", "#NV", "#¿NOMBRE?", "#NÚM!", "####", "Err:502"] {
            assert!(is_error_text(text), "{text}");
        }
        for text in ["", "#", "##", "#5", "#N/A x", "N/A", "Err:", "Error:502", "#n/a-1", "Err:5020"] {
            assert!(!is_error_text(text), "{text}");
        }
    }
}
