//! The lengths of a column's texts as they are packed: a byte for each that is short, five for the others.

/// The lengths of texts that end here.
pub(super) fn put_lengths(ends: &[u32], raw: &mut Vec<u8>) {
    let mut start = 0;
    let mut next = |end: u32| end - std::mem::replace(&mut start, end);
    // All of them at once, as long as each takes a byte.
    let from = raw.len();
    let mut longest = 0;
    raw.extend(ends.iter().map(|&end| {
        let length = next(end);
        longest = longest.max(length);
        length.to_le_bytes()[0]
    }));
    if longest >= u8::MAX.into() {
        raw.truncate(from);
        start = 0;
        ends.iter().for_each(|&end| put_length(end - std::mem::replace(&mut start, end), raw));
    }
}

/// Short lengths take a byte.
pub(super) fn put_length(length: u32, raw: &mut Vec<u8>) {
    match u8::try_from(length) {
        Ok(short) if short < u8::MAX => raw.push(short),
        _ => {
            raw.push(u8::MAX);
            raw.extend(length.to_le_bytes());
        }
    }
}

pub(super) fn next_length(rest: &mut &[u8]) -> Option<u32> {
    let (&short, left) = rest.split_first()?;
    *rest = left;
    if short < u8::MAX {
        return Some(u32::from(short));
    }
    let (long, left) = rest.split_first_chunk()?;
    *rest = left;
    Some(u32::from_le_bytes(*long))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All at once or one by one, the same lengths stand there and come back.
    #[test]
    fn lengths_come_back() {
        for lengths in [vec![], vec![0, 7, 254], vec![255], vec![3, 300, 0, 254, 255, 70_000, 1], vec![254; 9]] {
            let ends: Vec<u32> = lengths
                .iter()
                .scan(0, |end, length| {
                    *end += length;
                    Some(*end)
                })
                .collect();
            let (mut at_once, mut one_by_one) = (vec![9], vec![9]);
            put_lengths(&ends, &mut at_once);
            lengths.iter().for_each(|&length| put_length(length, &mut one_by_one));
            assert_eq!(at_once, one_by_one, "{lengths:?}");
            let mut rest = at_once.get(1..).unwrap();
            let back: Vec<u32> = lengths.iter().filter_map(|_| next_length(&mut rest)).collect();
            assert_eq!((back, rest), (lengths, &[][..]));
        }
    }
}
