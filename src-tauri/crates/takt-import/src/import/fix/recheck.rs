//! Only the rows that a fix can have touched are checked again: the changed ones, and those with the same key before or
//! after. Everything else stays as it was found.

use takt_sheet::RowSpan;

use super::super::{
    check::{CheckResult, Plan, check},
    pass::{NO_ITEM, NO_KEY, Pass, PassResult, key_hash, orders},
};
use takt_core::finding::FindingCode;

/// With more of the rows than one in so many, all are checked: that is as fast.
const SHARE: usize = 4;

/// `changed` are positions, ascending. The columns' verdicts must be the ones that `before` was found with.
pub(crate) fn recheck(plan: &Plan<'_>, rows: RowSpan<'_>, before: CheckResult, changed: &[u32]) -> CheckResult {
    if changed.len() > rows.len() / SHARE || before.hashes.len() != rows.len() {
        return check(plan, rows);
    }
    let touched = touched(plan, rows, &before, changed);
    let positions = (0..rows.len()).filter(|&position| touched.get(position) == Some(&true));
    let (found, found_items) = Pass::over(plan, rows, positions).into_raw();
    let mut joined = ItemNumbering::new(&before, found_items);
    let is_touched = |position: usize| touched.get(position).copied().unwrap_or_default();
    let items = (0..rows.len()).map(|position| joined.item(&before, &found, position, is_touched(position))).collect();
    let hashes = (0..rows.len()).map(|position| {
        let from = if is_touched(position) { &found.hashes } else { &before.hashes };
        from.get(position).copied().unwrap_or(NO_KEY)
    });
    let hashes = hashes.collect();
    let mut marks: Vec<_> = before
        .marks
        .into_iter()
        .filter(|mark| !is_touched(mark.position.index()) && mark.code != FindingCode::DateOrder)
        .collect();
    marks.extend(found.marks);
    marks.extend(orders(plan, rows));
    CheckResult::new(plan, rows.len(), PassResult { marks, items, hashes }, joined.next)
}

/// By row.
fn touched(plan: &Plan<'_>, rows: RowSpan<'_>, before: &CheckResult, changed: &[u32]) -> Vec<bool> {
    let mut touched = vec![false; rows.len()];
    let mut keys: Vec<u64> = Vec::new();
    let mut reader = rows.reader();
    for &position in changed {
        if let Some(place) = touched.get_mut(position as usize) {
            *place = true;
        }
        keys.extend(before.hashes.get(position as usize));
        keys.extend(reader.get(position as usize).map(|row| key_hash(plan, &row)));
    }
    keys.retain(|&key| key != NO_KEY);
    keys.sort_unstable();
    keys.dedup();
    for (place, hash) in touched.iter_mut().zip(&before.hashes) {
        *place |= keys.binary_search(hash).is_ok();
    }
    touched
}

/// Gives items their numbers anew, in the order of their first rows.
struct ItemNumbering {
    next: u32,
    from_before: Vec<u32>,
    from_pass: Vec<u32>,
}

impl ItemNumbering {
    fn new(before: &CheckResult, found: u32) -> Self {
        let none = |items: u32| vec![NO_ITEM; items as usize];
        Self { next: 0, from_before: none(before.counts.items), from_pass: none(found) }
    }

    fn item(&mut self, before: &CheckResult, found: &PassResult, position: usize, touched: bool) -> u32 {
        let (from, names) =
            if touched { (&found.items, &mut self.from_pass) } else { (&before.items, &mut self.from_before) };
        let Some(name) = from.get(position).and_then(|&item| names.get_mut(item as usize)) else { return NO_ITEM };
        if *name == NO_ITEM {
            *name = self.next;
            self.next += 1;
        }
        *name
    }
}
