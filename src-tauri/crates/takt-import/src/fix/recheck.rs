//! Checks only the rows again that a fix can have affected. These are the changed rows, and rows that share their key
//! before or after. Other rows keep their findings.

use takt_sheet::RowSpan;

use crate::{
    check::{CheckResult, check},
    pass::{NO_ITEM, NO_KEY, RowGrouper, UnsortedResult, date_order_marks, key_hash},
    row_mapper::RowMapper,
};
use takt_core::finding::FindingCode;

/// If more than one in this many rows changed, all rows are checked, which is as fast.
const FULL_CHECK_DIVISOR: usize = 4;

/// Checks the changed rows again. `changed` are ascending positions. The column formats must be those of `before`.
pub(crate) fn recheck(mapper: &RowMapper<'_>, rows: RowSpan<'_>, before: CheckResult, changed: &[u32]) -> CheckResult {
    if changed.len() > rows.len() / FULL_CHECK_DIVISOR || before.hashes.len() != rows.len() {
        return check(mapper, rows);
    }
    let affected = rows_to_check(mapper, rows, &before, changed);
    let positions = (0..rows.len()).filter(|&position| affected.get(position) == Some(&true));
    let (checked, checked_items) = RowGrouper::check_rows(mapper, rows, positions).into_result();
    let mut numbering = ItemNumbering::new(&before, checked_items);
    let is_affected = |position: usize| affected.get(position).copied().unwrap_or_default();
    let items =
        (0..rows.len()).map(|position| numbering.item(&before, &checked, position, is_affected(position))).collect();
    let hashes = (0..rows.len()).map(|position| {
        let from = if is_affected(position) { &checked.hashes } else { &before.hashes };
        from.get(position).copied().unwrap_or(NO_KEY)
    });
    let hashes = hashes.collect();
    let mut marks: Vec<_> = before
        .marks
        .into_iter()
        .filter(|mark| !is_affected(mark.position.index()) && mark.code != FindingCode::DateOrder)
        .collect();
    marks.extend(checked.marks);
    marks.extend(date_order_marks(mapper, rows));
    CheckResult::new(mapper, rows.len(), UnsortedResult { marks, items, hashes }, numbering.next)
}

/// Returns, by row, whether it must be checked again.
fn rows_to_check(mapper: &RowMapper<'_>, rows: RowSpan<'_>, before: &CheckResult, changed: &[u32]) -> Vec<bool> {
    let mut affected = vec![false; rows.len()];
    let mut keys: Vec<u64> = Vec::new();
    let mut reader = rows.reader();
    for &position in changed {
        if let Some(slot) = affected.get_mut(position as usize) {
            *slot = true;
        }
        keys.extend(before.hashes.get(position as usize));
        keys.extend(reader.get(position as usize).map(|row| key_hash(mapper, &row)));
    }
    keys.retain(|&key| key != NO_KEY);
    keys.sort_unstable();
    keys.dedup();
    for (slot, hash) in affected.iter_mut().zip(&before.hashes) {
        *slot |= keys.binary_search(hash).is_ok();
    }
    affected
}

/// Renumbers items in the order of their first rows.
struct ItemNumbering {
    next: u32,
    from_before: Vec<u32>,
    from_check: Vec<u32>,
}

impl ItemNumbering {
    fn new(before: &CheckResult, checked: u32) -> Self {
        let none = |items: u32| vec![NO_ITEM; items as usize];
        Self { next: 0, from_before: none(before.counts.items), from_check: none(checked) }
    }

    fn item(&mut self, before: &CheckResult, checked: &UnsortedResult, position: usize, affected: bool) -> u32 {
        let (from, numbers) =
            if affected { (&checked.items, &mut self.from_check) } else { (&before.items, &mut self.from_before) };
        let Some(number) = from.get(position).and_then(|&item| numbers.get_mut(item as usize)) else { return NO_ITEM };
        if *number == NO_ITEM {
            *number = self.next;
            self.next += 1;
        }
        *number
    }
}
