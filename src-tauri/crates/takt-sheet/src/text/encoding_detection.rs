//! Detects the encoding of a text file: a byte order mark, else strict UTF-8, else UTF-16 by the position of zero
//! bytes, else the likeliest of the old encodings. The user may choose another one.
//!
//! An old encoding is guessed from the context of each character beyond ASCII. "Ø 12" and "±0,5" contain symbols next
//! to digits, and "łożysko" is a word of one language. If several encodings fit, letter frequencies (chardetng) decide
//! if there are enough words, else the computer's usual encoding. The others are listed, so that users can choose.

use std::{
    borrow::Cow,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::{
    encoding::{DOS, TextEncoding},
    encoding_rating::{TextRating, rate_text},
};
use crate::{SheetError, source::Source};

/// A text may have a stray control character, but no more than one in this many bytes.
const MIN_BYTES_PER_CONTROL: usize = 200;
/// The maximum number of zero bytes in a start of a file that is still read as text. It must have a line break.
const MAX_STRAY_ZEROS: usize = 8;

/// Bytes that are checked for UTF-8 at a time.
const PIECE_BYTES: u64 = 512 * 1024;
/// The maximum number of bytes of a UTF-8 character after its first one.
const MAX_CONTINUATION_BYTES: usize = 3;
const MAX_THREADS: u64 = 8;
/// With fewer pieces per thread, another thread isn't worthwhile.
const MIN_PIECES_PER_THREAD: u64 = 4;

/// The bytes that suffice to detect an encoding.
const SAMPLE_BYTES: usize = 256 * 1024;
/// The bytes of lines beyond ASCII that are examined.
const MAX_EXAMINED_BYTES: usize = 128 * 1024;
const MAX_LINE_LENGTH: u64 = 64 * 1024;
/// Encodings that are always tried, the usual ones first.
const TRIED_ENCODINGS: [&str; 10] = [
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
const LIKELY_MARGIN: i32 = 4;
/// From this many different words and symbols on, letter frequencies take precedence over the computer's usual
/// encoding.
const MIN_CONVINCING_WORDS: usize = 8;
const MAX_RIVALS: usize = 3;
/// Encodings that hardly any program writes today. They must fit better by [`RARITY_PENALTY`].
const RARE_ENCODINGS: [&str; 2] = ["macintosh", DOS];
const RARITY_PENALTY: i32 = 2;
/// The usual encoding of computers in Western Europe and the Americas.
const WESTERN_ENCODING: &str = "windows-1252";

impl TextEncoding {
    /// Returns the likeliest encoding of these bytes, which may be a file's head.
    pub(crate) fn detect(bytes: &[u8]) -> Self {
        if let Some((encoding, _)) = Encoding::for_bom(bytes) {
            return Self::Known(encoding);
        }
        if let Some(encoding) = utf16_without_mark(bytes) {
            return Self::Known(encoding);
        }
        Self::Known(match std::str::from_utf8(bytes) {
            Ok(_) => UTF_8,
            // The head of a file may end within a character.
            Err(error) if error.error_len().is_none() && error.valid_up_to() + 4 > bytes.len() => UTF_8,
            Err(_) => guess_by_frequency(&[bytes]),
        })
    }

    /// Detects the encoding of a whole file, which is UTF-8 only if all of it is. `usual` is the computer's own
    /// encoding.
    pub(super) fn detect_source(source: &Source, usual: Option<&'static str>) -> Result<EncodingGuess, SheetError> {
        let head = source.head(SAMPLE_BYTES)?;
        let marked = Encoding::for_bom(&head).is_some() || utf16_without_mark(&head).is_some();
        if marked || is_utf8(source).map_err(SheetError::Unreadable)? {
            return Ok(EncodingGuess::certain(Self::detect(&head)));
        }
        guess_source(source, usual).map_err(SheetError::Unreadable)
    }
}

/// Decodes the head of a file.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    TextEncoding::detect(bytes).decode(bytes)
}

/// Returns whether bytes could be a text. A few zero bytes are allowed.
pub(crate) fn looks_like_text(head: &[u8]) -> bool {
    if Encoding::for_bom(head).is_some() || utf16_without_mark(head).is_some() {
        return true;
    }
    let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1A);
    let zeros = head.iter().filter(|byte| **byte == 0).count();
    let stray = zeros == 0 || (zeros <= MAX_STRAY_ZEROS && head.contains(&b'\n'));
    stray
        && head.iter().filter(|byte| is_control(byte)).count() * MIN_BYTES_PER_CONTROL
            <= head.len().max(zeros * MIN_BYTES_PER_CONTROL)
        && !head.starts_with(b"%PDF-")
        && !head.starts_with(b"{\\rtf")
}

/// Detects UTF-16 without a byte order mark. Every second byte of western characters is zero, and the others never are.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..SAMPLE_BYTES).unwrap_or(bytes);
    let pairs = head.len() / 2;
    let zeros = |offset: usize| head.iter().skip(offset).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let encoding = match (even, odd) {
        (0, odd) if odd * 2 > pairs => UTF_16LE,
        (even, 0) if even * 2 > pairs => UTF_16BE,
        _ => return None,
    };
    let text = encoding.decode_without_bom_handling(head.get(..pairs * 2)?).0;
    let is_control = |letter: char| letter.is_control() && !matches!(letter, '\t' | '\n' | '\r' | '\u{c}');
    (!text.chars().any(is_control) && text.contains(['\n', '\r', '\t', ';', ','])).then_some(encoding)
}

/// Returns whether a file is UTF-8. An incomplete character at the end of the file is allowed.
///
/// Large files are checked on several threads. Each piece reaches from its first character to the first character of
/// the next piece, so each character belongs to one piece.
fn is_utf8(source: &Source) -> io::Result<bool> {
    match source.is_utf8() {
        Some(known) => Ok(known),
        None => is_utf8_in(source, PIECE_BYTES),
    }
}

/// Like [`is_utf8`], with pieces of `size` bytes.
fn is_utf8_in(source: &Source, size: u64) -> io::Result<bool> {
    let pieces = source.len().div_ceil(size);
    let (next, is_invalid) = (AtomicU64::new(0), AtomicBool::new(false));
    let check = || -> io::Result<()> {
        let mut bytes = Vec::new();
        while !is_invalid.load(Ordering::Relaxed) {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces {
                break;
            }
            if !is_piece_utf8(source, piece * size, size, &mut bytes)? {
                is_invalid.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    };
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let threads = (pieces / MIN_PIECES_PER_THREAD).clamp(1, cores.min(MAX_THREADS));
    thread::scope(|scope| {
        let threads_to_join: Vec<_> =
            (1..threads).map_while(|_| thread::Builder::new().spawn_scoped(scope, check).ok()).collect();
        let own = check();
        let results = threads_to_join
            .into_iter()
            .map(|other| other.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause)));
        results.fold(own, io::Result::and)
    })?;
    Ok(!is_invalid.into_inner())
}

fn is_piece_utf8(source: &Source, from: u64, size: u64, bytes: &mut Vec<u8>) -> io::Result<bool> {
    bytes.clear();
    let mut reader = source.reader();
    reader.seek(SeekFrom::Start(from))?;
    // The piece's last character may need these bytes.
    reader.take(size + MAX_CONTINUATION_BYTES as u64).read_to_end(bytes)?;
    let begin = if from == 0 { Some(0) } else { first_character(bytes) };
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let behind = bytes.get(size..).unwrap_or_default();
    let end = size.saturating_add(first_character(behind).unwrap_or(behind.len())).min(bytes.len());
    let is_last = from + end as u64 >= source.len();
    let Some(characters) = begin.and_then(|begin| bytes.get(begin..end)) else { return Ok(false) };
    Ok(std::str::from_utf8(characters).err().is_none_or(|error| is_last && error.error_len().is_none()))
}

/// Returns the start of the first character, or `None` if more bytes precede it than a character can have.
fn first_character(bytes: &[u8]) -> Option<usize> {
    let at = bytes.iter().position(|byte| byte & 0xC0 != 0x80).unwrap_or(bytes.len());
    (at <= MAX_CONTINUATION_BYTES).then_some(at)
}

/// The likeliest encoding, and others that decode some cell differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EncodingGuess {
    pub(super) encoding: TextEncoding,
    /// The likeliest first.
    pub(super) rivals: Vec<TextEncoding>,
    /// False if a rival is nearly as likely, or if only symbols such as `Ø` and `¥` indicate the encoding.
    pub(super) is_clear: bool,
}

impl EncodingGuess {
    pub(super) fn certain(encoding: TextEncoding) -> Self {
        Self { encoding, rivals: Vec::new(), is_clear: true }
    }
}

/// Guesses the encoding of a text that isn't UTF-8. `usual` is the computer's usual encoding.
fn guess_source(source: &Source, usual: Option<&'static str>) -> io::Result<EncodingGuess> {
    Ok(guess_lines(&collect_lines_beyond_ascii(source)?, usual))
}

/// Returns the likeliest encoding by letter frequencies alone.
fn guess_by_frequency(blocks: &[&[u8]]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    for (index, block) in blocks.iter().enumerate() {
        detector.feed(block.get(..SAMPLE_BYTES).unwrap_or(block), index + 1 == blocks.len());
    }
    detector.guess(None, Utf8Detection::Deny)
}

/// Collects lines from anywhere in the file, because its head may be ASCII.
fn collect_lines_beyond_ascii(source: &Source) -> io::Result<Vec<u8>> {
    let mut reader = BufReader::with_capacity(SAMPLE_BYTES, source.reader());
    let (mut lines, mut line) = (Vec::new(), Vec::new());
    while lines.len() < MAX_EXAMINED_BYTES {
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
    rating: TextRating,
}

/// Guesses the encoding of lines whose encodings may differ. If some lines are UTF-8 and others aren't, the other lines
/// decide. Then every character beyond ASCII is doubtful.
fn guess_lines(lines: &[u8], usual: Option<&'static str>) -> EncodingGuess {
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
    let EncodingGuess { encoding, mut rivals, .. } = guess_uniform_lines(&other_lines.concat(), usual);
    let utf8 = TextEncoding::Known(UTF_8);
    rivals.retain(|&rival| rival != utf8);
    rivals.truncate(MAX_RIVALS - 1);
    rivals.insert(0, utf8);
    EncodingGuess { encoding, rivals, is_clear: false }
}

fn guess_uniform_lines(lines: &[u8], usual: Option<&'static str>) -> EncodingGuess {
    let frequent = TextEncoding::Known(guess_by_frequency(&[lines]));
    let usual = TextEncoding::by_name(usual.unwrap_or(WESTERN_ENCODING)).unwrap_or(frequent);
    let mut tried: Vec<TextEncoding> = vec![usual];
    tried.extend(TRIED_ENCODINGS.iter().filter_map(|name| TextEncoding::by_name(name)));
    tried.push(frequent);
    let mut candidates: Vec<Candidate> = Vec::new();
    for encoding in tried {
        if candidates.iter().all(|other| other.encoding != encoding) {
            let text = encoding.decode(lines).into_owned();
            let mut rating = rate_text(&text, encoding.name());
            if RARE_ENCODINGS.contains(&encoding.name()) && encoding != usual {
                rating.points -= RARITY_PENALTY;
            }
            candidates.push(Candidate { encoding, text, rating });
        }
    }
    let best = candidates.iter().map(|candidate| candidate.rating.points).max().unwrap_or_default();
    let (near, mut far): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|candidate| best - candidate.rating.points < LIKELY_MARGIN);
    far.sort_by_key(|candidate| -candidate.rating.points);
    choose_candidate(&near, &far, usual, frequent)
}

/// Chooses from the candidates that fit about as well (`near`). Letter frequencies decide if there are enough words,
/// else the computer's usual encoding. The other candidates are rivals, because the result is a guess.
fn choose_candidate(
    near: &[Candidate],
    far: &[Candidate],
    usual: TextEncoding,
    frequent: TextEncoding,
) -> EncodingGuess {
    let candidate_for = |encoding: TextEncoding| near.iter().find(|candidate| candidate.encoding == encoding);
    let many = near.iter().any(|candidate| candidate.rating.contexts >= MIN_CONVINCING_WORDS);
    let preferred = if many {
        candidate_for(frequent).or_else(|| candidate_for(usual))
    } else {
        candidate_for(usual).or_else(|| candidate_for(frequent))
    };
    let Some(chosen) = preferred.or(near.first()) else { return EncodingGuess::certain(usual) };
    let is_alike = |candidate: &Candidate| candidate.text == chosen.text;
    let is_proven = candidate_for(frequent).is_some_and(is_alike) || chosen.encoding == TextEncoding::Known(UTF_8);
    let is_clear = chosen.rating.words > 0 && (is_proven || near.iter().all(is_alike));
    let mut rivals: Vec<&Candidate> = Vec::new();
    // The guess by letter frequencies is the first rival.
    for rival in candidate_for(frequent).into_iter().chain(near).chain(far) {
        if !is_alike(rival) && rivals.iter().all(|other| other.text != rival.text) {
            rivals.push(rival);
        }
    }
    rivals.truncate(MAX_RIVALS);
    EncodingGuess {
        encoding: chosen.encoding,
        rivals: rivals.into_iter().map(|rival| rival.encoding).collect(),
        is_clear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode_text(text: &str, name: &str) -> Vec<u8> {
        TextEncoding::by_name(name).unwrap().encode(text).into_owned()
    }

    /// Checks that a text is decoded as it was written on every computer, and that some rival decodes it differently.
    fn assert_detects(text: &str, name: &str, usual: &'static str, is_clear: bool) {
        let bytes = encode_text(text, name);
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
                assert_detects(text, "windows-1252", usual, false);
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
                assert_detects(text, "windows-1252", usual, true);
                assert_detects(text, DOS, usual, true);
                assert_detects(text, "macintosh", usual, true);
            }
            for text in [
                "Zamówienie;Łożysko kulkowe;Ilość;Średnica zewnętrzna;Część\n",
                "Objednávka;Množství;Číslo dílu;Příruba;Hřídel;Šroub\n",
                "Munkarendelés;Mennyiség;Gyártó;Külső átmérő;Tömítőgyűrű\n",
            ] {
                assert_detects(text, "windows-1250", usual, true);
            }
            assert_detects("Заказ;Количество;Дата начала;Подшипник\n", "windows-1251", usual, true);
            assert_detects("İş emri;Başlangıç;Ölçü;Parça sayısı;Çelik mil;Ağırlık\n", "windows-1254", usual, true);
            assert_detects("製造指図;数量;開始日時;品目コード\n", "Shift_JIS", usual, true);
        }
    }

    #[test]
    fn a_word_that_could_be_either_is_asked_about() {
        let bytes = encode_text("ręka\n", "windows-1250");
        let guess = guess_lines(&bytes, Some("windows-1250"));
        assert_eq!(guess.encoding.decode(&bytes), "ręka\n");
        let western = guess_lines(&bytes, Some("windows-1252"));
        let as_polish = |encoding: &TextEncoding| encoding.decode(&bytes) == "ręka\n";
        assert!(as_polish(&western.encoding) || western.rivals.iter().any(as_polish), "{western:?}");
    }

    #[test]
    fn lines_in_several_encodings_are_doubted() {
        let bytes = [encode_text("M-1;Bölt;pcs\n", "windows-1252"), b"M-2;B\xC3\xB6lt;pcs\n".to_vec()].concat();
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

    /// Pieces of any size give the result of the whole file.
    #[test]
    fn pieces_tell_what_the_whole_tells() {
        let mut state = 23_u64;
        println!("seed {state}");
        let mut next = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let pieces: [&[u8]; 9] =
            [b"a", "ä".as_bytes(), "€".as_bytes(), "😀".as_bytes(), b"\xFF", b"\xC3", b"\x80", b"\xF0\x9F", b"\n"];
        let (mut valid, mut invalid) = (0, 0);
        for _ in 0..3_000 {
            let odd = next(5) == 0;
            let mut bytes: Vec<u8> =
                (0..next(40)).flat_map(|_| pieces[next(if odd { 9 } else { 4 })]).copied().collect();
            bytes.truncate(bytes.len().saturating_sub(next(3)));
            let expected = std::str::from_utf8(&bytes).err().is_none_or(|error| error.error_len().is_none());
            let source = Source::from_bytes(bytes.clone());
            for size in [1, 2, 3, 4, 5, 7, 64] {
                assert_eq!(is_utf8_in(&source, size).unwrap(), expected, "{bytes:?} in {size}");
            }
            *if expected { &mut valid } else { &mut invalid } += 1;
        }
        assert!(valid > 1_000 && invalid > 200, "{valid} {invalid}");
    }
}
