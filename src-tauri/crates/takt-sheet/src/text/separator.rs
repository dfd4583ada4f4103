//! Detects the separator that gives most rows the same number of columns, with regard to quotes.

use std::collections::HashMap;

use super::records::{Quotes, Records};
use crate::QuoteFault;

/// A byte that UTF-8 never contains. A text may contain any other one, even a zero.
pub(super) const NO_SEPARATOR: u8 = 0xFF;
/// In order of preference if two are equally good.
const CANDIDATES: [u8; 4] = [b'\t', b';', b'|', b','];
const SAMPLE_BYTES: usize = 64 * 1024;
const SAMPLE_ROWS: usize = 500;
/// A text is a table only if more than this share of its rows has the same number of columns.
const MIN_CONSISTENT_SHARE: f64 = 0.5;
/// A text is also a table if more than this share of its rows has several columns. Commas are excluded, because
/// sentences contain them, too.
const MIN_MULTI_COLUMN_SHARE: f64 = 0.8;
/// Like [`MIN_MULTI_COLUMN_SHARE`], but for tabs, which sentences hardly contain.
const MIN_TAB_MULTI_COLUMN_SHARE: f64 = 0.5;
/// The weight of a row that has several columns, but not as many as most rows.
const UNEVEN_WEIGHT: f64 = 0.5;
/// Like [`UNEVEN_WEIGHT`], but for tabs.
const UNEVEN_TAB_WEIGHT: f64 = 0.9;
/// In a cut sample, a quote that opens within this many bytes of the end may be closed in the missing text.
const MAX_CUT_QUOTE_BYTES: usize = 8 * 1024;

/// Returns whether a text announces its separator, or is a table with any separator.
pub(crate) fn looks_like_table(head: &str) -> bool {
    let (announced, body) = split_announced_separator(head);
    announced.is_some() || is_table(body)
}

/// Splits off a first line such as `sep=;`, which Excel writes and hides.
pub(super) fn split_announced_separator(text: &str) -> (Option<u8>, &str) {
    let announced = || {
        let rest = text.strip_prefix("sep=").or_else(|| text.strip_prefix("SEP="))?;
        let separator = rest.bytes().next().filter(|byte| byte.is_ascii() && !matches!(byte, b'\r' | b'\n'))?;
        let rest = rest.get(1..)?;
        let body = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).or_else(|| rest.strip_prefix('\r'))?;
        Some((separator, body))
    };
    announced().map_or((None, text), |(separator, body)| (Some(separator), body))
}

/// Returns whether most rows have the same number of columns, and more than one. Except with commas, it suffices that
/// most rows have several columns.
fn is_table(text: &str) -> bool {
    let sample = sample_lines(text);
    CANDIDATES.iter().any(|&candidate| {
        let Some(score) = score_separator(sample, candidate) else { return false };
        let min_share = match candidate {
            b'\t' => MIN_TAB_MULTI_COLUMN_SHARE,
            b',' => f64::INFINITY,
            _ => MIN_MULTI_COLUMN_SHARE,
        };
        score.consistent > MIN_CONSISTENT_SHARE || score.multi_column > min_share
    })
}

/// Detects the separator. Returns `None` if there is only one column.
pub(super) fn detect_separator(text: &str) -> Option<u8> {
    let sample = sample_lines(text);
    let mut best: Option<(u8, f64)> = None;
    for &candidate in &CANDIDATES {
        let Some(score) = score_separator(sample, candidate) else { continue };
        let uneven = match candidate {
            b'\t' => UNEVEN_TAB_WEIGHT,
            b',' => 0.0,
            _ => UNEVEN_WEIGHT,
        };
        let worth = score.consistent.max(score.multi_column * uneven);
        if best.is_none_or(|(_, other)| worth > other + 1e-9) {
            best = Some((candidate, worth));
        }
    }
    best.map(|(candidate, _)| candidate)
}

/// Shares of the rows with content.
struct SeparatorScore {
    /// Rows with the most frequent number of columns above one.
    consistent: f64,
    /// Rows with more than one column.
    multi_column: f64,
}

/// Returns whole lines from the start of a text.
fn sample_lines(text: &str) -> &str {
    let mut end = SAMPLE_BYTES.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text.get(..end).unwrap_or(text);
    if end == text.len() { head } else { head.rfind('\n').and_then(|at| head.get(..at)).unwrap_or(head) }
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred rows")]
fn score_separator(sample: &str, candidate: u8) -> Option<SeparatorScore> {
    let rows = sample_rows(sample, candidate);
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for row in &rows {
        *counts.entry(row.len()).or_default() += 1;
    }
    counts.remove(&1);
    let (&columns, &consistent) = counts.iter().max_by_key(|(columns, rows)| (**rows, **columns))?;
    if columns < 2 || (candidate == b',' && has_only_decimal_commas(&rows)) {
        return None;
    }
    let share = |count: usize| count as f64 / rows.len() as f64;
    Some(SeparatorScore { consistent: share(consistent), multi_column: share(counts.values().sum()) })
}

/// Returns the rows with content. If a quote isn't closed, quotes are read as text.
fn sample_rows(sample: &str, candidate: u8) -> Vec<Vec<String>> {
    let mut records = Records::new(sample, candidate);
    let (mut rows, mut fields) = (Vec::new(), Vec::new());
    while rows.len() < SAMPLE_ROWS {
        let start = records.position();
        if !records.read(&mut fields) {
            break;
        }
        if matches!(records.quote_doubt(0), Some((_, QuoteFault::NotClosed))) {
            if sample.len() - start < MAX_CUT_QUOTE_BYTES
                && !rows.is_empty()
                && sample.len() + MAX_CUT_QUOTE_BYTES > SAMPLE_BYTES
            {
                break;
            }
            let plain = Records::new(sample, candidate).with_quotes(Quotes::Text);
            return filled_rows(plain.map(|record| record.into_iter().map(std::borrow::Cow::into_owned).collect()));
        }
        rows.push(fields.iter().map(|field| field.clone().into_owned()).collect());
    }
    filled_rows(rows.into_iter())
}

/// Returns the rows with content.
fn filled_rows(rows: impl Iterator<Item = Vec<String>>) -> Vec<Vec<String>> {
    rows.filter(|row| row.iter().any(|field| !field.trim().is_empty())).take(SAMPLE_ROWS).collect()
}

/// Returns whether all commas are decimal commas in a single column of numbers such as `1,5`.
fn has_only_decimal_commas(rows: &[Vec<String>]) -> bool {
    let digits = |field: &String| !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let mut multi_column = rows.iter().filter(|row| row.len() > 1).peekable();
    multi_column.peek().is_some()
        && rows.iter().any(|row| row.len() == 1)
        && multi_column.all(|row| row.len() == 2 && row.iter().all(digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_that_agrees_wins() {
        assert_eq!(detect_separator("code;qty;note\nA;1,5;x\nB;2,25;y, z\n"), Some(b';'));
        assert_eq!(detect_separator("code,qty\nA,1\nB,2\n"), Some(b','));
        assert_eq!(detect_separator("code\tqty\nA\t1,5\nB\t2,5\n"), Some(b'\t'));
        assert_eq!(detect_separator("a|b|c\n1|2|3\n"), Some(b'|'));
        assert_eq!(detect_separator("code,note\nA,\"x;y;z\"\nB,\"p;q;r\"\n"), Some(b','));
        assert_eq!(detect_separator("Menge\n1,5\n2,5\n3,75\n"), None);
        assert_eq!(detect_separator("one\ntitle\n\na;b;c\n1;2;3\n"), Some(b';'));
        assert!(!is_table("just some words\nand more of them, really\n"));
        assert!(is_table("code,qty\nA,1\n"));
        let uneven = "code\tqty\tnote\nA\t1,5\nB\t2,5\tx\ty\tz\nC\t3,5\tq\t\tw\nlast\tone\tof\tall\tthe\trows\n";
        assert_eq!(detect_separator(uneven), Some(b'\t'));
        assert!(is_table(uneven));
        assert!(is_table("a;b;c\n1;2\n1;2;3;4\n1;2;3;4;5\n"));
        assert_eq!(detect_separator("code;qty;note\nA;\"1 in;x\nB;2;y\nC;3;z\n"), Some(b';'));
        assert_eq!(detect_separator(""), None);
    }

    #[test]
    fn a_line_end_is_no_announced_separator() {
        for text in ["sep=\r\na;b\r\n", "sep=\n\na;b\n", "sep=\r\ra;b\r", "sep=\n"] {
            assert_eq!(split_announced_separator(text), (None, text));
        }
        assert_eq!(split_announced_separator("sep=;\r\na;b"), (Some(b';'), "a;b"));
    }
}
