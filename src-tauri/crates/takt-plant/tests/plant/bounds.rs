//! Bodies beyond every bound: too many items, too many values, too many bytes, too many errors, too many connections.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use takt_plant::PlantConfig;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::stage::{Answer, Stage, config};

const BATCH: &str = "/api/v1/Materials/batch";
/// Reading must end where the bound is, not after everything was read: far less than what building the values would take.
const SOON: Duration = Duration::from_secs(10);

impl Stage {
    async fn post_text(&self, path: &str, body: String) -> Answer {
        let request = self.request(Method::POST, path).header("content-type", "application/json").body(body);
        Answer::of(request.send().await.unwrap()).await
    }
}

fn too_large(text: &str) -> (u16, Value) {
    (413, json!({ "error": text }))
}

#[tokio::test]
async fn a_batch_has_at_most_as_many_items_as_the_limit() {
    let stage = Stage::with(PlantConfig { batch_limit: 5, ..config() }).await;
    let before = stage.state("materials").await.len();
    let items = |count: usize| -> Value {
        (0..count).map(|index| json!({ "code": format!("B-{index}"), "description": "bounded" })).collect()
    };
    let answer = stage.send("materials.sync", items(6)).await;
    assert_eq!((answer.status, answer.body), too_large("The batch has more than 5 items."));
    assert_eq!(stage.state("materials").await.len(), before, "nothing of it is applied");
    assert!(stage.last().applied.is_empty());
    assert_eq!(stage.send("materials.sync", items(5)).await.body["successCount"], 5);
    let link = json!({"templateId": 1, "processCode": "IP-01", "operationCode": "010"});
    let links = vec![link; 6];
    assert_eq!(stage.send("template-processes.delete", json!(links)).await.status, 413);
}

#[tokio::test]
async fn the_usual_limit_is_what_the_contract_says() {
    let stage = Stage::new().await;
    let assumptions = stage.contract.document()["x-takt-assumptions"].as_array().unwrap();
    let limit = assumptions.iter().find(|assumption| assumption["id"] == "batch-limit").unwrap();
    assert_eq!(limit["value"]["items"], json!(PlantConfig::default().batch_limit));
    let body = format!("{{\"items\":[{}0]}}", "0,".repeat(10_000));
    let answer = stage.post_text(BATCH, body).await;
    assert_eq!((answer.status, answer.body), too_large("The batch has more than 10000 items."));
}

#[tokio::test]
async fn sixteen_megabytes_of_nothing_are_not_kept() {
    let stage = Stage::new().await;
    let zeros = "0,".repeat(8 * 1024 * 1024 - 100);
    let values = "The body has more than 1000000 values.";
    let item = "An item of the batch has more than 20000 values.";
    for (path, body, text) in [
        (BATCH, format!("{{\"items\":[{zeros}0]}}"), "The batch has more than 10000 items."),
        (BATCH, format!("{{\"items\":[[{zeros}0]]}}"), item),
        (BATCH, format!("{{\"items\":[{{}},{{\"properties\":[{zeros}0]}}]}}"), item),
        (BATCH, format!("{{\"other\":[{zeros}0],\"items\":[]}}"), values),
        (BATCH, format!("[{zeros}0]"), values),
        ("/graphql", format!("{{\"query\":\"{{__typename}}\",\"variables\":[{zeros}0]}}"), values),
    ] {
        let start = Instant::now();
        let answer = stage.post_text(path, body).await;
        assert_eq!((answer.status, answer.body), too_large(text));
        assert!(start.elapsed() < SOON, "{text}: {:?}", start.elapsed());
    }
}

#[tokio::test]
async fn an_item_that_is_nothing_but_errors_gets_the_first_ones() {
    let stage = Stage::new().await;
    let properties = vec![json!(0); 15_000];
    let item = json!({"code": "MAT-1001", "description": "wrong inside", "properties": properties});
    let answer = stage.send("materials.sync", json!([item])).await;
    let errors = answer.body["results"][0]["errors"].as_array().unwrap();
    assert_eq!((answer.status, errors.len()), (207, 51));
    assert_eq!(
        (&errors[0], &errors[50]),
        (&json!("properties.0 must be object."), &json!("There are more errors than these."))
    );
}

#[tokio::test]
async fn numbers_beyond_64_bits_are_refused_item_by_item() {
    let stage = Stage::new().await;
    let huge = "98765432109876543210987654321";
    let order = format!(
        "{{\"items\":[{{\"code\":\"WO-H\",\"operationCode\":\"010\",\"materialCode\":\"MAT-1001\",\"requestedQuantity\":1,\
         \"templateId\":{huge}}},{{\"code\":{huge},\"operationCode\":-{huge}}}]}}"
    );
    let answer = stage.post_text(&stage.operation("work-orders.sync").path, order).await;
    assert_eq!((answer.status, &answer.body["errorCount"]), (207, &json!(2)));
    for text in ["1e999", "-1e999", "0x10", "01", "NaN"] {
        let answer = stage.post_text(BATCH, format!("{{\"items\":[{{\"code\":{text}}}]}}")).await;
        assert_eq!(answer.status, 400, "{text}");
    }
    let link = format!("{{\"items\":[{{\"templateId\":{huge},\"processCode\":\"IP-01\",\"operationCode\":\"010\"}}]}}");
    let request = stage.request(Method::DELETE, &stage.operation("template-processes.delete").path);
    let request = request.header("content-type", "application/json").body(link);
    let answer = Answer::of(request.send().await.unwrap()).await;
    assert_eq!((answer.status, answer.body), (412, json!({"errors": ["items.0.templateId must lie within 64 bits."]})));
}

#[tokio::test]
async fn a_number_keeps_its_last_digit() {
    let stage = Stage::new().await;
    let path = &stage.operation("stock.sync").path;
    for number in ["0.11458333333333333", "6.366666666666666", "123456789.12345679", "1e-7", "9007199254740993"] {
        let item =
            format!("{{\"items\":[{{\"materialCode\":\"MAT-1001\",\"serialNumber\":\"N\",\"quantity\":{number}}}]}}");
        assert_eq!(stage.post_text(path, item).await.status, 200);
        let state = stage.control(Method::GET, "/state/stock").send().await.unwrap().text().await.unwrap();
        assert!(state.contains(&format!("\"quantity\":{number},")), "{number}");
    }
    let durations = async || {
        let details = "/api/v1/WorkOrders/ProductionDetails?code=WO-260003";
        let text = stage.request(Method::GET, details).send().await.unwrap().text().await.unwrap();
        text.split("\"total").skip(1).map(|part| part.split([',', '}']).next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let before = durations().await;
    let property = json!([{"workOrderCode": "WO-260003", "key": "REVISION", "value": "Z"}]);
    for _ in 0..3 {
        stage.send("work-orders.properties", property.clone()).await;
    }
    assert_eq!(durations().await, before, "what a change doesn't name stays to the digit");
    assert!(before.len() > 20);
}

/// Sends a head that promises so many bytes, then the bytes, and reads the answer's head.
async fn pour(stage: &Stage, framing: &str, piece: &[u8], times: usize) -> String {
    let mut stream = TcpStream::connect(stage.plant.base_url.trim_start_matches("http://")).await.unwrap();
    let head = format!(
        "POST {BATCH} HTTP/1.1\r\nHost: plant\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n{framing}\r\n\r\n",
        stage.planner
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
    let stage = Stage::new().await;
    let piece = vec![b' '; 1024 * 1024];
    let answer = pour(&stage, &format!("Content-Length: {}", 1024 * piece.len()), &piece, 1024).await;
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("The body is larger than 16 MB."), "{answer}");
    let item = b"{\"code\":\"A\",\"description\":\"B\"},".repeat(10_000);
    let piece = [format!("{:x}\r\n", item.len()).as_bytes(), &item, b"\r\n"].concat();
    let answer = pour(&stage, "Transfer-Encoding: chunked", &piece, 1000).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "ten million items: {answer}");
    assert_eq!(stage.get("/api/v1/Materials").await.status, 200);
}

#[tokio::test]
async fn idle_connections_leave_room_for_others() {
    let stage = Stage::new().await;
    let address = stage.plant.base_url.trim_start_matches("http://").to_owned();
    let mut idle = Vec::new();
    for number in 0..300 {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        if number % 2 == 0 {
            stream.write_all(b"GET / HTTP/1.1\r\nHost: pl").await.unwrap();
        }
        idle.push(stream);
    }
    assert_eq!(stage.get("/api/v1/Materials").await.status, 200);
    drop(idle);
    assert_eq!(stage.get("/api/v1/Materials").await.status, 200);
}
