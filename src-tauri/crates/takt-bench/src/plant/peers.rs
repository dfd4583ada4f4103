//! Installs and starts Prism, json-server and WireMock in exact versions, in the bench's folder. A peer that isn't
//! available is reported.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::{
    console::{print, timed},
    error::{BenchError, unexpected_result},
    orders::ORDERS_PATH,
    plant::bare,
    process::{exists, folder, hidden_program, npm, program, run_captured, write},
    subject::{Subject, free_address},
};

const PACKAGES: [&str; 3] = ["@stoplight/prism-cli@5.14.2", "json-server@0.17.4", "wiremock@3.13.2"];
const WIREMOCK_JAR: &str = "node_modules/wiremock/build/wiremock-standalone-3.13.2.jar";

/// A running server to compare with, and the path of its list of a hundred orders.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) subject: Subject,
    pub(crate) list: &'static str,
}

/// Installs missing packages without their install scripts, which none of the three needs.
pub(crate) fn install() -> Result<(), BenchError> {
    let folder = folder().join("peers");
    fs::create_dir_all(&folder).map_err(BenchError::file(&folder))?;
    if PACKAGES.iter().all(|package| is_installed(&folder, package)) {
        return Ok(());
    }
    write(&folder.join("package.json"), "{ \"private\": true }\n".as_bytes())?;
    let mut command = npm(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    command.args(PACKAGES).current_dir(&folder);
    timed("fetching Prism, json-server and WireMock (npm install)", || run_captured(command)).map(drop)
}

fn is_installed(folder: &Path, package: &str) -> bool {
    let Some((name, version)) = package.rsplit_once('@') else { return false };
    let file = folder.join("node_modules").join(name).join("package.json");
    let package_json = fs::read(file).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    package_json.is_some_and(|package_json| package_json["version"] == version)
}

/// Starts a peer, or prints why it isn't available.
pub(crate) fn start_or_print(name: &str, start: impl FnOnce() -> Result<Peer, BenchError>) -> Option<Peer> {
    match start() {
        Ok(peer) => Some(peer),
        Err(error) => {
            print(&format!("! {name} is not measured: {error}"));
            None
        }
    }
}

/// Starts the bare handler with the page.
pub(crate) fn start_bare(page: &[u8]) -> Result<Subject, BenchError> {
    bare::parse_page(page)?;
    let file = folder().join("page.json");
    write(&file, page)?;
    let address = free_address()?;
    let mut command = hidden_program(bare::PROGRAM_NAME)?;
    command.arg(address.to_string()).arg(&file);
    Subject::start("bare axum, serialises every time", command, address, ORDERS_PATH, "")
}

/// Starts Prism with the plant's OpenAPI document, which gets the page as its example.
pub(crate) fn start_prism(document: &[u8], page: &[u8], headers: &str) -> Result<Peer, BenchError> {
    let unreadable = |error: serde_json::Error| unexpected_result("the contract", &error.to_string());
    let mut document: Value = serde_json::from_slice(document).map_err(unreadable)?;
    let page: Value = serde_json::from_slice(page).map_err(unreadable)?;
    let pointer = "/paths/~1api~1v1~1WorkOrders/get/responses/200/content/application~1json";
    let content = document.pointer_mut(pointer).and_then(Value::as_object_mut);
    content
        .ok_or_else(|| unexpected_result("the contract", "it has no list of orders"))?
        .insert("example".to_owned(), page);
    let file = folder().join("prism.json");
    write(&file, document.to_string().as_bytes())?;
    let address = free_address()?;
    let mut command = node_command("@stoplight/prism-cli/dist/index.js");
    command.args(["mock", "--host", "127.0.0.1", "--port", &address.port().to_string()]).arg(file);
    command.args(["--verboseLevel", "silent"]);
    let subject = Subject::start("Prism 5.14.2, static example", command, address, ORDERS_PATH, headers)?;
    Ok(Peer { subject, list: ORDERS_PATH })
}

/// Starts json-server with the page's orders, and an empty list for batches.
pub(crate) fn start_json_server(page: &[u8]) -> Result<Peer, BenchError> {
    let unreadable = |error: serde_json::Error| unexpected_result("the page", &error.to_string());
    let page: Value = serde_json::from_slice(page).map_err(unreadable)?;
    let file = folder().join("json-server.json");
    write(&file, json!({ "orders": page["data"], "batches": [] }).to_string().as_bytes())?;
    let address = free_address()?;
    let mut command = node_command("json-server/lib/cli/bin.js");
    command.args(["--quiet", "--host", "127.0.0.1", "--port", &address.port().to_string()]).arg(file);
    let list = "/orders?_page=1&_limit=100";
    let subject = Subject::start("json-server 0.17.4", command, address, list, "")?;
    Ok(Peer { subject, list })
}

/// Starts WireMock with the page as a file in its fastest setup: without the request journal.
pub(crate) fn start_wiremock(page: &[u8]) -> Result<Peer, BenchError> {
    if !exists("java") {
        return Err(unexpected_result("WireMock", "there is no java"));
    }
    let root = folder().join("wiremock");
    for part in ["mappings", "__files"] {
        fs::create_dir_all(root.join(part)).map_err(BenchError::file(root.join(part)))?;
    }
    write(&root.join("__files/page.json"), page)?;
    let mapping = json!({
        "request": { "method": "GET", "urlPath": ORDERS_PATH },
        "response": { "status": 200, "bodyFileName": "page.json", "headers": { "Content-Type": "application/json" } },
    });
    write(&root.join("mappings/orders.json"), mapping.to_string().as_bytes())?;
    let address = free_address()?;
    let mut command = program("java");
    command.arg("-jar").arg(folder().join("peers").join(WIREMOCK_JAR)).arg("--root-dir").arg(root);
    command.args(["--bind-address", "127.0.0.1", "--port", &address.port().to_string()]);
    command.args(["--no-request-journal", "--disable-gzip", "--disable-banner"]);
    let subject = Subject::start("WireMock 3.13.2", command, address, ORDERS_PATH, "")?;
    Ok(Peer { subject, list: ORDERS_PATH })
}

fn node_command(script: &str) -> Command {
    let mut command = program("node");
    command.arg(folder().join("peers/node_modules").join(script));
    command
}
