//! Tests of bodies that exceed a limit, which are too many items, values, bytes, errors or connections.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use takt_plant::PlantConfig;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::fixture::{Answer, Fixture, config};

const BATCH_PATH: &str = "/api/v1/Materials/batch";
/// The time within which a body above a limit must be rejected. Parsing all of its values would take longer.
const REJECTION_TIMEOUT: Duration = Duration::from_secs(10);

impl Fixture {
    async fn post_text(&self, path: &str, body: String) -> Answer {
        let request = self.request(Method::POST, path).header("content-type", "application/json").body(body);
        Answer::read(request.send().await.unwrap()).await
    }
}

fn too_large_answer(text: &str) -> (u16, Value) {
    (413, json!({ "error": text }))
}

#[tokio::test]
async fn a_batch_has_at_most_as_many_items_as_the_limit() {
    let fixture = Fixture::with_config(PlantConfig { batch_limit: 5, ..config() }).await;
    let before = fixture.resource_rows("materials").await.len();
    let items = |count: usize| -> Value {
        (0..count).map(|index| json!({ "code": format!("B-{index}"), "description": "bounded" })).collect()
    };
    let answer = fixture.send_batch("materials.sync", items(6)).await;
    assert_eq!((answer.status, answer.body), too_large_answer("The batch has more than 5 items."));
    assert_eq!(fixture.resource_rows("materials").await.len(), before, "nothing of it is applied");
    assert!(fixture.last_log_entry().applied.is_empty());
    assert_eq!(fixture.send_batch("materials.sync", items(5)).await.body["successCount"], 5);
    let link = json!({"templateId": 1, "processCode": "IP-01", "operationCode": "010"});
    let links = vec![link; 6];
    assert_eq!(fixture.send_batch("template-processes.delete", json!(links)).await.status, 413);
}

#[tokio::test]
async fn the_usual_limit_is_what_the_contract_says() {
    let fixture = Fixture::new().await;
    let assumptions = fixture.contract.document()["x-takt-assumptions"].as_array().unwrap();
    let limit = assumptions.iter().find(|assumption| assumption["id"] == "batch-limit").unwrap();
    assert_eq!(limit["value"]["items"], json!(PlantConfig::default().batch_limit));
    let body = format!("{{\"items\":[{}0]}}", "0,".repeat(10_000));
    let answer = fixture.post_text(BATCH_PATH, body).await;
    assert_eq!((answer.status, answer.body), too_large_answer("The batch has more than 10000 items."));
}

#[tokio::test]
async fn sixteen_megabytes_of_nothing_are_not_kept() {
    let fixture = Fixture::new().await;
    let zeros = "0,".repeat(8 * 1024 * 1024 - 100);
    let values = "The body has more than 1000000 values.";
    let item = "An item of the batch has more than 20000 values.";
    for (path, body, text) in [
        (BATCH_PATH, format!("{{\"items\":[{zeros}0]}}"), "The batch has more than 10000 items."),
        (BATCH_PATH, format!("{{\"items\":[[{zeros}0]]}}"), item),
        (BATCH_PATH, format!("{{\"items\":[{{}},{{\"properties\":[{zeros}0]}}]}}"), item),
        (BATCH_PATH, format!("{{\"other\":[{zeros}0],\"items\":[]}}"), values),
        (BATCH_PATH, format!("[{zeros}0]"), values),
        ("/graphql", format!("{{\"query\":\"{{__typename}}\",\"variables\":[{zeros}0]}}"), values),
    ] {
        let start = Instant::now();
        let answer = fixture.post_text(path, body).await;
        assert_eq!((answer.status, answer.body), too_large_answer(text));
        assert!(start.elapsed() < REJECTION_TIMEOUT, "{text}: {:?}", start.elapsed());
    }
}

#[tokio::test]
async fn an_item_that_is_nothing_but_errors_gets_the_first_ones() {
    let fixture = Fixture::new().await;
    let properties = vec![json!(0); 15_000];
    let item = json!({"code": "MAT-1001", "description": "wrong inside", "properties": properties});
    let answer = fixture.send_batch("materials.sync", json!([item])).await;
    let errors = answer.body["results"][0]["errors"].as_array().unwrap();
    assert_eq!((answer.status, errors.len()), (207, 51));
    assert_eq!(
        (&errors[0], &errors[50]),
        (&json!("properties.0 must be object."), &json!("There are more errors than these."))
    );
}

#[tokio::test]
async fn numbers_beyond_64_bits_are_refused_item_by_item() {
    let fixture = Fixture::new().await;
    let huge = "98765432109876543210987654321";
    let order = format!(
        "{{\"items\":[{{\"code\":\"WO-H\",\"operationCode\":\"010\",\"materialCode\":\"MAT-1001\",\"requestedQuantity\":1,\
         \"templateId\":{huge}}},{{\"code\":{huge},\"operationCode\":-{huge}}}]}}"
    );
    let answer = fixture.post_text(&fixture.operation("work-orders.sync").path, order).await;
    assert_eq!((answer.status, &answer.body["errorCount"]), (207, &json!(2)));
    for text in ["1e999", "-1e999", "0x10", "01", "NaN"] {
        let answer = fixture.post_text(BATCH_PATH, format!("{{\"items\":[{{\"code\":{text}}}]}}")).await;
        assert_eq!(answer.status, 400, "{text}");
    }
    let link = format!("{{\"items\":[{{\"templateId\":{huge},\"processCode\":\"IP-01\",\"operationCode\":\"010\"}}]}}");
    let request = fixture.request(Method::DELETE, &fixture.operation("template-processes.delete").path);
    let request = request.header("content-type", "application/json").body(link);
    let answer = Answer::read(request.send().await.unwrap()).await;
    assert_eq!((answer.status, answer.body), (412, json!({"errors": ["items.0.templateId must lie within 64 bits."]})));
}

#[tokio::test]
async fn a_number_keeps_its_last_digit() {
    let fixture = Fixture::new().await;
    let path = &fixture.operation("stock.sync").path;
    for number in ["0.11458333333333333", "6.366666666666666", "123456789.12345679", "1e-7", "9007199254740993"] {
        let item =
            format!("{{\"items\":[{{\"materialCode\":\"MAT-1001\",\"serialNumber\":\"N\",\"quantity\":{number}}}]}}");
        assert_eq!(fixture.post_text(path, item).await.status, 200);
        let state = fixture.control_request(Method::GET, "/state/stock").send().await.unwrap().text().await.unwrap();
        assert!(state.contains(&format!("\"quantity\":{number},")), "{number}");
    }
    let durations = async || {
        let details = "/api/v1/WorkOrders/ProductionDetails?code=WO-260003";
        let text = fixture.request(Method::GET, details).send().await.unwrap().text().await.unwrap();
        text.split("\"total").skip(1).map(|part| part.split([',', '}']).next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let before = durations().await;
    let property = json!([{"workOrderCode": "WO-260003", "key": "REVISION", "value": "Z"}]);
    for _ in 0..3 {
        fixture.send_batch("work-orders.properties", property.clone()).await;
    }
    assert_eq!(durations().await, before, "what a change doesn't name stays to the digit");
    assert!(before.len() > 20);
}

/// Sends a head with this framing, then `piece` repeatedly. Returns the start of the response.
async fn send_body(fixture: &Fixture, framing: &str, piece: &[u8], times: usize) -> String {
    let mut stream = TcpStream::connect(fixture.plant.base_url.trim_start_matches("http://")).await.unwrap();
    let head = format!(
        "POST {BATCH_PATH} HTTP/1.1\r\nHost: plant\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n{framing}\r\n\r\n",
        fixture.planner
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    for _ in 0..times {
        stream.write_all(piece).await.unwrap();
    }
    if framing.starts_with("Transfer") {
        stream.write_all(b"0\r\n\r\n").await.unwrap();
    }
    let mut answer = vec![0; 4096];
    let count = stream.read(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer[..count]).into_owned()
}

#[tokio::test]
async fn a_gigabyte_is_read_to_its_end_and_forgotten() {
    let fixture = Fixture::new().await;
    let piece = vec![b' '; 1024 * 1024];
    let answer = send_body(&fixture, &format!("Content-Length: {}", 1024 * piece.len()), &piece, 1024).await;
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("The body is larger than 16 MB."), "{answer}");
    let item = b"{\"code\":\"A\",\"description\":\"B\"},".repeat(10_000);
    let piece = [format!("{:x}\r\n", item.len()).as_bytes(), &item, b"\r\n"].concat();
    let answer = send_body(&fixture, "Transfer-Encoding: chunked", &piece, 1000).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "ten million items: {answer}");
    assert_eq!(fixture.get("/api/v1/Materials").await.status, 200);
}

#[tokio::test]
async fn idle_connections_leave_room_for_others() {
    let fixture = Fixture::new().await;
    let address = fixture.plant.base_url.trim_start_matches("http://").to_owned();
    let mut idle = Vec::new();
    for number in 0..300 {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        if number % 2 == 0 {
            stream.write_all(b"GET / HTTP/1.1\r\nHost: pl").await.unwrap();
        }
        idle.push(stream);
    }
    assert_eq!(fixture.get("/api/v1/Materials").await.status, 200);
    drop(idle);
    assert_eq!(fixture.get("/api/v1/Materials").await.status, 200);
}
