//! `/access` documents the sign-in, the permissions of tokens, the rate limit and pages.

use serde_json::Value;

use super::page_builder::{PageBuilder, format_code, format_english, format_node_mark};
use crate::{Plant, identity::CLIENT_ID, plant_urls::PlantUrls, user::User};

pub(super) fn write_page(plant: &Plant, urls: &PlantUrls, page: &mut PageBuilder) {
    let document = plant.contract.document();
    let schemes = document["components"]["securitySchemes"].as_object().into_iter().flatten();
    let lead = page.html_text("access.lead");
    page.add_paragraph(&lead);
    for (_, scheme) in schemes {
        page.add_paragraph(&format!(
            "{} {}",
            format_english(&fill_urls(scheme["description"].as_str(), urls)),
            format_node_mark(page, scheme, true)
        ));
        let flow = &scheme["flows"]["authorizationCode"];
        write_step(
            page,
            urls,
            "access.authorize",
            "GET",
            &flow["authorizationUrl"],
            &scheme["x-takt-authorize-request"],
        );
        write_step(page, urls, "access.token", "POST", &flow["tokenUrl"], &scheme["x-takt-token-request"]);
        let header = &scheme["x-takt-authorization-header"];
        let title = page.html_text("access.use");
        page.add_heading(2, "use", &title);
        let value = header["value"].as_str().unwrap_or_default();
        page.add_paragraph(&format!(
            "{} {}",
            format_code(&format!("Authorization: {value}")),
            format_node_mark(page, header, false)
        ));
        let scopes = flow["scopes"].as_object().into_iter().flatten();
        let rows: Vec<Vec<String>> = scopes
            .map(|(name, description)| {
                vec![format_code(name), format_english(description.as_str().unwrap_or_default())]
            })
            .collect();
        let title = page.html_text("access.scopes");
        page.add_table(&title, &["access.scope", "home.purpose"], &rows);
    }
    write_users(plant, page);
    write_limits(plant, document, page);
}

fn write_step(page: &mut PageBuilder, urls: &PlantUrls, key: &str, method: &str, address: &Value, request: &Value) {
    let title = page.html_text(key);
    page.add_heading(2, key.split('.').next_back().unwrap_or_default(), &title);
    let call = format_code(&format!("{method} {}", fill_urls(address.as_str(), urls)));
    let kind = request["contentType"]
        .as_str()
        .map_or_else(String::new, |kind| format!("<br>{}", format_code(&format!("Content-Type: {kind}"))));
    page.add_paragraph(&format!("{call} {}{kind}", format_node_mark(page, request, true)));
    let parameters = request["parameters"].as_array().into_iter().flatten();
    let text = |value: &Value| format_code(value.as_str().unwrap_or_default());
    let rows: Vec<Vec<String>> = parameters.map(|one| vec![text(&one["name"]), text(&one["value"])]).collect();
    page.add_table(&title, &["parameter.name", "access.value"], &rows);
}

/// Appends the users and the redirect addresses of this plant.
fn write_users(plant: &Plant, page: &mut PageBuilder) {
    let title = page.html_text("access.here");
    page.add_heading(2, "here", &title);
    let person = |user: User| {
        let name = user.name();
        vec![
            format!("{}<br>{}", page.html_text(&format!("sign_in.{name}")), format_code(name)),
            page.html_text(&format!("sign_in.{name}.may")),
        ]
    };
    let rows: Vec<Vec<String>> = User::ALL.into_iter().map(person).collect();
    page.add_table(&title, &["access.person", "access.may"], &rows);
    let client = page.html_text("access.client");
    page.add_paragraph(&format!("{client} {}", format_code(CLIENT_ID)));
    let addresses: Vec<String> = plant.identity.redirect_uris().iter().map(|address| format_code(address)).collect();
    let back = page.html_text("access.redirects");
    page.add_paragraph(&format!("{back} {}", addresses.join(" ")));
    let lifetime = page.html_text_with("access.lifetime", &plant.config.token_lifetime.as_secs().to_string());
    page.add_paragraph(&lifetime);
}

fn write_limits(plant: &Plant, document: &Value, page: &mut PageBuilder) {
    let title = page.html_text("access.limits");
    page.add_heading(2, "limits", &title);
    let limit = plant.config.rate_limit;
    let description =
        page.html_text_with("access.limit", &format!("{} / {} s", limit.requests, limit.window.as_secs()));
    page.add_paragraph(&description);
    let headers = document["components"]["headers"].as_object().into_iter().flatten();
    let rows = headers.map(|(_, header)| {
        let text = |name: &str| header[name].as_str().unwrap_or_default();
        vec![
            format_code(text("x-takt-header")),
            format_english(text("description")),
            format_node_mark(page, header, false),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let title = page.html_text("operation.headers");
    page.add_table(&title, &["parameter.name", "home.purpose", "field.source"], &rows);
}

fn fill_urls(text: Option<&str>, urls: &PlantUrls) -> String {
    text.unwrap_or_default().replace("{auth_url}", &urls.identity_url()).replace("{base_url}", &urls.base_url)
}
