//! `/access`: signing in, what a token may do, the limit and the pages.

use serde_json::Value;

use super::{
    Place, mark_of,
    sheet::Sheet,
    sheet::{code, english},
};
use crate::{Plant, identity::CLIENT_ID, user::User};

pub(super) fn write(plant: &Plant, place: &Place, sheet: &mut Sheet) {
    let document = plant.contract.document();
    let schemes = document["components"]["securitySchemes"].as_object().into_iter().flatten();
    let lead = sheet.text("access.lead");
    sheet.line(&lead);
    for (_, scheme) in schemes {
        sheet.line(&format!(
            "{} {}",
            english(&placed(scheme["description"].as_str(), place)),
            mark_of(sheet, scheme, true)
        ));
        let flow = &scheme["flows"]["authorizationCode"];
        step(sheet, place, "access.authorize", "GET", &flow["authorizationUrl"], &scheme["x-takt-authorize-request"]);
        step(sheet, place, "access.token", "POST", &flow["tokenUrl"], &scheme["x-takt-token-request"]);
        let header = &scheme["x-takt-authorization-header"];
        let title = sheet.text("access.use");
        sheet.heading(2, "use", &title);
        let value = header["value"].as_str().unwrap_or_default();
        sheet.line(&format!("{} {}", code(&format!("Authorization: {value}")), mark_of(sheet, header, false)));
        let scopes = flow["scopes"].as_object().into_iter().flatten();
        let rows: Vec<Vec<String>> =
            scopes.map(|(name, said)| vec![code(name), english(said.as_str().unwrap_or_default())]).collect();
        let title = sheet.text("access.scopes");
        sheet.table(&title, &["access.scope", "home.purpose"], &rows);
    }
    people(plant, sheet);
    limits(plant, document, sheet);
}

fn step(sheet: &mut Sheet, place: &Place, key: &str, method: &str, address: &Value, request: &Value) {
    let title = sheet.text(key);
    sheet.heading(2, key.split('.').next_back().unwrap_or_default(), &title);
    let call = code(&format!("{method} {}", placed(address.as_str(), place)));
    let kind = request["contentType"]
        .as_str()
        .map_or_else(String::new, |kind| format!("<br>{}", code(&format!("Content-Type: {kind}"))));
    sheet.line(&format!("{call} {}{kind}", mark_of(sheet, request, true)));
    let parameters = request["parameters"].as_array().into_iter().flatten();
    let text = |value: &Value| code(value.as_str().unwrap_or_default());
    let rows: Vec<Vec<String>> = parameters.map(|one| vec![text(&one["name"]), text(&one["value"])]).collect();
    sheet.table(&title, &["parameter.name", "access.value"], &rows);
}

/// Who may sign in here, and where the browser is sent back to.
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
    sheet.line(&format!("{client} {}", code(CLIENT_ID)));
    let addresses: Vec<String> = plant.identity.redirect_uris().iter().map(|address| code(address)).collect();
    let back = sheet.text("access.redirects");
    sheet.line(&format!("{back} {}", addresses.join(" ")));
    let lifetime = sheet.filled("access.lifetime", &plant.config.token_lifetime.as_secs().to_string());
    sheet.line(&lifetime);
}

fn limits(plant: &Plant, document: &Value, sheet: &mut Sheet) {
    let title = sheet.text("access.limits");
    sheet.heading(2, "limits", &title);
    let limit = plant.config.rate_limit;
    let said = sheet.filled("access.limit", &format!("{} / {} s", limit.requests, limit.window.as_secs()));
    sheet.line(&said);
    let headers = document["components"]["headers"].as_object().into_iter().flatten();
    let rows = headers.map(|(_, header)| {
        let text = |name: &str| header[name].as_str().unwrap_or_default();
        vec![code(text("x-takt-header")), english(text("description")), mark_of(sheet, header, false)]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let title = sheet.text("operation.headers");
    sheet.table(&title, &["parameter.name", "home.purpose", "field.source"], &rows);
}

fn placed(text: Option<&str>, place: &Place) -> String {
    text.unwrap_or_default().replace("{auth_url}", &place.identity()).replace("{base_url}", &place.base)
}
