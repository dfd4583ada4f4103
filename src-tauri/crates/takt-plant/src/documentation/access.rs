//! `/access`: signing in, permissions of a token, rate limit and pages.

use serde_json::Value;

use super::{
    plant_urls::PlantUrls,
    provenance::mark_of,
    sheet::{Sheet, code, english},
};
use crate::{Plant, identity::CLIENT_ID, user::User};

pub(super) fn write(plant: &Plant, urls: &PlantUrls, sheet: &mut Sheet) {
    let document = plant.contract.document();
    let schemes = document["components"]["securitySchemes"].as_object().into_iter().flatten();
    let lead = sheet.text("access.lead");
    sheet.paragraph(&lead);
    for (_, scheme) in schemes {
        sheet.paragraph(&format!(
            "{} {}",
            english(&fill_urls(scheme["description"].as_str(), urls)),
            mark_of(sheet, scheme, true)
        ));
        let flow = &scheme["flows"]["authorizationCode"];
        step(sheet, urls, "access.authorize", "GET", &flow["authorizationUrl"], &scheme["x-takt-authorize-request"]);
        step(sheet, urls, "access.token", "POST", &flow["tokenUrl"], &scheme["x-takt-token-request"]);
        let header = &scheme["x-takt-authorization-header"];
        let title = sheet.text("access.use");
        sheet.heading(2, "use", &title);
        let value = header["value"].as_str().unwrap_or_default();
        sheet.paragraph(&format!("{} {}", code(&format!("Authorization: {value}")), mark_of(sheet, header, false)));
        let scopes = flow["scopes"].as_object().into_iter().flatten();
        let rows: Vec<Vec<String>> = scopes
            .map(|(name, description)| vec![code(name), english(description.as_str().unwrap_or_default())])
            .collect();
        let title = sheet.text("access.scopes");
        sheet.table(&title, &["access.scope", "home.purpose"], &rows);
    }
    people(plant, sheet);
    limits(plant, document, sheet);
}

fn step(sheet: &mut Sheet, urls: &PlantUrls, key: &str, method: &str, address: &Value, request: &Value) {
    let title = sheet.text(key);
    sheet.heading(2, key.split('.').next_back().unwrap_or_default(), &title);
    let call = code(&format!("{method} {}", fill_urls(address.as_str(), urls)));
    let kind = request["contentType"]
        .as_str()
        .map_or_else(String::new, |kind| format!("<br>{}", code(&format!("Content-Type: {kind}"))));
    sheet.paragraph(&format!("{call} {}{kind}", mark_of(sheet, request, true)));
    let parameters = request["parameters"].as_array().into_iter().flatten();
    let text = |value: &Value| code(value.as_str().unwrap_or_default());
    let rows: Vec<Vec<String>> = parameters.map(|one| vec![text(&one["name"]), text(&one["value"])]).collect();
    sheet.table(&title, &["parameter.name", "access.value"], &rows);
}

/// Writes the users and the redirect addresses of this plant.
fn people(plant: &Plant, sheet: &mut Sheet) {
    let title = sheet.text("access.here");
    sheet.heading(2, "here", &title);
    let person = |user: User| {
        let name = user.name();
        vec![
            format!("{}<br>{}", sheet.text(&format!("sign_in.{name}")), code(name)),
            sheet.text(&format!("sign_in.{name}.may")),
        ]
    };
    let rows: Vec<Vec<String>> = User::ALL.into_iter().map(person).collect();
    sheet.table(&title, &["access.person", "access.may"], &rows);
    let client = sheet.text("access.client");
    sheet.paragraph(&format!("{client} {}", code(CLIENT_ID)));
    let addresses: Vec<String> = plant.identity.redirect_uris().iter().map(|address| code(address)).collect();
    let back = sheet.text("access.redirects");
    sheet.paragraph(&format!("{back} {}", addresses.join(" ")));
    let lifetime = sheet.text_with("access.lifetime", &plant.config.token_lifetime.as_secs().to_string());
    sheet.paragraph(&lifetime);
}

fn limits(plant: &Plant, document: &Value, sheet: &mut Sheet) {
    let title = sheet.text("access.limits");
    sheet.heading(2, "limits", &title);
    let limit = plant.config.rate_limit;
    let description = sheet.text_with("access.limit", &format!("{} / {} s", limit.requests, limit.window.as_secs()));
    sheet.paragraph(&description);
    let headers = document["components"]["headers"].as_object().into_iter().flatten();
    let rows = headers.map(|(_, header)| {
        let text = |name: &str| header[name].as_str().unwrap_or_default();
        vec![code(text("x-takt-header")), english(text("description")), mark_of(sheet, header, false)]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let title = sheet.text("operation.headers");
    sheet.table(&title, &["parameter.name", "home.purpose", "field.source"], &rows);
}

fn fill_urls(text: Option<&str>, urls: &PlantUrls) -> String {
    text.unwrap_or_default().replace("{auth_url}", &urls.identity()).replace("{base_url}", &urls.base)
}
