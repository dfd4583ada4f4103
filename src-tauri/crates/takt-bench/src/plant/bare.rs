//! The bare handler as a yardstick for the plant: axum and a hundred orders as typed structs, serialized on every call.
//! It has no token, rate limit, log or store. Its response equals the plant's page.

use std::{fs, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::State,
    http::{HeaderValue, header},
    response::Response,
    routing::get,
    serve::ListenerExt,
};
use serde::{Deserialize, Serialize};
use takt_contract::wire::TimeSpan;
use tokio::net::TcpListener;

use crate::error::{BenchError, unexpected_result};

/// The hidden program: `bare ADDRESS FILE`.
pub(crate) const PROGRAM_NAME: &str = "bare";

/// A page of orders.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Page {
    data: Vec<Order>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Order {
    id: i64,
    code: String,
    operation_code: String,
    material_code: String,
    r#type: Option<String>,
    work_order_grouper: Option<String>,
    customer: Option<String>,
    promise_date: Option<String>,
    work_station_code: Option<String>,
    template_id: Option<i64>,
    status_description: Option<String>,
    status_additional_description: Option<String>,
    status_note: Option<String>,
    requested_quantity: i64,
    produced_good_quantity: i64,
    produced_bad_quantity: i64,
    begin_planned: Option<String>,
    end_planned: Option<String>,
    begin_real: Option<String>,
    end_real: Option<String>,
    labor_predicted_time: TimeSpan,
    machine_predicted_time: TimeSpan,
    note: Option<String>,
    raw_materials: Vec<Material>,
    properties: Vec<Property>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Material {
    code: String,
    description: String,
    sequence: i64,
    quantity: i64,
    #[serde(rename = "uoM")]
    unit: String,
    quantity_consumed: i64,
    consumed_raw_materials: Vec<Consumed>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Consumed {
    quantity: i64,
    serial_number: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Property {
    key: String,
    value: String,
    name: Option<String>,
    is_locked: Option<bool>,
}

/// Reads a page of the plant and checks that it serializes to the same bytes. Otherwise the comparison would be unfair.
pub(crate) fn parse_page(bytes: &[u8]) -> Result<Page, BenchError> {
    let page: Page =
        serde_json::from_slice(bytes).map_err(|error| unexpected_result("the page of orders", &error.to_string()))?;
    let again = serde_json::to_vec(&page).unwrap_or_default();
    if again == bytes {
        Ok(page)
    } else {
        Err(unexpected_result("the bare handler", "it writes another page than the plant"))
    }
}

/// Serves the page in the file until it is killed.
pub(crate) fn serve(arguments: &[String]) -> Result<(), BenchError> {
    let [address, file] = arguments else {
        return Err(unexpected_result(PROGRAM_NAME, "it takes an address and a file"));
    };
    let page = Arc::new(parse_page(&fs::read(file).map_err(BenchError::file(file))?)?);
    let failed = |error: std::io::Error| unexpected_result(PROGRAM_NAME, &error.to_string());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let router = Router::new().route("/api/v1/WorkOrders", get(send_page)).with_state(page);
        axum::serve(listener, router).await.map_err(failed)
    })
}

async fn send_page(State(page): State<Arc<Page>>) -> Response {
    let mut response = Response::new(Body::from(serde_json::to_vec(&*page).unwrap_or_default()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
