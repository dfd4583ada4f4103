//! `/`: the operations by area, and links to the other pages.

use takt_contract::Operation;

use super::{
    document,
    plant_urls::PlantUrls,
    provenance::mark,
    sheet::{Sheet, code, english, link},
};
use crate::Plant;

pub(super) fn write(plant: &Plant, urls: &PlantUrls, sheet: &mut Sheet) {
    let lead = sheet.text("home.lead");
    sheet.paragraph(&lead);
    let contract = link("/openapi.json", &sheet.text("home.contract"));
    let sign_in = link(&document::sign_in_address(plant), &sheet.text("home.sign_in"));
    sheet.paragraph(&format!("{} · {contract} · {sign_in}", code(&urls.base)));
    for (index, area) in areas(plant).into_iter().enumerate() {
        let tags = plant.contract.document()["tags"].as_array();
        let tag = tags.into_iter().flatten().find(|tag| tag["name"] == *area);
        let title = tag.map(|tag| sheet.name_of(tag)).filter(|name| !name.is_empty());
        let title = title.unwrap_or_else(|| english(area));
        sheet.heading(2, &format!("area-{}", index + 1), &title);
        let operations = plant.contract.operations().iter().filter(|operation| operation.area == *area);
        let rows: Vec<Vec<String>> = operations.map(|operation| row(operation, sheet)).collect();
        sheet.table(&title, &["home.operation", "home.call", "home.purpose", "field.source"], &rows);
    }
}

fn areas(plant: &Plant) -> Vec<&String> {
    let mut areas = Vec::new();
    for operation in plant.contract.operations() {
        if !areas.contains(&&operation.area) {
            areas.push(&operation.area);
        }
    }
    areas
}

fn row(operation: &Operation, sheet: &Sheet) -> Vec<String> {
    let Operation { id, method, path, purpose, provenance, names, .. } = operation;
    let name = crate::page::escape(sheet.name_in_language(names));
    vec![
        format!("{}<br>{}", link(&format!("/operations/{id}"), &name), code(id)),
        code(&format!("{method} {path}")),
        english(purpose),
        mark(sheet, provenance.level, None),
    ]
}
