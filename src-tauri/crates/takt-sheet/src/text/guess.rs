//! Guesses the old encoding of a text from the context of each character beyond ASCII. "Ø 12" and "±0,5" contain
//! symbols next to digits, and "łożysko" is a word of one language. If several encodings fit, letter frequencies
//! (chardetng) decide if there are enough words, else the computer's usual encoding. The others are listed, so that
//! users can choose.

mod context;
mod languages;
mod weight;

use std::io::{self, BufRead, BufReader, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};
pub use languages::usual_encoding;
use weight::Weight;

use super::encoding::{DOS, TextEncoding};
use crate::source::Source;

/// The bytes that suffice to detect an encoding.
pub(super) const SAMPLE_BYTES: usize = 256 * 1024;
/// The bytes of lines beyond ASCII that are examined.
const SAMPLE: usize = 128 * 1024;
const MAX_LINE_LENGTH: u64 = 64 * 1024;
/// Encodings that are always tried, the usual ones first.
const TRIED: [&str; 10] = [
    "windows-1252",
    "windows-1250",
    "ISO-8859-2",
    "windows-1257",
    "windows-1254",
    "windows-1251",
    "windows-1253",
    "macintosh",
    DOS,
    "UTF-8",
];
/// Encodings whose points differ by less than this are equally likely.
const MARGIN: i32 = 4;
/// From this many different words and symbols on, letter frequencies count more than the computer's usual encoding.
const MIN_CONVINCING_WORDS: usize = 8;
const MAX_RIVALS: usize = 3;
/// Encodings that hardly any program writes today. They must fit better by [`RARITY`].
const RARE: [&str; 2] = ["macintosh", DOS];
const RARITY: i32 = 2;
/// The usual encoding of computers in Western Europe and the Americas.
const WESTERN: &str = "windows-1252";

/// The likeliest encoding, and others that read some cell differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Guess {
    pub(super) encoding: TextEncoding,
    /// The likeliest first.
    pub(super) rivals: Vec<TextEncoding>,
    /// False if a rival is nearly as likely, or if only symbols such as `Ø` and `¥` indicate the encoding.
    pub(super) is_clear: bool,
}

impl Guess {
    pub(super) fn certain(encoding: TextEncoding) -> Self {
        Self { encoding, rivals: Vec::new(), is_clear: true }
    }
}

/// Guesses the encoding of a text that isn't UTF-8. `usual` is the computer's usual encoding.
pub(super) fn guess_source(source: &Source, usual: Option<&'static str>) -> io::Result<Guess> {
    Ok(guess_lines(&lines_beyond_ascii(source)?, usual))
}

/// Returns the likeliest encoding by letter frequencies alone.
pub(super) fn by_frequency(blocks: &[&[u8]]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    for (index, block) in blocks.iter().enumerate() {
        detector.feed(block.get(..SAMPLE_BYTES).unwrap_or(block), index + 1 == blocks.len());
    }
    detector.guess(None, Utf8Detection::Deny)
}

/// Collects lines from anywhere in the file, because its head may be ASCII.
fn lines_beyond_ascii(source: &Source) -> io::Result<Vec<u8>> {
    let mut reader = BufReader::with_capacity(SAMPLE_BYTES, source.reader());
    let (mut lines, mut line) = (Vec::new(), Vec::new());
    while lines.len() < SAMPLE {
        line.clear();
        if reader.by_ref().take(MAX_LINE_LENGTH).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if !line.is_ascii() {
            lines.extend_from_slice(&line);
        }
    }
    Ok(lines)
}

struct Candidate {
    encoding: TextEncoding,
    text: String,
    weight: Weight,
}

/// Guesses the encoding of lines, which may be mixed. If some lines are UTF-8 and the text isn't, the other lines
/// decide. Then every character beyond ASCII is doubtful.
fn guess_lines(lines: &[u8], usual: Option<&'static str>) -> Guess {
    let guess = guess_uniform_lines(lines, usual);
    let (utf8_lines, other_lines): (Vec<&[u8]>, Vec<&[u8]>) =
        lines.split_inclusive(|&byte| byte == b'\n').partition(|line| std::str::from_utf8(line).is_ok());
    let is_mixed = !guess.encoding.is_utf8()
        && guess.encoding.is_single_byte()
        && !utf8_lines.is_empty()
        && !other_lines.is_empty();
    if !is_mixed {
        return guess;
    }
    let Guess { encoding, mut rivals, .. } = guess_uniform_lines(&other_lines.concat(), usual);
    let utf8 = TextEncoding::Known(UTF_8);
    rivals.retain(|&rival| rival != utf8);
    rivals.truncate(MAX_RIVALS - 1);
    rivals.insert(0, utf8);
    Guess { encoding, rivals, is_clear: false }
}

fn guess_uniform_lines(lines: &[u8], usual: Option<&'static str>) -> Guess {
    let frequent = TextEncoding::Known(by_frequency(&[lines]));
    let usual = TextEncoding::by_name(usual.unwrap_or(WESTERN)).unwrap_or(frequent);
    let mut tried: Vec<TextEncoding> = vec![usual];
    tried.extend(TRIED.iter().filter_map(|name| TextEncoding::by_name(name)));
    tried.push(frequent);
    let mut candidates: Vec<Candidate> = Vec::new();
    for encoding in tried {
        if candidates.iter().all(|other| other.encoding != encoding) {
            let text = encoding.decode(lines).into_owned();
            let mut weight = weight::weigh(&text, encoding.name());
            if RARE.contains(&encoding.name()) && encoding != usual {
                weight.points -= RARITY;
            }
            candidates.push(Candidate { encoding, text, weight });
        }
    }
    let best = candidates.iter().map(|candidate| candidate.weight.points).max().unwrap_or_default();
    let (near, mut far): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|candidate| best - candidate.weight.points < MARGIN);
    far.sort_by_key(|candidate| -candidate.weight.points);
    choose(&near, &far, usual, frequent)
}

/// Chooses from those that fit about as well (`near`), the usual one first. The others are rivals, because the result
/// is a guess.
fn choose(near: &[Candidate], far: &[Candidate], usual: TextEncoding, frequent: TextEncoding) -> Guess {
    let candidate_for = |encoding: TextEncoding| near.iter().find(|candidate| candidate.encoding == encoding);
    let many = near.iter().any(|candidate| candidate.weight.contexts >= MIN_CONVINCING_WORDS);
    let preferred = if many {
        candidate_for(frequent).or_else(|| candidate_for(usual))
    } else {
        candidate_for(usual).or_else(|| candidate_for(frequent))
    };
    let Some(chosen) = preferred.or(near.first()) else { return Guess::certain(usual) };
    let is_alike = |candidate: &Candidate| candidate.text == chosen.text;
    let is_proven = candidate_for(frequent).is_some_and(is_alike) || chosen.encoding == TextEncoding::Known(UTF_8);
    let is_clear = chosen.weight.words > 0 && (is_proven || near.iter().all(is_alike));
    let mut rivals: Vec<&Candidate> = Vec::new();
    // The guess by letter frequencies comes first.
    for rival in candidate_for(frequent).into_iter().chain(near).chain(far) {
        if !is_alike(rival) && rivals.iter().all(|other| other.text != rival.text) {
            rivals.push(rival);
        }
    }
    rivals.truncate(MAX_RIVALS);
    Guess { encoding: chosen.encoding, rivals: rivals.into_iter().map(|rival| rival.encoding).collect(), is_clear }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, name: &str) -> Vec<u8> {
        TextEncoding::by_name(name).unwrap().encode(text).into_owned()
    }

    /// Each text must be read as it was written on every computer, and some rival must read it differently.
    fn reads(text: &str, name: &str, usual: &'static str, is_clear: bool) {
        let bytes = written(text, name);
        let guess = guess_lines(&bytes, Some(usual));
        assert_eq!(guess.encoding.decode(&bytes), text, "{name} on {usual}: {guess:?}");
        assert_eq!(guess.is_clear, is_clear, "{name} on {usual}: {text} {guess:?}");
        assert!(!guess.rivals.is_empty(), "{name} on {usual}: {text}");
        assert!(guess.rivals.iter().all(|rival| rival.decode(&bytes) != text), "{name} on {usual}: {text} {guess:?}");
    }

    const COMPUTERS: [&str; 3] = ["windows-1252", "windows-1250", "windows-1251"];

    #[test]
    fn symbols_beside_digits_and_units_are_western_and_stay_a_guess() {
        let texts = [
            "Rohr Ø 12;5 µm\n",
            "Welle Ø12x30\n",
            "Toleranz ±0,5\n",
            "10 × 20 × 30 mm\n",
            "10×20\n",
            "¥ 1000\n",
            "Preis (¥)\n",
            "3 m³;2 m²\n",
            "Luft [Nm³/h]\n",
            "Dicke [µm]\n",
            "±\n",
            "×\n",
            "1½ Zoll\n",
            "N.º OP;1ª\n",
            "Nº 5\n",
            "£5.00\n",
            "Ø\n",
            "Ø mm\n",
        ];
        for text in texts {
            for usual in ["windows-1252", "windows-1250"] {
                reads(text, "windows-1252", usual, false);
            }
        }
    }

    #[test]
    fn words_of_a_language_tell_its_encoding() {
        let german = "Stück;Größe;Prüfmaß;Fräsen;Äußerer Durchmesser\n";
        let spanish = "Número;Descripción;Año;Señal de diseño;Fecha de producción;¿Qué?\n";
        let portuguese = "Descrição;Produção;Peças não conformes;Operação à máquina;Código\n";
        let french = "Référence;Pièce;Opération n° 3;Prêt à être livré;Contrôle qualité;Forêt\n";
        for usual in COMPUTERS {
            for text in [german, spanish, portuguese, french] {
                reads(text, "windows-1252", usual, true);
                reads(text, DOS, usual, true);
                reads(text, "macintosh", usual, true);
            }
            for text in [
                "Zamówienie;Łożysko kulkowe;Ilość;Średnica zewnętrzna;Część\n",
                "Objednávka;Množství;Číslo dílu;Příruba;Hřídel;Šroub\n",
                "Munkarendelés;Mennyiség;Gyártó;Külső átmérő;Tömítőgyűrű\n",
            ] {
                reads(text, "windows-1250", usual, true);
            }
            reads("Заказ;Количество;Дата начала;Подшипник\n", "windows-1251", usual, true);
            reads("İş emri;Başlangıç;Ölçü;Parça sayısı;Çelik mil;Ağırlık\n", "windows-1254", usual, true);
            reads("製造指図;数量;開始日時;品目コード\n", "Shift_JIS", usual, true);
        }
    }

    #[test]
    fn a_word_that_could_be_either_is_asked_about() {
        let bytes = written("ręka\n", "windows-1250");
        let guess = guess_lines(&bytes, Some("windows-1250"));
        assert_eq!(guess.encoding.decode(&bytes), "ręka\n");
        let western = guess_lines(&bytes, Some("windows-1252"));
        let as_polish = |encoding: &TextEncoding| encoding.decode(&bytes) == "ręka\n";
        assert!(as_polish(&western.encoding) || western.rivals.iter().any(as_polish), "{western:?}");
    }

    #[test]
    fn lines_in_several_encodings_are_doubted() {
        let bytes = [written("M-1;Bölt;pcs\n", "windows-1252"), b"M-2;B\xC3\xB6lt;pcs\n".to_vec()].concat();
        let guess = guess_lines(&bytes, Some("windows-1252"));
        assert_eq!((guess.encoding.name(), guess.is_clear), ("windows-1252", false), "{guess:?}");
        assert_eq!(guess.rivals[0], TextEncoding::Known(UTF_8), "{guess:?}");
    }

    #[test]
    fn a_broken_letter_among_utf_8_leaves_the_others() {
        let bytes = ["Größe;Stück;Fräsen\n".as_bytes(), b"M\xFCller\n"].concat();
        let guess = guess_lines(&bytes, None);
        assert_eq!((guess.encoding, guess.is_clear), (TextEncoding::Known(UTF_8), true));
    }
}
