//! The built-in formats: by number (ECMA-376 part 1, 18.8.30), and by their names in XML spreadsheets of 2003.

/// Returns the code of a number below 164 if it is built in. Currencies depend on the country and show plain numbers
/// here.
pub(super) fn code_of_id(id: u32) -> Option<&'static str> {
    Some(match id {
        0 | 1 | 3..=8 | 12 | 13 | 23..=26 | 37..=44 | 49 | 59..=70 => "General",
        2 => "0.00",
        9 => "0%",
        10 => "0.00%",
        11 => "0.00E+00",
        48 => "##0.0E+0",
        // 27 to 36 and 50 to 58 are defined for the languages of East Asia only.
        14..=17 | 22 | 27..=31 | 36 | 50..=54 | 57 | 58 => "yyyy-mm-dd",
        18..=21 | 32..=35 | 55 | 56 => "h:mm:ss",
        45 | 47 => "mm:ss",
        46 => "[h]:mm:ss",
        _ => return None,
    })
}

/// Returns the code of a named format. Letter case is ignored.
pub(super) fn code_of_name(name: &str) -> Option<&'static str> {
    Some(match name.trim().to_ascii_lowercase().as_str() {
        "general" | "general number" | "currency" | "euro currency" | "fixed" | "standard" | "percent"
        | "scientific" => "General",
        "general date" | "long date" | "medium date" | "short date" => "yyyy-mm-dd",
        "long time" | "medium time" | "short time" => "h:mm:ss",
        "yes/no" => "\"Yes\";\"Yes\";\"No\"",
        "true/false" => "\"True\";\"True\";\"False\"",
        "on/off" => "\"On\";\"On\";\"Off\"",
        _ => return None,
    })
}
