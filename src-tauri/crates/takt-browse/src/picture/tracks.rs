//! Bars of one lane that lie at the same time, laid below each other.

/// More than these in one lane lie over each other.
const MAX_TRACKS: usize = 12;

/// Which track each bar takes, in the bars' order, and how many the lane has. Bars are `(begin, end)`.
pub(super) fn lay(bars: &[(i64, i64)]) -> (Vec<u32>, u32) {
    let mut order: Vec<usize> = (0..bars.len()).collect();
    order.sort_by_key(|index| bars.get(*index).copied().unwrap_or_default());
    let mut free: Vec<i64> = Vec::new();
    let mut tracks = vec![0; bars.len()];
    for index in order {
        let (begin, end) = bars.get(index).copied().unwrap_or_default();
        let found = free.iter().position(|free| *free <= begin);
        let track = match found {
            Some(track) => track,
            None if free.len() < MAX_TRACKS => {
                free.push(i64::MIN);
                free.len() - 1
            }
            // Over the one that ends first.
            None => free.iter().enumerate().min_by_key(|(_, free)| **free).map_or(0, |(track, _)| track),
        };
        if let (Some(free), Some(slot)) = (free.get_mut(track), tracks.get_mut(index)) {
            *free = (*free).max(end.max(begin + 1));
            *slot = u32::try_from(track).unwrap_or_default();
        }
    }
    (tracks, u32::try_from(free.len()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_lies_below_each_other() {
        assert_eq!(lay(&[(0, 10), (10, 20), (5, 12), (12, 13)]), (vec![0, 0, 1, 1], 2));
        assert_eq!(lay(&[]), (vec![], 0));
        let all_at_once = lay(&[(0, 10); 100]);
        assert_eq!(all_at_once.1, 12);
    }
}
