//! The letters beyond ASCII of each language, the encodings of its computers, and its words of a single letter.

use super::encoding::DOS;

/// The letters beyond ASCII of one language, in lower case.
pub(super) struct Alphabet {
    pub(super) letters: &'static str,
    /// The letters that can be a word alone.
    pub(super) single_letter_words: &'static str,
}

const fn alphabet(letters: &'static str, single_letter_words: &'static str) -> Alphabet {
    Alphabet { letters, single_letter_words }
}

/// German, Spanish, Portuguese, French, Italian, Dutch, Danish and Norwegian, Swedish and Finnish, Icelandic, Catalan,
/// English.
const WESTERN: [Alphabet; 11] = [
    alphabet("äöüß", ""),
    alphabet("áéíóúüñ", "áéóú"),
    alphabet("áâãàçéêíóôõúü", "àéóáâ"),
    alphabet("àâæçéèêëîïôœùûüÿ", "àô"),
    alphabet("àèéìòùî", "èàòé"),
    alphabet("áéëïóöüèê", ""),
    alphabet("æøåéòóôä", "åø"),
    alphabet("åäöéüšž", "åö"),
    alphabet("áðéíóúýþæö", "áí"),
    alphabet("àçéèíïòóúü", "àéò"),
    alphabet("éèêçñïöü", ""),
];
/// Polish, Czech, Slovak, Hungarian, Slovenian and Croatian, Romanian, Albanian, German.
const CENTRAL: [Alphabet; 8] = [
    alphabet("ąćęłńóśźż", ""),
    alphabet("áčďéěíňóřšťúůýž", ""),
    alphabet("áäčďéíĺľňóôŕšťúýž", ""),
    alphabet("áéíóöőúüű", "őé"),
    alphabet("čšžćđ", ""),
    alphabet("ăâîșțşţ", ""),
    alphabet("ëç", ""),
    alphabet("äöüß", ""),
];
/// Lithuanian, Latvian, Estonian, Polish as written on Lithuanian computers, German.
const BALTIC: [Alphabet; 5] = [
    alphabet("ąčęėįšųūž", ""),
    alphabet("āčēģīķļņšūž", ""),
    alphabet("äöõüšž", ""),
    alphabet("ąćęłńóśźż", ""),
    alphabet("äöüß", ""),
];
/// Turkish, German.
const TURKISH: [Alphabet; 2] = [alphabet("çğıiöşüâîû", ""), alphabet("äöüß", "")];

/// Returns the languages that are written in an encoding, or none if they aren't known.
pub(super) fn alphabets_of_encoding(encoding: &str) -> Vec<&'static Alphabet> {
    match encoding {
        "windows-1252" | "ISO-8859-15" | "ISO-8859-1" | "macintosh" | DOS => WESTERN.iter().collect(),
        "windows-1250" | "ISO-8859-2" | "ISO-8859-16" | "x-mac-ce" => CENTRAL.iter().collect(),
        "windows-1257" | "ISO-8859-13" | "ISO-8859-4" => BALTIC.iter().collect(),
        "windows-1254" => TURKISH.iter().collect(),
        "UTF-8" => WESTERN.iter().chain(&CENTRAL).chain(&BALTIC).chain(&TURKISH).collect(),
        _ => Vec::new(),
    }
}

/// Returns whether words of the encoding's languages may have many letters beyond ASCII in a row.
pub(super) fn allows_runs(encoding: &str) -> bool {
    !matches!(encoding, "windows-1252" | "ISO-8859-15" | "ISO-8859-1" | "macintosh" | DOS)
}

/// Returns the encoding that texts have on a computer with this locale, for example `pl_PL.UTF-8`, `cs-CZ` or `de`.
/// Returns `None` for a locale without a language (`C`, `POSIX`).
#[must_use]
pub fn usual_encoding(locale: &str) -> Option<&'static str> {
    let locale = locale.to_ascii_lowercase();
    let mut parts = locale.split(['-', '_', '.', '@']);
    let language = parts.next().filter(|language| (2..=3).contains(&language.len()))?;
    let rest: Vec<&str> = parts.collect();
    Some(match language {
        "sr" if rest.contains(&"latn") || rest.contains(&"latin") => "windows-1250",
        "pl" | "cs" | "sk" | "hu" | "sl" | "hr" | "bs" | "ro" | "sq" => "windows-1250",
        "ru" | "uk" | "be" | "bg" | "mk" | "sr" | "kk" | "ky" | "mn" | "tt" => "windows-1251",
        "el" => "windows-1253",
        "tr" | "az" => "windows-1254",
        "he" => "windows-1255",
        "ar" | "fa" | "ur" => "windows-1256",
        "et" | "lv" | "lt" => "windows-1257",
        "vi" => "windows-1258",
        "th" => "windows-874",
        "ja" => "Shift_JIS",
        "ko" => "EUC-KR",
        "zh" if ["tw", "hk", "mo", "hant"].iter().any(|place| rest.contains(place)) => "Big5",
        "zh" => "GBK",
        _ => "windows-1252",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_has_the_encoding_of_its_language() {
        let expected = [
            ("de_DE.UTF-8", Some("windows-1252")),
            ("pl", Some("windows-1250")),
            ("cs-CZ", Some("windows-1250")),
            ("sr_RS", Some("windows-1251")),
            ("sr-Latn-RS", Some("windows-1250")),
            ("zh-Hant-TW", Some("Big5")),
            ("C.UTF-8", None),
            ("POSIX", None),
            ("", None),
        ];
        for (locale, encoding) in expected {
            assert_eq!(usual_encoding(locale), encoding, "{locale}");
        }
    }
}
