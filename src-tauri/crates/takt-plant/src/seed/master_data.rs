//! Generates master data: materials with their stock, work stations, inspection processes and templates.
//!
//! Finished parts have codes from `MAT-1001`, and raw materials from `RAW-2001`.

use rand::seq::SliceRandom;
use serde_json::{Value, json};
use takt_contract::wire::{TemplateProcessLink, duration::TICKS_PER_SECOND};

use super::seeder::{PROCESSES, Seeder, TEMPLATES, add_minutes, process_code, station_code};
use crate::{
    PlantError, sample_words,
    store::{Resource, to_time_span},
};

/// The maximum number of rows of stock, since a million materials don't need a row each.
const MAX_STOCK_ROWS: usize = 400;
/// The operation codes in links of templates.
const OPERATION_CODES: [&str; 3] = ["010", "020", "030"];

impl Seeder<'_> {
    pub(super) fn add_materials(&mut self) -> Result<(), PlantError> {
        for index in 0..self.counts.materials {
            let (description, family, unit) = self.describe_part(index);
            let properties = self.build_properties(index);
            let row = json!({
                "code": format!("MAT-{}", 1001 + index),
                "description": description,
                "uoM": unit,
                "family": family,
                "type": if index % 9 == 8 { "Assembly" } else { "Finished part" },
                "isActive": index % 23 != 22,
                "properties": properties,
            });
            self.put(Resource::Materials, row)?;
        }
        for index in 0..self.counts.raw_materials {
            let (description, family, unit) = self.describe_raw_material(index);
            let row = json!({
                "code": format!("RAW-{}", 2001 + index),
                "description": description,
                "uoM": unit,
                "family": family,
                "type": "Raw material",
                "isActive": true,
            });
            self.put(Resource::Materials, row)?;
        }
        self.add_stock()
    }

    fn describe_part(&mut self, index: usize) -> (String, &'static str, &'static str) {
        let grade = self.choose_text(&sample_words::MATERIAL_GRADES);
        let diameter = 10 + 5 * self.random_integer(1, 20);
        let length = 20 * self.random_integer(2, 40);
        match index % 8 {
            0 | 1 => (format!("Shaft {diameter}x{length} {grade}"), "Shafts", "pcs"),
            2 => (format!("Bearing {}", self.choose_text(&sample_words::BEARINGS)), "Bearings", "pcs"),
            3 => (format!("Housing DN{diameter} {grade}"), "Housings", "pcs"),
            4 => {
                let (module, teeth) = (self.random_integer(1, 6), self.random_integer(12, 80));
                (format!("Gear m{module} z{teeth} {grade}"), "Gears", "pcs")
            }
            5 => (format!("Flange {diameter} {grade}"), "Flanges", "pcs"),
            6 => (format!("Bushing {diameter}/{} CuSn8", diameter + 8), "Bushings", "pcs"),
            _ => (format!("Gearbox GX-{}", 100 + diameter), "Assemblies", "pcs"),
        }
    }

    fn describe_raw_material(&mut self, index: usize) -> (String, &'static str, &'static str) {
        let grade = self.choose_text(&sample_words::MATERIAL_GRADES);
        let size = 5 * self.random_integer(2, 30);
        match index % 5 {
            0 | 1 => (format!("Round bar {size} {grade}"), "Bar stock", "m"),
            2 => (format!("Sheet {} mm {grade}", self.random_integer(1, 12)), "Sheet", "kg"),
            3 => (format!("Casting blank {size} GJS-400"), "Castings", "pcs"),
            _ => (format!("Screw M{}x{size} 8.8", 2 * self.random_integer(2, 8)), "Fasteners", "pcs"),
        }
    }

    fn build_properties(&mut self, index: usize) -> Value {
        if !index.is_multiple_of(3) {
            return json!([]);
        }
        let drawing = format!("D-{}-{}", 4000 + index, self.choose_text(&["A", "B", "C"]));
        json!([
            { "key": "DRAWING", "value": drawing, "name": "Drawing", "isLocked": false },
            { "key": "SURFACE", "value": "<b>Ra 0.8</b> on seats", "name": "Surface", "isLocked": null },
        ])
    }

    fn add_stock(&mut self) -> Result<(), PlantError> {
        let (parts, raw) = (self.counts.materials, self.counts.raw_materials);
        let mut positions: Vec<usize> = (0..(parts + raw).min(MAX_STOCK_ROWS)).collect();
        positions.shuffle(&mut self.random);
        for position in positions {
            let code = if position < parts {
                format!("MAT-{}", 1001 + position)
            } else {
                format!("RAW-{}", 2001 + position - parts)
            };
            let date = add_minutes(self.now, -self.random_integer(0, 20 * 24 * 60));
            let row = json!({
                "materialCode": code,
                "quantity": self.random_integer(0, 900),
                "uoM": if position < parts { "pcs" } else { "kg" },
                "warehouse": self.choose_text(&sample_words::WAREHOUSES),
                "location": format!("{}-{:02}", self.choose_text(&["A", "B", "C"]), self.random_integer(1, 40)),
                "serialNumber": "",
                "date": date.to_string(),
            });
            self.put(Resource::Stock, row)?;
        }
        Ok(())
    }

    pub(super) fn add_work_stations(&mut self) -> Result<(), PlantError> {
        for (index, (name, area_code, area)) in sample_words::STATIONS.into_iter().enumerate() {
            let stoppages: Vec<Value> =
                (0..self.random_integer(1, 3)).map(|turn| self.build_stoppage(index, area_code, turn)).collect();
            let row = json!({
                "code": station_code(index),
                "description": name,
                "isActive": index != 9,
                "area": { "code": area_code, "description": area },
                "shifts": build_shifts(index),
                "programmedStoppages": stoppages,
            });
            self.put(Resource::WorkStations, row)?;
        }
        self.add_processes()?;
        self.add_templates();
        Ok(())
    }

    fn build_stoppage(&mut self, station: usize, area: &str, turn: i64) -> Value {
        let begin =
            add_minutes(self.now, (turn * 7 + self.random_integer(-3, 4)) * 24 * 60 + 60 * self.random_integer(-5, 5));
        let end = add_minutes(begin, 30 * self.random_integer(1, 8));
        let status = if end <= self.now { "Done" } else { "Planned" };
        let employee = self.choose_from(&sample_words::EMPLOYEES).map(|(badge, _)| badge);
        let template = if self.happens(0.3) { json!(self.random_integer(1, TEMPLATES)) } else { Value::Null };
        json!({
            "description": self.choose_text(&sample_words::STOPPAGE_REASONS),
            "status": status,
            "areaCode": area,
            "workStationCode": station_code(station),
            "employeeBadge": employee,
            "templateId": template,
            "begin": begin.to_string(),
            "end": end.to_string(),
        })
    }

    fn add_processes(&mut self) -> Result<(), PlantError> {
        for index in 0..PROCESSES {
            let (name, inspects) = sample_words::PROCESSES[index % sample_words::PROCESSES.len()];
            let variant = if index < sample_words::PROCESSES.len() { "" } else { ", large parts" };
            let labor = TICKS_PER_SECOND * 30 * self.random_integer(2, 60);
            let machine = if inspects { 0 } else { TICKS_PER_SECOND * 30 * self.random_integer(2, 90) + 5_000_000 };
            let row = json!({
                "code": process_code(index),
                "description": format!("{name}{variant}"),
                "predictedLaborTime": to_time_span(labor),
                "predictedMachineTime": to_time_span(machine),
                "isQualityInspection": inspects,
            });
            self.put(Resource::InspectionProcesses, row)?;
        }
        Ok(())
    }

    /// Adds templates with three to nine processes. Some processes are linked for two operations.
    fn add_templates(&mut self) {
        for template_id in 1..=TEMPLATES {
            self.store.add_template(template_id);
            let count = self.random_integer(3, 9);
            let first = self.random_integer(0, 30);
            for step in 0..count {
                let position = usize::try_from(first + step).unwrap_or_default() % PROCESSES;
                let twice = self.happens(0.25);
                for operation in OPERATION_CODES.iter().take(if twice { 2 } else { 1 }) {
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

/// Returns two shifts from Monday to Friday, and a night shift for every third station.
fn build_shifts(station: usize) -> Value {
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
