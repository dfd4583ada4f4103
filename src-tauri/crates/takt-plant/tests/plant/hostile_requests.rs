//! Tests of hostile requests, which cause error bodies, have no effect, and don't stop the plant.

use reqwest::Method;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    contract_check::{ObservedAnswer, violations_of},
    fixture::{Answer, Fixture},
    fuzz::raw_http::{RawAnswer, parse_answer},
    operations::sample_items,
};

const BATCH_PATH: &str = "/api/v1/Materials/batch";

impl Fixture {
    async fn post_raw(&self, content_type: &str, body: Vec<u8>) -> Answer {
        let request = self.request(Method::POST, BATCH_PATH).header("content-type", content_type).body(body);
        Answer::read(request.send().await.unwrap()).await
    }
}

#[tokio::test]
async fn bodies_that_are_no_json() {
    let fixture = Fixture::new().await;
    let before = fixture.resource_rows("materials").await;
    let deep = format!("{{\"items\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let bodies: [&[u8]; 6] =
        [b"", b"{", b"\xff\xfe{}", b"{\"items\":[1e999]}", b"{\"items\":[]} more", deep.as_bytes()];
    for body in bodies {
        let answer = fixture.post_raw("application/json", body.to_vec()).await;
        let text = answer.body["errors"][0].as_str().unwrap();
        assert!(answer.status == 400 && text.starts_with("The body is not valid JSON"), "{answer:?}");
    }
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""] {
        let answer = fixture.post_raw(content_type, b"{\"items\":[]}".to_vec()).await;
        assert_eq!(
            (answer.status, answer.body),
            (400, json!({ "errors": ["The content type must be application/json."] }))
        );
    }
    let item = b"{\"items\":[{\"code\":\"A\",\"description\":\"B\"}]}";
    for charset in ["latin1", "iso-8859-1", "utf-16", "windows-1252", "\"latin1\"", "", "utf-8; charset=latin1"] {
        for kind in ["application/json", "Application/JSON; x=y"] {
            let answer = fixture.post_raw(&format!("{kind}; charset={charset}"), item.to_vec()).await;
            assert_eq!(answer.status, 400, "{charset}: {}", answer.body);
        }
    }
    assert_eq!(fixture.resource_rows("materials").await.len(), before.len());
    for charset in ["utf-8", "UTF-8", "\"utf-8\""] {
        let answer = fixture.post_raw(&format!("Application/JSON; charset={charset}"), item.to_vec()).await;
        assert_eq!(answer.status, 200, "{charset}: {}", answer.body);
    }
    assert_eq!(fixture.resource_rows("materials").await.len(), before.len() + 1);
}

/// Requests that aren't valid HTTP cause JSON errors with rate limit headers, like other errors.
#[tokio::test]
async fn what_http_refuses_is_an_error_of_the_contract() {
    let fixture = Fixture::new().await;
    let address = fixture.plant.base_url.trim_start_matches("http://").to_owned();
    let good = "GET /api/v1/Materials HTTP/1.1\r\nHost: x\r\n\r\n";
    let long = |length: usize| "x".repeat(length);
    let many: String = (0..300).map(|number| format!("x-{number}: y\r\n")).collect();
    for (piece, status) in [
        (format!("GET /api/v1/Materials?code={} HTTP/1.1\r\nHost: x\r\n\r\n", long(70_000)), 414),
        (format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", long(2_000_000)), 431),
        (format!("GET /api/v1/Materials HTTP/1.1\r\nHost: x\r\nx: {}\r\n\r\n", long(1_000_000)), 431),
        (format!("GET /api/v1/Materials HTTP/1.1\r\nHost: x\r\n{many}\r\n"), 431),
        ("GET /api/v1/Materials HTTP/9.9\r\n\r\n".to_owned(), 400),
        ("GET /api/v1/Materials HTTP/1.1\r\nno header\r\n\r\n".to_owned(), 400),
        ("POST /api/v1/Materials/batch HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n".to_owned(), 400),
        ("GET /api/v1/Materials HTTP/1.1\r\n\r\n".to_owned(), 400),
        ("GET /api/v1/Materials HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n".to_owned(), 400),
    ] {
        let shown: String = piece.chars().take(80).collect();
        // As the first request, and after a valid request.
        for before in ["", good] {
            let mut stream = TcpStream::connect(&address).await.unwrap();
            if !before.is_empty() {
                stream.write_all(before.as_bytes()).await.unwrap();
                let mut answered = Vec::new();
                while !answered.ends_with(b"}") {
                    answered.push(stream.read_u8().await.unwrap());
                }
            }
            let (mut reads, mut writes) = stream.into_split();
            let piece = piece.clone();
            let sending = tokio::spawn(async move {
                let _ = writes.write_all(piece.as_bytes()).await;
                writes
            });
            let mut answer = Vec::new();
            let mut space = vec![0; 64 * 1024];
            while !answer.ends_with(b"}") {
                let count = reads.read(&mut space).await.unwrap();
                assert!(count > 0, "{shown}: {}", String::from_utf8_lossy(&answer));
                answer.extend_from_slice(&space[..count]);
            }
            drop(sending.await);
            let answer = parse_answer(&answer).unwrap();
            let RawAnswer { headers, body, .. } = &answer;
            assert_eq!(answer.status, status, "{shown}: {body}");
            let seen = ObservedAnswer { method: None, path: "/api/v1/Materials", status, headers, body };
            assert_eq!(violations_of(seen), Vec::<String>::new(), "{shown}");
            assert_eq!(headers["content-length"].to_str().unwrap(), body.to_string().len().to_string());
        }
    }
    assert_eq!(fixture.get("/api/v1/Materials").await.status, 200);
}

#[tokio::test]
async fn bodies_that_are_too_large() {
    let fixture = Fixture::new().await;
    let body = format!("{{\"items\":[{{\"code\":\"BIG\",\"description\":\"{}\"}}]}}", "x".repeat(20 * 1024 * 1024));
    let answer = fixture.post_raw("application/json", body.into_bytes()).await;
    assert_eq!((answer.status, answer.body), (413, json!({ "error": "The body is larger than 16 MB." })));
    let anonymous =
        fixture.client.post(fixture.url(BATCH_PATH)).body(vec![b' '; 20 * 1024 * 1024]).send().await.unwrap();
    assert_eq!(anonymous.status(), 401);
    assert_eq!(fixture.get("/api/v1/Materials").await.status, 200);
}

#[tokio::test]
async fn values_beyond_every_bound() {
    let fixture = Fixture::new().await;
    let huge = "1".repeat(31);
    let answer = fixture.get(&format!("/api/v1/ProcessExecutionTemplates/{huge}/Processes")).await;
    assert_eq!((answer.status, answer.body), (412, json!({ "errors": ["templateId must be a whole number."] })));
    for id in ["-1", "0", "9223372036854775807"] {
        assert_eq!(fixture.get(&format!("/api/v1/ProcessExecutionTemplates/{id}/Processes")).await.status, 412);
    }
    let order = json!({"code": "WO-H", "operationCode": "010", "materialCode": "MAT-1001", "requestedQuantity": 1e300,
        "templateId": 1e30, "beginPlanned": "99999-01-01T00:00:00", "laborPredictedTime": "99999999999999:00:00"});
    let answer = fixture.send_batch("work-orders.sync", json!([order])).await;
    assert_eq!(answer.status, 207);
    let errors = answer.body["results"][0]["errors"].as_array().unwrap().clone();
    assert!(errors.contains(&json!("beginPlanned must be an ISO 8601 date-time.")), "{errors:?}");
    assert!(errors.contains(&json!("laborPredictedTime must have the form hh:mm:ss.")), "{errors:?}");
    let many: Value = (0..10_000).map(|index| json!({ "code": format!("M{index}"), "description": "many" })).collect();
    let answer = fixture.send_batch("materials.sync", many).await;
    assert_eq!((answer.status, &answer.body["successCount"]), (200, &json!(10_000)));
    let code = "x".repeat(4000);
    assert_eq!(fixture.read("work-orders.list", &format!("?code={code}")).await.status, 400);
    assert_eq!(fixture.read("work-orders.list", "?code=%FF%FE").await.status, 400);
}

#[tokio::test]
async fn whole_numbers_beyond_64_bits_are_refused_and_no_fraction_of_nothing_stays() {
    let fixture = Fixture::new().await;
    let order = |code: &str, template: &str| {
        format!(
            "{{\"code\":\"{code}\",\"operationCode\":\"010\",\"materialCode\":\"MAT-1001\",\"requestedQuantity\":1,\"templateId\":{template}}}"
        )
    };
    let numbers = ["3.0", "9223372036854775808", "-9223372036854775809", "1e300", "9223372036854775807"];
    let items: Vec<String> =
        numbers.iter().enumerate().map(|(index, number)| order(&format!("WO-N{index}"), number)).collect();
    let operation = fixture.operation("work-orders.sync");
    let request = fixture.request(Method::POST, &operation.path).header("content-type", "application/json");
    let answer = Answer::read(request.body(format!("{{\"items\":[{}]}}", items.join(","))).send().await.unwrap()).await;
    assert_eq!((answer.status, &answer.body["successCount"]), (207, &json!(1)));
    for refused in 1..4 {
        assert_eq!(answer.body["results"][refused]["errors"], json!(["templateId must lie within 64 bits."]));
    }
    assert_eq!(answer.body["results"][4]["errors"], json!(["templateId: there is no template 9223372036854775807."]));
    assert_eq!(fixture.read("work-orders.list", "?code=WO-N0").await.rows()[0]["templateId"].as_i64(), Some(3));
}

#[tokio::test]
async fn no_two_keys_meet_whatever_they_hold() {
    let fixture = Fixture::new().await;
    let lots =
        [("A\u{1f}", "B"), ("A", "\u{1f}B"), ("A\u{1e}1", "B"), ("A\u{1e}", "1B"), ("A\u{1f}B", ""), ("", "A\u{1f}B")];
    let before = fixture.resource_rows("stock").await.len();
    let items: Vec<Value> = lots
        .iter()
        .map(|(warehouse, location)| {
            json!({"materialCode": "MAT-1001", "quantity": 1, "warehouse": warehouse, "location": location})
        })
        .collect();
    for _ in 0..2 {
        assert_eq!(fixture.send_batch("stock.sync", json!(items)).await.status, 200);
        assert_eq!(fixture.resource_rows("stock").await.len(), before + lots.len());
    }
}

/// An invalid write has no effect, and its log entry records that.
#[tokio::test]
async fn nothing_is_half_applied() {
    let fixture = Fixture::new().await;
    let elsewhere = Fixture::new().await;
    let before = fixture.all_rows().await;
    let links = fixture.resource_rows("template-processes").await;
    let expired = fixture.plant.issue_tokens("planner").unwrap().access_token;
    fixture.advance_clock(3601);
    let planner = fixture.plant.issue_tokens("planner").unwrap().access_token;
    let tokens = [Some(expired.as_str()), Some("forged"), Some(&elsewhere.planner), None];
    let batches = fixture.contract.operations().iter().filter(|operation| operation.request.is_some());
    for operation in batches {
        let good = match operation.kind {
            takt_contract::OperationKind::Delete => json!({ "items": [links[0]] }).to_string(),
            _ => json!({ "items": [sample_items(&operation.id).0] }).to_string(),
        };
        let request = |token: Option<&str>, method: Method, path: &str, kind: &str, body: Vec<u8>| {
            let request = fixture.client.request(method, fixture.url(path)).header("content-type", kind).body(body);
            token.map(|token| request.try_clone().unwrap().bearer_auth(token)).unwrap_or(request)
        };
        let method = || operation.method.parse::<Method>().unwrap();
        let path = operation.path.as_str();
        let json = "application/json";
        let utf16: Vec<u8> = good.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let latin1 = good.replacen("\"items\"", "\"\u{e9}\":1,\"items\"", 1).chars().map(|one| one as u8).collect();
        let cut = good.as_bytes()[..good.len() - 2].to_vec();
        let good = || good.clone().into_bytes();
        let mut requests: Vec<_> =
            tokens.into_iter().map(|token| (401, request(token, method(), path, json, good()))).collect();
        requests.extend([
            (
                403,
                request(
                    Some(&fixture.plant.issue_tokens("viewer").unwrap().access_token),
                    method(),
                    path,
                    json,
                    good(),
                ),
            ),
            (400, request(Some(&planner), method(), path, json, utf16)),
            (400, request(Some(&planner), method(), path, json, latin1)),
            (400, request(Some(&planner), method(), path, json, cut)),
            (400, request(Some(&planner), method(), path, json, [good(), good()].concat())),
            (400, request(Some(&planner), method(), path, json, good()).header("content-encoding", "gzip")),
            (400, request(Some(&planner), method(), path, "text/plain", good())),
            (404, request(Some(&planner), method(), &format!("{path}/"), json, good())),
            (405, request(Some(&planner), Method::PUT, path, json, good())),
        ]);
        for (status, request) in requests {
            let answer = Answer::read(request.send().await.unwrap()).await;
            assert_eq!(answer.status, status, "{} {:?}", operation.id, answer.body);
            assert_eq!(fixture.last_log_entry().applied, []);
        }
        // An invalid item is rejected completely and doesn't affect other items.
        let spoiled = json!({ "items": [{ "code": "ONLY-HALF" }, 7] }).to_string().into_bytes();
        let answer = Answer::read(request(Some(&planner), method(), path, json, spoiled).send().await.unwrap()).await;
        let none_taken = answer.status == 412 || answer.body["successCount"] == 0;
        assert!(none_taken, "{} {:?}", operation.id, answer.body);
    }
    assert_eq!(fixture.all_rows().await, before);
}

/// The body of a read is ignored.
#[tokio::test]
async fn a_read_with_a_body_is_a_read() {
    let fixture = Fixture::new().await;
    for body in [b"{".to_vec(), vec![b'x'; 17 * 1024 * 1024]] {
        let answer =
            Answer::read(fixture.request(Method::GET, "/api/v1/Materials").body(body).send().await.unwrap()).await;
        assert_eq!(answer.status, 200);
    }
}

#[tokio::test]
async fn text_is_stored_as_it_came() {
    let fixture = Fixture::new().await;
    let text = "<script>alert(1)</script>\u{0}\u{202e}\"'\\ 🔧";
    fixture.send_batch("materials.sync", json!([{"code": text, "description": text}])).await;
    assert_eq!(fixture.resource_rows("materials").await.last().unwrap()["code"], text);
}

#[tokio::test]
async fn broken_http_leaves_the_plant_running() {
    let fixture = Fixture::new().await;
    let address = fixture.plant.base_url.trim_start_matches("http://").to_owned();
    let pieces: [&[u8]; 4] = [
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x00\xff\x01\x00",
        b"POST /api/v1/Materials/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"POST /api/v1/Materials/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{\"items\":",
    ];
    for piece in pieces {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        stream.write_all(piece).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let head = String::from_utf8_lossy(&answer);
        assert!(!head.contains("HTTP/1.1 2") && !head.contains("HTTP/1.1 5"), "{head}");
    }
    assert_eq!(fixture.get("/api/v1/Materials").await.status, 200);
}
