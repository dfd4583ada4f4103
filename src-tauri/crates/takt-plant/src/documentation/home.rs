//! `/` lists the operations by area and links to the other pages.

use takt_contract::Operation;

use super::page_builder::{PageBuilder, format_code, format_english, format_link, format_mark};
use crate::{
    Plant,
    identity::{CLIENT_ID, SCOPES},
    plant_urls::{IDENTITY_PATH, PlantUrls},
};

pub(super) fn write_page(plant: &Plant, urls: &PlantUrls, page: &mut PageBuilder) {
    let lead = page.html_text("home.lead");
    page.add_paragraph(&lead);
    let contract = format_link("/openapi.json", &page.html_text("home.contract"));
    let sign_in = format_link(&sign_in_address(plant), &page.html_text("home.sign_in"));
    page.add_paragraph(&format!("{} · {contract} · {sign_in}", format_code(&urls.base_url)));
    for (index, area) in list_areas(plant).into_iter().enumerate() {
        let tags = plant.contract.document()["tags"].as_array();
        let tag = tags.into_iter().flatten().find(|tag| tag["name"] == *area);
        let title = tag.map(|tag| page.name_of(tag)).filter(|name| !name.is_empty());
        let title = title.unwrap_or_else(|| format_english(area));
        page.add_heading(2, &format!("area-{}", index + 1), &title);
        let operations = plant.contract.operations().iter().filter(|operation| operation.area == *area);
        let rows: Vec<Vec<String>> = operations.map(|operation| operation_row(operation, page)).collect();
        page.add_table(&title, &["home.operation", "home.call", "home.purpose", "field.source"], &rows);
    }
}

fn list_areas(plant: &Plant) -> Vec<&String> {
    let mut areas = Vec::new();
    for operation in plant.contract.operations() {
        if !areas.contains(&&operation.area) {
            areas.push(&operation.area);
        }
    }
    areas
}

fn operation_row(operation: &Operation, page: &PageBuilder) -> Vec<String> {
    let Operation { id, method, path, purpose, provenance, names, .. } = operation;
    let name = crate::html_page::escape_html(page.name_in_language(names));
    vec![
        format!("{}<br>{}", format_link(&format!("/operations/{id}"), &name), format_code(id)),
        format_code(&format!("{method} {path}")),
        format_english(purpose),
        format_mark(page, provenance.level, None),
    ]
}

/// Returns the sign-in page's address as a client would open it. There may be no server at its redirect address.
fn sign_in_address(plant: &Plant) -> String {
    let redirect_uri = plant.identity.redirect_uris().first().map_or("", String::as_str);
    let scope = SCOPES.join(" ");
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("client_id", CLIENT_ID)
        .append_pair("response_type", "code")
        .append_pair("grant_type", "authorization_code")
        .append_pair("scope", &scope)
        .append_pair("redirect_uri", redirect_uri)
        .append_pair("state", "try")
        .finish();
    format!("{IDENTITY_PATH}/connect/authorize?{query}")
}
