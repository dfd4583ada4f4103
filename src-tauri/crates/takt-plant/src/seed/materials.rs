//! Materials: finished parts `MAT-1001`…, raw materials `RAW-2001`…, and their stock.

use rand::seq::SliceRandom;
use serde_json::{Value, json};

use super::seeder::{Seeder, add_minutes};
use crate::sample_words;
use crate::{PlantError, store::Resource};

/// The most rows of stock. A million materials don't need one each.
const MAX_STOCK_ROWS: usize = 400;

impl Seeder<'_> {
    pub(super) fn materials(&mut self) -> Result<(), PlantError> {
        for index in 0..self.counts.materials {
            let (description, family, unit) = self.part(index);
            let properties = self.material_properties(index);
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
            let (description, family, unit) = self.stock_material(index);
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
        self.stock()
    }

    fn part(&mut self, index: usize) -> (String, &'static str, &'static str) {
        let grade = self.pick_text(&sample_words::GRADES);
        let diameter = 10 + 5 * self.integer(1, 20);
        let length = 20 * self.integer(2, 40);
        match index % 8 {
            0 | 1 => (format!("Shaft {diameter}x{length} {grade}"), "Shafts", "pcs"),
            2 => (format!("Bearing {}", self.pick_text(&sample_words::BEARINGS)), "Bearings", "pcs"),
            3 => (format!("Housing DN{diameter} {grade}"), "Housings", "pcs"),
            4 => {
                let (module, teeth) = (self.integer(1, 6), self.integer(12, 80));
                (format!("Gear m{module} z{teeth} {grade}"), "Gears", "pcs")
            }
            5 => (format!("Flange {diameter} {grade}"), "Flanges", "pcs"),
            6 => (format!("Bushing {diameter}/{} CuSn8", diameter + 8), "Bushings", "pcs"),
            _ => (format!("Gearbox GX-{}", 100 + diameter), "Assemblies", "pcs"),
        }
    }

    fn stock_material(&mut self, index: usize) -> (String, &'static str, &'static str) {
        let grade = self.pick_text(&sample_words::GRADES);
        let size = 5 * self.integer(2, 30);
        match index % 5 {
            0 | 1 => (format!("Round bar {size} {grade}"), "Bar stock", "m"),
            2 => (format!("Sheet {} mm {grade}", self.integer(1, 12)), "Sheet", "kg"),
            3 => (format!("Casting blank {size} GJS-400"), "Castings", "pcs"),
            _ => (format!("Screw M{}x{size} 8.8", 2 * self.integer(2, 8)), "Fasteners", "pcs"),
        }
    }

    fn material_properties(&mut self, index: usize) -> Value {
        if !index.is_multiple_of(3) {
            return json!([]);
        }
        let drawing = format!("D-{}-{}", 4000 + index, self.pick_text(&["A", "B", "C"]));
        json!([
            { "key": "DRAWING", "value": drawing, "name": "Drawing", "isLocked": false },
            { "key": "SURFACE", "value": "<b>Ra 0.8</b> on seats", "name": "Surface", "isLocked": null },
        ])
    }

    fn stock(&mut self) -> Result<(), PlantError> {
        let (parts, raw) = (self.counts.materials, self.counts.raw_materials);
        let mut positions: Vec<usize> = (0..(parts + raw).min(MAX_STOCK_ROWS)).collect();
        positions.shuffle(&mut self.random);
        for position in positions {
            let code = if position < parts {
                format!("MAT-{}", 1001 + position)
            } else {
                format!("RAW-{}", 2001 + position - parts)
            };
            let date = add_minutes(self.now, -self.integer(0, 20 * 24 * 60));
            let row = json!({
                "materialCode": code,
                "quantity": self.integer(0, 900),
                "uoM": if position < parts { "pcs" } else { "kg" },
                "warehouse": self.pick_text(&sample_words::WAREHOUSES),
                "location": format!("{}-{:02}", self.pick_text(&["A", "B", "C"]), self.integer(1, 40)),
                "serialNumber": "",
                "date": date.to_string(),
            });
            self.put(Resource::Stock, row)?;
        }
        Ok(())
    }
}
