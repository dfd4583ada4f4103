//! Which separator parts the columns: the one that gives most rows the same number of them, quotes heeded.

use std::collections::HashMap;

use super::split::Records;

/// In the order of preference where two are as good.
const CANDIDATES: [u8; 4] = [b'\t', b';', b'|', b','];
const SAMPLE_BYTES: usize = 64 * 1024;
const SAMPLE_ROWS: usize = 500;
/// Unless more than this share of the rows has the same number of columns, it is no table.
const CONSISTENT: f64 = 0.5;

/// Whether most rows have the same number of columns, and more than one.
pub(super) fn is_table(text: &str) -> bool {
    best(text).is_some_and(|(_, share)| share > CONSISTENT)
}

/// `None` where none of them parts anything: one column.
pub(super) fn separator(text: &str) -> Option<u8> {
    best(text).map(|(candidate, _)| candidate)
}

/// The separator by which the largest share of rows agrees.
fn best(text: &str) -> Option<(u8, f64)> {
    let sample = sample(text);
    let scored = CANDIDATES.iter().filter_map(|&candidate| Some((candidate, score(sample, candidate)?)));
    let mut best: Option<(u8, f64)> = None;
    for (candidate, score) in scored {
        if best.is_none_or(|(_, other)| score > other + 1e-9) {
            best = Some((candidate, score));
        }
    }
    best
}

/// Whole lines from the front.
fn sample(text: &str) -> &str {
    let mut end = SAMPLE_BYTES.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text.get(..end).unwrap_or(text);
    if end == text.len() { head } else { head.rfind('\n').and_then(|at| head.get(..at)).unwrap_or(head) }
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred rows")]
fn score(sample: &str, candidate: u8) -> Option<f64> {
    let rows: Vec<Vec<String>> = Records::new(sample, candidate)
        .map(|record| record.into_iter().map(std::borrow::Cow::into_owned).collect::<Vec<_>>())
        .filter(|record| record.iter().any(|field| !field.trim().is_empty()))
        .take(SAMPLE_ROWS)
        .collect();
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for row in &rows {
        *counts.entry(row.len()).or_default() += 1;
    }
    counts.remove(&1);
    let (&columns, &agreeing) = counts.iter().max_by_key(|(columns, rows)| (**rows, **columns))?;
    if columns < 2 || (candidate == b',' && only_decimal_commas(&rows)) {
        return None;
    }
    Some(agreeing as f64 / rows.len() as f64)
}

/// A single column of `1,5` has commas, too.
fn only_decimal_commas(rows: &[Vec<String>]) -> bool {
    let digits = |field: &String| !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let mut parted = rows.iter().filter(|row| row.len() > 1).peekable();
    parted.peek().is_some()
        && rows.iter().any(|row| row.len() == 1)
        && parted.all(|row| row.len() == 2 && row.iter().all(digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_that_agrees_wins() {
        assert_eq!(separator("code;qty;note\nA;1,5;x\nB;2,25;y, z\n"), Some(b';'));
        assert_eq!(separator("code,qty\nA,1\nB,2\n"), Some(b','));
        assert_eq!(separator("code\tqty\nA\t1,5\nB\t2,5\n"), Some(b'\t'));
        assert_eq!(separator("a|b|c\n1|2|3\n"), Some(b'|'));
        assert_eq!(separator("code,note\nA,\"x;y;z\"\nB,\"p;q;r\"\n"), Some(b','));
        assert_eq!(separator("Menge\n1,5\n2,5\n3,75\n"), None);
        assert_eq!(separator("one\ntitle\n\na;b;c\n1;2;3\n"), Some(b';'));
        assert!(!is_table("just some words\nand more of them, really\n"));
        assert!(is_table("code,qty\nA,1\n"));
        assert_eq!(separator(""), None);
    }
}
