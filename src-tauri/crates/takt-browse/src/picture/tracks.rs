//! Assigns overlapping bars of a lane to tracks below each other.

/// The most tracks per lane. Further bars overlap.
const MAX_TRACKS: usize = 12;

/// Returns the track of each bar, in the bars' order, and the number of tracks. Bars are `(begin, end)`.
pub(super) fn assign_tracks(bars: &[(i64, i64)]) -> (Vec<u32>, u32) {
    let mut order: Vec<usize> = (0..bars.len()).collect();
    order.sort_by_key(|index| bars.get(*index).copied().unwrap_or_default());
    let mut track_ends: Vec<i64> = Vec::new();
    let mut tracks = vec![0; bars.len()];
    for index in order {
        let (begin, end) = bars.get(index).copied().unwrap_or_default();
        let free_track = track_ends.iter().position(|track_end| *track_end <= begin);
        let track = match free_track {
            Some(track) => track,
            None if track_ends.len() < MAX_TRACKS => {
                track_ends.push(i64::MIN);
                track_ends.len() - 1
            }
            // Overlap the bar that ends first.
            None => {
                track_ends.iter().enumerate().min_by_key(|(_, track_end)| **track_end).map_or(0, |(track, _)| track)
            }
        };
        if let (Some(track_end), Some(slot)) = (track_ends.get_mut(track), tracks.get_mut(index)) {
            *track_end = (*track_end).max(end.max(begin + 1));
            *slot = u32::try_from(track).unwrap_or_default();
        }
    }
    (tracks, u32::try_from(track_ends.len()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_lies_below_each_other() {
        assert_eq!(assign_tracks(&[(0, 10), (10, 20), (5, 12), (12, 13)]), (vec![0, 0, 1, 1], 2));
        assert_eq!(assign_tracks(&[]), (vec![], 0));
        let all_at_once = assign_tracks(&[(0, 10); 100]);
        assert_eq!(all_at_once.1, 12);
    }
}
