//! Work stations with shifts, area and programmed stoppages, inspection processes, and templates with their links.

use serde_json::{Value, json};
use takt_contract::wire::{TemplateProcessLink, duration::TICKS_PER_SECOND};

use super::seeder::{PROCESSES, Seeder, TEMPLATES, add_minutes, process_code, station_code};
use crate::sample_words;
use crate::{
    PlantError,
    store::{Resource, time_span},
};

/// The operation codes in a template's links.
const OPERATIONS: [&str; 3] = ["010", "020", "030"];

impl Seeder<'_> {
    pub(super) fn floor(&mut self) -> Result<(), PlantError> {
        for (index, (name, area_code, area)) in sample_words::STATIONS.into_iter().enumerate() {
            let stoppages: Vec<Value> =
                (0..self.integer(1, 3)).map(|turn| self.stoppage(index, area_code, turn)).collect();
            let row = json!({
                "code": station_code(index),
                "description": name,
                "isActive": index != 9,
                "area": { "code": area_code, "description": area },
                "shifts": shifts(index),
                "programmedStoppages": stoppages,
            });
            self.put(Resource::WorkStations, row)?;
        }
        self.processes()?;
        self.templates();
        Ok(())
    }

    fn stoppage(&mut self, station: usize, area: &str, turn: i64) -> Value {
        let begin = add_minutes(self.now, (turn * 7 + self.integer(-3, 4)) * 24 * 60 + 60 * self.integer(-5, 5));
        let end = add_minutes(begin, 30 * self.integer(1, 8));
        let status = if end <= self.now { "Done" } else { "Planned" };
        let employee = self.pick(&sample_words::EMPLOYEES).map(|(badge, _)| badge);
        let template = if self.chance(0.3) { json!(self.integer(1, TEMPLATES)) } else { Value::Null };
        json!({
            "description": self.pick_text(&sample_words::STOPPAGES),
            "status": status,
            "areaCode": area,
            "workStationCode": station_code(station),
            "employeeBadge": employee,
            "templateId": template,
            "begin": begin.to_string(),
            "end": end.to_string(),
        })
    }

    fn processes(&mut self) -> Result<(), PlantError> {
        for index in 0..PROCESSES {
            let (name, inspects) = sample_words::PROCESSES[index % sample_words::PROCESSES.len()];
            let variant = if index < sample_words::PROCESSES.len() { "" } else { ", large parts" };
            let labor = TICKS_PER_SECOND * 30 * self.integer(2, 60);
            let machine = if inspects { 0 } else { TICKS_PER_SECOND * 30 * self.integer(2, 90) + 5_000_000 };
            let row = json!({
                "code": process_code(index),
                "description": format!("{name}{variant}"),
                "predictedLaborTime": time_span(labor),
                "predictedMachineTime": time_span(machine),
                "isQualityInspection": inspects,
            });
            self.put(Resource::InspectionProcesses, row)?;
        }
        Ok(())
    }

    /// Adds templates with three to nine processes each. Some processes are linked for two operations.
    fn templates(&mut self) {
        for template_id in 1..=TEMPLATES {
            self.store.add_template(template_id);
            let count = self.integer(3, 9);
            let first = self.integer(0, 30);
            for step in 0..count {
                let position = usize::try_from(first + step).unwrap_or_default() % PROCESSES;
                let twice = self.chance(0.25);
                for operation in OPERATIONS.iter().take(if twice { 2 } else { 1 }) {
                    self.store.add_link(TemplateProcessLink {
                        template_id,
                        process_code: process_code(position),
                        operation_code: (*operation).to_owned(),
                    });
                }
            }
        }
    }
}

/// Returns two shifts from Monday to Friday, and a night shift at every third station.
fn shifts(station: usize) -> Value {
    let week = |begin: &str, end: &str| -> Vec<Value> {
        (1..=5).map(|weekday| json!({ "weekday": weekday, "begin": begin, "end": end })).collect()
    };
    let mut shifts = vec![
        json!({ "code": "EARLY", "description": "Early shift", "intervals": week("06:00:00", "14:00:00") }),
        json!({ "code": "LATE", "description": "Late shift", "intervals": week("14:00:00", "22:00:00") }),
    ];
    if station.is_multiple_of(3) {
        shifts
            .push(json!({ "code": "NIGHT", "description": "Night shift", "intervals": week("22:00:00", "06:00:00") }));
    }
    json!(shifts)
}
