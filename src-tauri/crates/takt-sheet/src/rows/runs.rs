//! Ascending numbers by position, stored as runs of consecutive numbers. A sheet without gaps is a single run.

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Runs {
    /// The start position and the first number of each run.
    starts: Vec<(u32, u32)>,
    length: u32,
    last: Option<u32>,
}

impl Runs {
    pub(super) fn len(&self) -> u32 {
        self.length
    }

    pub(super) fn last(&self) -> Option<u32> {
        self.last
    }

    /// Appends a number, which must be larger than all others.
    pub(super) fn push(&mut self, number: u32) {
        if self.last.and_then(|last| last.checked_add(1)) != Some(number) {
            self.starts.push((self.length, number));
        }
        self.last = Some(number);
        self.length += 1;
    }

    pub(super) fn get(&self, position: u32) -> Option<u32> {
        if position >= self.length {
            return None;
        }
        let run = self.starts.partition_point(|(start, _)| *start <= position).checked_sub(1)?;
        let (start, number) = self.starts.get(run)?;
        Some(number + (position - start))
    }

    /// Returns how many numbers are smaller than this one.
    pub(super) fn count_below(&self, number: u32) -> u32 {
        let Some(run) = self.starts.partition_point(|(_, first)| *first < number).checked_sub(1) else { return 0 };
        let Some((start, first)) = self.starts.get(run) else { return 0 };
        let end = self.starts.get(run + 1).map_or(self.length, |(start, _)| *start);
        (start + (number - first)).min(end)
    }

    pub(super) fn position(&self, number: u32) -> Option<u32> {
        let run = self.starts.partition_point(|(_, first)| *first <= number).checked_sub(1)?;
        let (start, first) = self.starts.get(run)?;
        let end = self.starts.get(run + 1).map_or(self.length, |(start, _)| *start);
        Some(start + (number - first)).filter(|&position| position < end)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.starts.len()).flat_map(|run| {
            let (start, first) = self.starts.get(run).copied().unwrap_or_default();
            let end = self.starts.get(run + 1).map_or(self.length, |(start, _)| *start);
            first..first + (end - start)
        })
    }

    pub(super) fn shrink(&mut self) {
        self.starts.shrink_to_fit();
    }
}

/// Ranges of row numbers (first and last), ascending and disjoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    pub(super) fn new(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        ranges.dedup_by(|later, earlier| {
            let touch = later.0 <= earlier.1.saturating_add(1);
            if touch {
                earlier.1 = earlier.1.max(later.1);
            }
            touch
        });
        ranges.shrink_to_fit();
        Self(ranges)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        let at = self.0.partition_point(|(_, last)| *last < number);
        self.0.get(at).is_some_and(|(first, _)| *first <= number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_position_and_back() {
        let numbers = [1, 2, 3, 7, 9, 10, 4_000_000_000];
        let mut runs = Runs::default();
        numbers.iter().for_each(|&number| runs.push(number));
        assert_eq!(runs.starts.len(), 4);
        assert_eq!(runs.iter().collect::<Vec<_>>(), numbers);
        for (position, &number) in (0..).zip(&numbers) {
            assert_eq!((runs.get(position), runs.position(number)), (Some(number), Some(position)));
        }
        for below in [0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 4_000_000_000, u32::MAX] {
            let expected = numbers.iter().filter(|&&number| number < below).count();
            assert_eq!(runs.count_below(below) as usize, expected, "{below}");
        }
        for absent in [0, 4, 6, 8, 11, u32::MAX] {
            assert_eq!(runs.position(absent), None, "{absent}");
        }
        assert_eq!(runs.get(7), None);
        assert_eq!(Runs::default().position(1), None);
    }

    #[test]
    fn ranges_hold_what_lies_in_them() {
        let ranges = Ranges::new(vec![(7, 9), (2, 2), (3, 3), (8, 12), (20, 19)]);
        let contained: Vec<u32> = (0..25).filter(|&number| ranges.contains(number)).collect();
        assert_eq!(contained, [2, 3, 7, 8, 9, 10, 11, 12]);
    }
}
