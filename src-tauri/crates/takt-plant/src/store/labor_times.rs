//! Records labor times, which are the times of operators on work orders.

use jiff::civil::DateTime;
use serde_json::json;
use takt_contract::wire::duration::TICKS_PER_SECOND;

use super::{
    members::{Members, get_text, to_time_span},
    resource::Resource,
    rows::Store,
};
use crate::{PlantError, sample_words::EMPLOYEES, time_window::parse_date_time};

impl Store {
    /// Returns the badge of the operator who works on an operation.
    pub(crate) fn find_operator(&self, row: &Members) -> Option<String> {
        let floor = self.table(Resource::LaborTimes).floor_index();
        let mut labor_times = floor.open_labor_times(get_text(row, "code"), get_text(row, "operationCode"));
        labor_times.next().map(|(_, badge)| badge.to_owned())
    }

    /// Returns the badge of an operator who doesn't work on an order. The search starts at `first_index`.
    pub(crate) fn find_free_operator(&self, first_index: usize) -> Option<&'static str> {
        let floor = self.table(Resource::LaborTimes).floor_index();
        let mut badges = EMPLOYEES.iter().cycle().skip(first_index % EMPLOYEES.len()).take(EMPLOYEES.len());
        badges.find(|(badge, _)| !floor.is_busy(badge)).map(|(badge, _)| *badge)
    }

    pub(crate) fn start_labor_time(&mut self, row: &Members, badge: &str, now: DateTime) -> Result<(), PlantError> {
        let name = EMPLOYEES.iter().find(|(known, _)| *known == badge).map_or(badge, |(_, name)| name);
        let code = get_text(row, "workStationCode");
        let station = self.row(Resource::WorkStations, &[code]);
        let station = station.map(|station| get_text(&station, "description").to_owned());
        let filled = |name: &str| Some(get_text(row, name)).filter(|text| !text.is_empty());
        let labor_time = Members::from_iter([
            ("employeeBadge".to_owned(), json!(badge)),
            ("employeeName".to_owned(), json!(name)),
            ("workStationCode".to_owned(), json!(filled("workStationCode"))),
            ("workStation".to_owned(), json!(station)),
            ("begin".to_owned(), json!(now.to_string())),
            ("workOrderCode".to_owned(), json!(filled("code"))),
            ("operationCode".to_owned(), json!(filled("operationCode"))),
            ("materialCode".to_owned(), json!(filled("materialCode"))),
        ]);
        self.put(Resource::LaborTimes, labor_time)
    }

    /// Replaces the operator who works on an order with a free one.
    pub(crate) fn replace_operator(&mut self, row: &Members, now: DateTime) -> Result<(), PlantError> {
        let current = self.find_operator(row).and_then(|badge| EMPLOYEES.iter().position(|(known, _)| *known == badge));
        let next = self.find_free_operator(current.map_or(0, |index| index + 1));
        self.end_labor_times(row, now)?;
        next.map_or(Ok(()), |badge| self.start_labor_time(row, badge, now))
    }

    /// Ends all running labor times of an operation.
    pub(crate) fn end_labor_times(&mut self, row: &Members, now: DateTime) -> Result<(), PlantError> {
        let floor = self.table(Resource::LaborTimes).floor_index();
        let open = floor.open_labor_times(get_text(row, "code"), get_text(row, "operationCode"));
        let open: Vec<u32> = open.map(|(position, _)| position).collect();
        for position in open {
            let Some(mut labor_time) = self.row_at(Resource::LaborTimes, position) else { continue };
            let begin = parse_date_time(get_text(&labor_time, "begin"), self.zone()).unwrap_or(now);
            let end = now.max(begin);
            let ticks = end.duration_since(begin).as_secs().saturating_mul(TICKS_PER_SECOND);
            labor_time.insert("end".to_owned(), json!(end.to_string()));
            labor_time.insert("duration".to_owned(), to_time_span(ticks));
            self.put_at(Resource::LaborTimes, position, labor_time)?;
        }
        Ok(())
    }
}
