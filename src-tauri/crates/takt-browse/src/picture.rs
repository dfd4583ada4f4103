//! Pictures of rows that were read: from a set to compact columns that can be drawn.
//!
//! Owns reading each role's field out of the rows (`cells`), and the columns of each shape: `spans` on a time line, `bars`
//! that add up, a `week` of hours; and the picture as a file (`saved`). Which field plays which role stands in the contract. Leaves how it looks to the window.

mod bars;
mod cells;
mod saved;
mod spans;
mod tracks;
mod view;
mod week;

use std::{collections::HashSet, sync::Arc};

use serde_json::Value;
use takt_client::Canceller;
use takt_contract::{
    Contract,
    picture::{Picture, PictureKind},
};

use self::{bars::BarMeasure, cells::MomentReader, spans::SpanRoles};
use takt_core::{Code, Problem};
use takt_sites::{Context, Sites};

use crate::{Browse, BrowseQuery, RowSet};

pub use view::*;

/// More than a person can make sense of, and a bound for what crosses to the window.
const MAX_ROWS: usize = 100_000;
/// Stations whose hours are read as a background.
const MAX_STATIONS: u32 = 2_000;

/// Pictures of rows that were read.
#[derive(Clone)]
pub struct Pictures {
    pub contract: Arc<Contract>,
    pub sites: Arc<Sites>,
    pub(crate) browse: Browse,
}

takt_core::opaque_debug!(Pictures);

impl Pictures {
    /// Pictures of what `browse` reads.
    #[must_use]
    pub fn new(context: &Context, browse: Browse) -> Self {
        Self { contract: Arc::clone(&context.contract), sites: Arc::clone(&context.sites), browse }
    }

    /// The columns of one of the pictures that the contract has for a set's rows, of all rows or of those at `positions`.
    /// The site's wall clock counts: every moment is in seconds since 1970 as if it were UTC.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the list has no such picture, the picture no grouping of number [`PictureQuery::by`], or the
    ///   set's site is gone.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn draw(&self, set: &RowSet, query: &PictureQuery, positions: Option<&[u32]>) -> Result<PictureView, Problem> {
        let picture = self.find_picture(set.site(), set.operation(), &query.picture)?;
        let reader = self.reader(set.site())?;
        let now = reader.now(self.sites.now_at(set.site()));
        let mut making = PictureBuilder::of(&picture, query.by)?;
        let wanted: Option<HashSet<u32>> = positions.map(|positions| positions.iter().copied().collect());
        let (mut rows, mut omitted) = (0_u32, 0_u32);
        set.each(|at, text| {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            if wanted.as_ref().is_some_and(|wanted| !wanted.contains(&at)) {
                return;
            }
            rows += 1;
            if rows as usize > MAX_ROWS {
                omitted += 1;
                return;
            }
            let row: Value = serde_json::from_str(text).unwrap_or_default();
            making.take(&reader, at, &row);
        });
        let drawn = making.drawn(now);
        Ok(PictureView { rows, omitted: omitted + drawn.omitted(), now, drawn })
    }

    /// The hours of the lanes of a picture of `operation`, read from the list that the contract names for it. Absent where
    /// it names none.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the list has no such picture.
    /// - What reading the calendar's list fails with, as [`Browse::read_all`].
    pub async fn calendar(&self, site: &str, operation: &str, picture: &str) -> Result<Option<PictureView>, Problem> {
        let PictureKind::Plan { calendar: Some(list), .. } = &self.find_picture(site, operation, picture)?.draw else {
            return Ok(None);
        };
        let contract = self.sites.contract(site)?;
        let pictures = contract.operation(list).map(|operation| operation.pictures.as_slice());
        let mut calendars = pictures.unwrap_or_default().iter();
        let calendar = calendars.find(|picture| matches!(picture.draw, PictureKind::Calendar { .. }));
        let Some(calendar) = calendar else { return Ok(None) };
        let set = self.browse.row_set(site, list)?;
        let canceller = Canceller::new();
        let enough = canceller.clone();
        let query = BrowseQuery { operation: list.clone(), ..BrowseQuery::default() };
        self.browse
            .read_all(&query, &set, &canceller, move |progress| {
                if progress.rows >= MAX_STATIONS {
                    enough.cancel();
                }
            })
            .await?;
        let query = PictureQuery { picture: calendar.id.clone(), by: 0 };
        self.draw(&set, &query, None).map(Some)
    }

    fn find_picture(&self, site: &str, operation: &str, id: &str) -> Result<Picture, Problem> {
        let contract = self.sites.contract(site)?;
        let pictures = contract.operation(operation).map(|operation| operation.pictures.as_slice());
        let picture = pictures.unwrap_or_default().iter().find(|picture| picture.id == id).cloned();
        picture.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id))
    }

    fn reader(&self, site: &str) -> Result<MomentReader, Problem> {
        let zone = self.sites.find(site)?.time_zone;
        let unset = self.contract.assumption("event-date-unset").and_then(Value::as_str);
        Ok(MomentReader::new(&zone, unset))
    }
}

/// A picture while rows come.
enum PictureBuilder<'a> {
    Spans(spans::SpansBuilder<'a>),
    Bars(bars::BarsBuilder<'a>),
    Week(week::WeekBuilder<'a>),
}

impl<'a> PictureBuilder<'a> {
    fn of(picture: &'a Picture, by: u32) -> Result<Self, Problem> {
        let grouping = |by_all: &'a [takt_contract::picture::Grouping]| {
            by_all.get(by as usize).ok_or_else(|| Problem::new(Code::Unknown).parameter("what", by.to_string()))
        };
        Ok(match &picture.draw {
            PictureKind::Plan { lane, label, planned, real, status, .. } => {
                Self::Spans(spans::SpansBuilder::new(SpanRoles {
                    lane,
                    label,
                    first: (&planned.begin, &planned.end),
                    second: real.as_ref().map(|real| (real.begin.as_str(), real.end.as_str())),
                    status: status.as_deref(),
                    planned: true,
                }))
            }
            PictureKind::Alerts { lane, label, opened, acknowledged, closed } => {
                Self::Spans(spans::SpansBuilder::new(SpanRoles {
                    lane,
                    label,
                    first: (opened, acknowledged),
                    second: Some((acknowledged, closed)),
                    status: None,
                    planned: false,
                }))
            }
            PictureKind::Counted { by } => Self::Bars(bars::BarsBuilder::new(grouping(by)?, BarMeasure::Count)),
            PictureKind::Spent { by, time } => {
                Self::Bars(bars::BarsBuilder::new(grouping(by)?, BarMeasure::times(&[], [time])))
            }
            PictureKind::Produced { by, requested, good, bad } => Self::Bars(bars::BarsBuilder::new(
                grouping(by)?,
                BarMeasure::quantities([requested], [good, bad], None, None),
            )),
            PictureKind::Consumed { by, list, planned, consumed, unit } => {
                let sums = BarMeasure::quantities(planned, [consumed], list.as_deref(), unit.as_deref());
                Self::Bars(bars::BarsBuilder::new(grouping(by)?, sums))
            }
            PictureKind::Predicted { by, predicted, spent } if spent.is_empty() => {
                Self::Bars(bars::BarsBuilder::new(grouping(by)?, BarMeasure::times(&[], predicted)))
            }
            PictureKind::Predicted { by, predicted, spent } => {
                Self::Bars(bars::BarsBuilder::new(grouping(by)?, BarMeasure::times(predicted, spent)))
            }
            PictureKind::Calendar { lane, label, shifts, stoppages } => {
                Self::Week(week::WeekBuilder::new(lane, label, shifts, stoppages.as_ref()))
            }
        })
    }

    fn take(&mut self, reader: &MomentReader, at: u32, row: &Value) {
        match self {
            Self::Spans(making) => making.take(reader, at, row),
            Self::Bars(making) => making.take(at, row),
            Self::Week(making) => making.take(reader, at, row),
        }
    }

    fn drawn(self, now: i64) -> DrawnPicture {
        match self {
            Self::Spans(making) => DrawnPicture::Spans(making.view(now)),
            Self::Bars(making) => DrawnPicture::Bars(making.view()),
            Self::Week(making) => DrawnPicture::Week(making.view()),
        }
    }
}
