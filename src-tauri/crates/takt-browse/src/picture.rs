//! Turns the rows of a set into compact columns for charts.
//!
//! `row_fields` reads the fields out of the rows. Charts are `spans` on a time line, `bars` that add up, or a `week` of
//! hours. The contract assigns the roles in a picture to fields. The window draws the charts.

mod bars;
mod row_fields;
mod spans;
mod view;
mod week;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use takt_client::Canceller;
use takt_contract::Contract;
use takt_contract::picture::{Picture, PictureKind};
use takt_core::{Code, Problem, write_file};
use takt_sites::{Context, Sites};

use crate::{Browse, BrowseQuery, RowSet};
use bars::BarMeasure;
use row_fields::LocalTimeReader;
use spans::SpanRoles;

pub use view::{BarsView, DrawnPicture, Measure, PictureQuery, PictureView, PlanStatus, SpansView, WeekView};

/// The maximum rows of a picture. More would be unreadable. Also limits the data sent to the window.
const MAX_ROWS: usize = 100_000;
/// The maximum number of stations whose hours are read as a background.
const MAX_STATIONS: u32 = 2_000;
/// The maximum characters of a picture in base64. A picture of a very large screen takes a tenth of it.
const MAX_BASE64_LENGTH: usize = 64 << 20;
/// The first bytes of every PNG.
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Turns rows into the columns of charts, and saves drawn charts as PNG files.
#[derive(Clone)]
pub struct Pictures {
    pub contract: Arc<Contract>,
    pub sites: Arc<Sites>,
    pub(crate) browse: Browse,
}

takt_core::opaque_debug!(Pictures);

impl Pictures {
    /// Creates charts of rows that `browse` reads.
    #[must_use]
    pub fn new(context: &Context, browse: Browse) -> Self {
        Self { contract: Arc::clone(&context.contract), sites: Arc::clone(&context.sites), browse }
    }

    /// Returns the columns of a picture of a set's rows, of all rows or of those at `positions`. Times are local to the
    /// site, in seconds since 1970 as if they were UTC.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the list has no such picture, the picture has no grouping with the number
    ///   [`PictureQuery::by`], or the set's site was removed.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn draw(&self, set: &RowSet, query: &PictureQuery, positions: Option<&[u32]>) -> Result<PictureView, Problem> {
        let picture = self.find_picture(set.site(), set.operation(), &query.picture)?;
        let reader = self.reader(set.site())?;
        let now = reader.local_seconds(self.sites.site_clock(set.site())());
        let mut builder = PictureBuilder::new(&picture, query.by)?;
        let wanted: Option<HashSet<u32>> = positions.map(|positions| positions.iter().copied().collect());
        let (mut rows, mut omitted) = (0_u32, 0_u32);
        set.for_each_row(|at, text| {
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
            builder.add(&reader, at, &row);
        });
        let drawn = builder.build(now);
        Ok(PictureView { rows, omitted: omitted + drawn.omitted(), now, drawn })
    }

    /// Reads the hours of a picture's lanes from the list that the contract names for the operation. Returns `None` if
    /// the contract names no list.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the list has no such picture.
    /// - The errors of [`Browse::read_all`] for the calendar's list.
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

    /// Writes a base64-encoded PNG, and refuses anything else. An existing file is only replaced by a complete one.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: `base64` is too long, invalid, or not a PNG.
    /// - [`Code::WriteFailed`]: the file can't be written.
    pub fn save_png(&self, base64: &str, path: &Path) -> Result<(), Problem> {
        write_file(path, &decode_png(base64)?)
    }

    fn find_picture(&self, site: &str, operation: &str, id: &str) -> Result<Picture, Problem> {
        let contract = self.sites.contract(site)?;
        let pictures = contract.operation(operation).map(|operation| operation.pictures.as_slice());
        let picture = pictures.unwrap_or_default().iter().find(|picture| picture.id == id).cloned();
        picture.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id))
    }

    fn reader(&self, site: &str) -> Result<LocalTimeReader, Problem> {
        let zone = self.sites.find(site)?.time_zone;
        let unset = self.contract.assumption("event-date-unset").and_then(Value::as_str);
        Ok(LocalTimeReader::new(&zone, unset))
    }
}

/// A picture that rows are added to.
enum PictureBuilder<'a> {
    Spans(spans::SpansBuilder<'a>),
    Bars(bars::BarsBuilder<'a>),
    Week(week::WeekBuilder<'a>),
}

impl<'a> PictureBuilder<'a> {
    fn new(picture: &'a Picture, by: u32) -> Result<Self, Problem> {
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

    fn add(&mut self, reader: &LocalTimeReader, at: u32, row: &Value) {
        match self {
            Self::Spans(builder) => builder.add(reader, at, row),
            Self::Bars(builder) => builder.add(at, row),
            Self::Week(builder) => builder.add(reader, at, row),
        }
    }

    fn build(self, now: i64) -> DrawnPicture {
        match self {
            Self::Spans(builder) => DrawnPicture::Spans(builder.build(now)),
            Self::Bars(builder) => DrawnPicture::Bars(builder.build()),
            Self::Week(builder) => DrawnPicture::Week(builder.build()),
        }
    }
}

/// Decodes a base64-encoded PNG, and refuses anything else.
fn decode_png(base64: &str) -> Result<Vec<u8>, Problem> {
    let invalid = || Problem::new(Code::InvalidInput).parameter("what", "PNG");
    if base64.len() > MAX_BASE64_LENGTH {
        return Err(invalid());
    }
    let bytes = STANDARD.decode(base64).map_err(|cause| invalid().details(cause))?;
    if bytes.starts_with(PNG_SIGNATURE) { Ok(bytes) } else { Err(invalid()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_png_is_taken() {
        let small = STANDARD.encode([PNG_SIGNATURE, b"rest"].concat());
        assert_eq!(decode_png(&small).unwrap(), [PNG_SIGNATURE, b"rest"].concat());
        for wrong in ["", "iVBOR", "PHNjcmlwdD4=", "not base64!"] {
            assert!(matches!(decode_png(wrong), Err(problem) if problem.code == Code::InvalidInput), "{wrong}");
        }
        assert!(decode_png(&"A".repeat(MAX_BASE64_LENGTH + 4)).is_err());
    }
}
