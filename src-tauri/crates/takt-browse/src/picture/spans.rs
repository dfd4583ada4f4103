//! Draws bars on a time line with two time ranges each: planned and real, or open and acknowledged.

use serde_json::Value;

use crate::picture::row_fields::{Interner, LocalTimeReader, join_label, text_at};
use crate::picture::view::{PlanStatus, SpansView};

/// The maximum number of tracks per lane. Further bars overlap.
const MAX_TRACKS: usize = 12;

/// The names of the fields that give each bar its lane, label, dates and status.
pub(super) struct SpanRoles<'a> {
    pub(super) lane: &'a str,
    pub(super) label: &'a [String],
    pub(super) first: (&'a str, &'a str),
    pub(super) second: Option<(&'a str, &'a str)>,
    pub(super) status: Option<&'a str>,
    /// True if the first range is a plan. A plan needs a begin and an end, and a bar can be late against it.
    pub(super) planned: bool,
}

pub(super) struct SpansBuilder<'a> {
    roles: SpanRoles<'a>,
    bars: Vec<Bar>,
    statuses: Interner<String>,
    unplanned: Vec<(u32, String)>,
}

type TimeRange = (Option<i64>, Option<i64>);

struct Bar {
    row: u32,
    lane: String,
    label: String,
    first: TimeRange,
    second: TimeRange,
    status: u32,
}

impl<'a> SpansBuilder<'a> {
    pub(super) fn new(roles: SpanRoles<'a>) -> Self {
        Self { roles, bars: Vec::new(), statuses: Interner::new(), unplanned: Vec::new() }
    }

    pub(super) fn add(&mut self, reader: &LocalTimeReader, at: u32, row: &Value) {
        let roles = &self.roles;
        let times =
            |(begin, end): (&str, &str)| (reader.local_seconds_at(row, begin), reader.local_seconds_at(row, end));
        let mut first = times(roles.first);
        let mut second = roles.second.map(times).unwrap_or_default();
        if roles.planned && (first.0.is_none() || first.1.is_none()) {
            first = (None, None);
        }
        if second.0.is_none() {
            // An alert that was closed without being acknowledged lasts until it was closed.
            first.1 = if roles.planned { first.1 } else { first.1.or(second.1) };
            second = (None, None);
        }
        let label = join_label(row, roles.label);
        if first.0.is_none() && second.0.is_none() {
            self.unplanned.push((at, label));
            return;
        }
        let status = roles.status.map(|path| text_at(row, path)).unwrap_or_default();
        let status = self.statuses.intern(status);
        self.bars.push(Bar { row: at, lane: text_at(row, roles.lane), label, first, second, status });
    }

    pub(super) fn build(self, now: i64) -> SpansView {
        let mut lanes: Vec<String> = self.bars.iter().map(|bar| bar.lane.clone()).collect();
        // The lane for rows without a lane is last.
        lanes.sort_by(|a, b| (a.is_empty(), a).cmp(&(b.is_empty(), b)));
        lanes.dedup();
        let mut view = SpansView { statuses: self.statuses.into_values(), ..SpansView::default() };
        for bar in &self.bars {
            let lane = lanes.binary_search_by(|lane| (lane.is_empty(), lane).cmp(&(bar.lane.is_empty(), &bar.lane)));
            view.lane.push(u32::try_from(lane.unwrap_or_default()).unwrap_or_default());
            view.rows.push(bar.row);
            view.first_begin.push(bar.first.0);
            view.first_end.push(bar.first.1);
            view.second_begin.push(bar.second.0);
            view.second_end.push(bar.second.1);
            view.standing.push(if self.roles.planned { bar.plan_status(now) } else { PlanStatus::Fine });
            view.status.push(bar.status);
        }
        (view.track, view.tracks) = assign_all_tracks(&self.bars, &view.lane, lanes.len(), now);
        view.label = self.bars.into_iter().map(|bar| bar.label).collect();
        (view.unplanned, view.unplanned_label) = self.unplanned.into_iter().unzip();
        view.lanes = lanes;
        view
    }
}

/// Assigns overlapping bars of each lane to different tracks. Returns each bar's track, and the number of tracks per
/// lane.
fn assign_all_tracks(bars: &[Bar], lane: &[u32], lanes: usize, now: i64) -> (Vec<u32>, Vec<u32>) {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); lanes];
    for (index, lane) in lane.iter().enumerate() {
        if let Some(members) = members.get_mut(*lane as usize) {
            members.push(index);
        }
    }
    let mut track = vec![0; bars.len()];
    let counts = members.iter().map(|members| {
        let extents: Vec<(i64, i64)> =
            members.iter().filter_map(|index| bars.get(*index)).map(|bar| bar.extent(now)).collect();
        let (tracks, count) = assign_tracks(&extents);
        for (index, bar_track) in members.iter().zip(tracks) {
            if let Some(slot) = track.get_mut(*index) {
                *slot = bar_track;
            }
        }
        count
    });
    let counts = counts.collect();
    (track, counts)
}

impl Bar {
    /// Returns the earliest and the latest time of the bar.
    fn extent(&self, now: i64) -> (i64, i64) {
        let begin = self.first.0.into_iter().chain(self.second.0).min().unwrap_or_default();
        let until = |(begin, end): TimeRange| begin.map(|begin| end.unwrap_or(now).max(begin));
        let end = until(self.first).into_iter().chain(until(self.second)).max().unwrap_or(begin);
        (begin, end)
    }

    fn plan_status(&self, now: i64) -> PlanStatus {
        let (Some(begin), Some(end)) = self.first else { return PlanStatus::Fine };
        match self.second {
            (Some(_), Some(ended)) if ended > end => PlanStatus::Late,
            (Some(_), Some(_)) => PlanStatus::Fine,
            _ if end < now => PlanStatus::Overdue,
            (None, _) if begin < now => PlanStatus::Waiting,
            _ => PlanStatus::Fine,
        }
    }
}

/// Returns the track of each bar, in the bars' order, and the number of tracks. Bars are `(begin, end)`.
fn assign_tracks(bars: &[(i64, i64)]) -> (Vec<u32>, u32) {
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
