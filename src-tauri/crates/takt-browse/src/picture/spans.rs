//! Bars on a time line, with two times each: planned and real, or open and acknowledged.

use serde_json::Value;

use super::{
    cells::{Once, Reader, label, text},
    tracks,
    view::{SpansView, Standing},
};

/// Which fields are drawn.
pub(super) struct SpanRoles<'a> {
    pub(super) lane: &'a str,
    pub(super) label: &'a [String],
    pub(super) first: (&'a str, &'a str),
    pub(super) second: Option<(&'a str, &'a str)>,
    pub(super) status: Option<&'a str>,
    /// True where the first is a plan: it can be kept or not, and one without an end isn't one.
    pub(super) planned: bool,
}

pub(super) struct Making<'a> {
    roles: SpanRoles<'a>,
    bars: Vec<Bar>,
    statuses: Once<String>,
    unplanned: Vec<(u32, String)>,
}

type Times = (Option<i64>, Option<i64>);

struct Bar {
    row: u32,
    lane: String,
    label: String,
    first: Times,
    second: Times,
    status: u32,
}

impl<'a> Making<'a> {
    pub(super) fn new(roles: SpanRoles<'a>) -> Self {
        Self { roles, bars: Vec::new(), statuses: Once::new(), unplanned: Vec::new() }
    }

    pub(super) fn take(&mut self, reader: &Reader, at: u32, row: &Value) {
        let roles = &self.roles;
        let times = |(begin, end): (&str, &str)| (reader.moment(row, begin), reader.moment(row, end));
        let mut first = times(roles.first);
        let mut second = roles.second.map(times).unwrap_or_default();
        if roles.planned && (first.0.is_none() || first.1.is_none()) {
            first = (None, None);
        }
        if second.0.is_none() {
            // What was never acknowledged, and closed all the same.
            first.1 = if roles.planned { first.1 } else { first.1.or(second.1) };
            second = (None, None);
        }
        let label = label(row, roles.label);
        if first.0.is_none() && second.0.is_none() {
            self.unplanned.push((at, label));
            return;
        }
        let status = roles.status.map(|path| text(row, path)).unwrap_or_default();
        let status = self.statuses.index(status);
        self.bars.push(Bar { row: at, lane: text(row, roles.lane), label, first, second, status });
    }

    pub(super) fn view(self, now: i64) -> SpansView {
        let mut lanes: Vec<String> = self.bars.iter().map(|bar| bar.lane.clone()).collect();
        // The lane of those without one comes last.
        lanes.sort_by(|a, b| (a.is_empty(), a).cmp(&(b.is_empty(), b)));
        lanes.dedup();
        let mut view = SpansView { statuses: self.statuses.list(), ..SpansView::default() };
        for bar in &self.bars {
            let lane = lanes.binary_search_by(|lane| (lane.is_empty(), lane).cmp(&(bar.lane.is_empty(), &bar.lane)));
            view.lane.push(u32::try_from(lane.unwrap_or_default()).unwrap_or_default());
            view.rows.push(bar.row);
            view.first_begin.push(bar.first.0);
            view.first_end.push(bar.first.1);
            view.second_begin.push(bar.second.0);
            view.second_end.push(bar.second.1);
            view.standing.push(if self.roles.planned { bar.standing(now) } else { Standing::Fine });
            view.status.push(bar.status);
        }
        (view.track, view.tracks) = lay_all(&self.bars, &view.lane, lanes.len(), now);
        view.label = self.bars.into_iter().map(|bar| bar.label).collect();
        (view.unplanned, view.unplanned_label) = self.unplanned.into_iter().unzip();
        view.lanes = lanes;
        view
    }
}

/// Each lane's bars below each other where they lie at the same time.
fn lay_all(bars: &[Bar], lane: &[u32], lanes: usize, now: i64) -> (Vec<u32>, Vec<u32>) {
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
        let (tracks, count) = tracks::lay(&extents);
        for (index, own) in members.iter().zip(tracks) {
            if let Some(slot) = track.get_mut(*index) {
                *slot = own;
            }
        }
        count
    });
    let counts = counts.collect();
    (track, counts)
}

impl Bar {
    /// From the earliest of its times to the latest.
    fn extent(&self, now: i64) -> (i64, i64) {
        let begin = self.first.0.into_iter().chain(self.second.0).min().unwrap_or_default();
        let until = |(begin, end): Times| begin.map(|begin| end.unwrap_or(now).max(begin));
        let end = until(self.first).into_iter().chain(until(self.second)).max().unwrap_or(begin);
        (begin, end)
    }

    fn standing(&self, now: i64) -> Standing {
        let (Some(begin), Some(end)) = self.first else { return Standing::Fine };
        match self.second {
            (Some(_), Some(ended)) if ended > end => Standing::Late,
            (Some(_), Some(_)) => Standing::Fine,
            _ if end < now => Standing::Overdue,
            (None, _) if begin < now => Standing::Waiting,
            _ => Standing::Fine,
        }
    }
}
