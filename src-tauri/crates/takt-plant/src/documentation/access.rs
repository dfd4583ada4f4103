//! `/access` documents the sign-in, the permissions of tokens, the rate limit and pages.

use serde_json::Value;

use super::sheet::{Sheet, format_code, format_english, format_node_mark};
use crate::{Plant, identity::CLIENT_ID, plant_urls::PlantUrls, user::User};

pub(super) fn write_page(plant: &Plant, urls: &PlantUrls, sheet: &mut Sheet) {
    let document = plant.contract.document();
    let schemes = document["components"]["securitySchemes"].as_object().into_iter().flatten();
    let lead = sheet.html_text("access.lead");
    sheet.add_paragraph(&lead);
    for (_, scheme) in schemes {
        sheet.add_paragraph(&format!(
            "{} {}",
            format_english(&fill_urls(scheme["description"].as_str(), urls)),
            format_node_mark(sheet, scheme, true)
        ));
        let flow = &scheme["flows"]["authorizationCode"];
        write_step(
            sheet,
            urls,
            "access.authorize",
            "GET",
            &flow["authorizationUrl"],
            &scheme["x-takt-authorize-request"],
        );
        write_step(sheet, urls, "access.token", "POST", &flow["tokenUrl"], &scheme["x-takt-token-request"]);
        let header = &scheme["x-takt-authorization-header"];
        let title = sheet.html_text("access.use");
        sheet.add_heading(2, "use", &title);
        let value = header["value"].as_str().unwrap_or_default();
        sheet.add_paragraph(&format!(
            "{} {}",
            format_code(&format!("Authorization: {value}")),
            format_node_mark(sheet, header, false)
        ));
        let scopes = flow["scopes"].as_object().into_iter().flatten();
        let rows: Vec<Vec<String>> = scopes
            .map(|(name, description)| {
                vec![format_code(name), format_english(description.as_str().unwrap_or_default())]
            })
            .collect();
        let title = sheet.html_text("access.scopes");
        sheet.add_table(&title, &["access.scope", "home.purpose"], &rows);
    }
    write_users(plant, sheet);
    write_limits(plant, document, sheet);
}

fn write_step(sheet: &mut Sheet, urls: &PlantUrls, key: &str, method: &str, address: &Value, request: &Value) {
    let title = sheet.html_text(key);
    sheet.add_heading(2, key.split('.').next_back().unwrap_or_default(), &title);
    let call = format_code(&format!("{method} {}", fill_urls(address.as_str(), urls)));
    let kind = request["contentType"]
        .as_str()
        .map_or_else(String::new, |kind| format!("<br>{}", format_code(&format!("Content-Type: {kind}"))));
    sheet.add_paragraph(&format!("{call} {}{kind}", format_node_mark(sheet, request, true)));
    let parameters = request["parameters"].as_array().into_iter().flatten();
    let text = |value: &Value| format_code(value.as_str().unwrap_or_default());
    let rows: Vec<Vec<String>> = parameters.map(|one| vec![text(&one["name"]), text(&one["value"])]).collect();
    sheet.add_table(&title, &["parameter.name", "access.value"], &rows);
}

/// Appends the users and the redirect addresses of this plant.
fn write_users(plant: &Plant, sheet: &mut Sheet) {
    let title = sheet.html_text("access.here");
    sheet.add_heading(2, "here", &title);
    let person = |user: User| {
        let name = user.name();
        vec![
            format!("{}<br>{}", sheet.html_text(&format!("sign_in.{name}")), format_code(name)),
            sheet.html_text(&format!("sign_in.{name}.may")),
        ]
    };
    let rows: Vec<Vec<String>> = User::ALL.into_iter().map(person).collect();
    sheet.add_table(&title, &["access.person", "access.may"], &rows);
    let client = sheet.html_text("access.client");
    sheet.add_paragraph(&format!("{client} {}", format_code(CLIENT_ID)));
    let addresses: Vec<String> = plant.identity.redirect_uris().iter().map(|address| format_code(address)).collect();
    let back = sheet.html_text("access.redirects");
    sheet.add_paragraph(&format!("{back} {}", addresses.join(" ")));
    let lifetime = sheet.html_text_with("access.lifetime", &plant.config.token_lifetime.as_secs().to_string());
    sheet.add_paragraph(&lifetime);
}

fn write_limits(plant: &Plant, document: &Value, sheet: &mut Sheet) {
    let title = sheet.html_text("access.limits");
    sheet.add_heading(2, "limits", &title);
    let limit = plant.config.rate_limit;
    let description =
        sheet.html_text_with("access.limit", &format!("{} / {} s", limit.requests, limit.window.as_secs()));
    sheet.add_paragraph(&description);
    let headers = document["components"]["headers"].as_object().into_iter().flatten();
    let rows = headers.map(|(_, header)| {
        let text = |name: &str| header[name].as_str().unwrap_or_default();
        vec![
            format_code(text("x-takt-header")),
            format_english(text("description")),
            format_node_mark(sheet, header, false),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let title = sheet.html_text("operation.headers");
    sheet.add_table(&title, &["parameter.name", "home.purpose", "field.source"], &rows);
}

fn fill_urls(text: Option<&str>, urls: &PlantUrls) -> String {
    text.unwrap_or_default().replace("{auth_url}", &urls.identity_url()).replace("{base_url}", &urls.base_url)
}
