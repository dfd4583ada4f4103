//! A set of row numbers that finds rows which a sheet has more than once.

const BITS: u32 = u64::BITS;

/// A bit per row up to the largest number, which the limits bound.
#[derive(Debug, Default)]
pub(crate) struct RowNumbers(Vec<u64>);

impl RowNumbers {
    /// Adds a number. Returns false if it was added before.
    #[inline]
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = ((number / BITS) as usize, 1 << (number % BITS));
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let Some(word) = self.0.get_mut(word) else { return false };
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_new_once() {
        let mut numbers = RowNumbers::default();
        let added = [5, 63, 64, 1_048_576, 0, 64, 5].map(|number| numbers.insert(number));
        assert_eq!(added, [true, true, true, true, true, false, false]);
    }
}
