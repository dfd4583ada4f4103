//! A session in which every service echoes its requests. Afterwards, no file contains a secret.

use std::{path::Path, sync::Arc};
use takt_engine::item::ExcelRow;

use serde_json::json;
use takt_engine::{
    client::SECRET_PLACEHOLDER,
    forward::{TargetSettings, TargetStart, TargetState},
    import::ItemSet,
    item::{Item, RowId},
    sites::Site,
    submission::{SendOptions, SubmissionRequest},
};
use takt_test_support::{
    event_sender::post,
    inbox_fixture::{Fixture, SITE, site},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use super::{
    forwarding::{quick_timing, target_settings, wait_for_target},
    target::{Erp, status},
};

const CLIENT_SECRET: &str = "client/s3cret+0815=";
const ACCESS_TOKEN: &str = "access-first-112233";
const REFRESH_TOKEN: &str = "refresh-first-112233";
const RENEWED_ACCESS_TOKEN: &str = "access-second-445566";
const ROTATED_REFRESH_TOKEN: &str = "refresh-second-445566";
const EVENT_SECRET: &str = "event-secret-778899";
const TARGET_HEADER_SECRET: &str = "key-of-the-erp-aabbcc";
const TARGET_SIGNING_SECRET: &str = "signing-of-the-erp-ddeeff";
const SENDER_SECRETS: [&str; 3] = ["sender-bearer-1", "sender-cookie-2", "sender-key-3"];

/// A server that responds with the result of `answer` to each request, and then closes the connection.
struct Echo {
    url: String,
    serving: JoinHandle<()>,
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Echo {
    async fn start(answer: fn(&str) -> (u16, String)) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let answer = Arc::new(answer);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let answer = Arc::clone(&answer);
                tokio::spawn(async move { serve_connection(stream, *answer).await });
            }
        });
        Self { url, serving }
    }
}

async fn serve_connection(mut stream: TcpStream, answer: fn(&str) -> (u16, String)) {
    let (mut bytes, mut part) = (Vec::new(), [0; 4_096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                let (status, body) = answer(&text);
                let head = format!("HTTP/1.1 {status} Echo\r\nContent-Type: application/json\r\nConnection: close");
                let whole = format!("{head}\r\nX-Echo: {}\r\nContent-Length: {}\r\n\r\n{body}", text.len(), body.len());
                let _ = stream.write_all(whole.as_bytes()).await;
                return;
            }
        }
        match stream.read(&mut part).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&part[..read]),
            _ => return,
        }
    }
}

/// The provider returns new tokens, the service a row for a read and an error for a write. Both echo the request.
fn respond_as_service(request: &str) -> (u16, String) {
    let echo = json!(request);
    if request.starts_with("POST /connect/token") {
        let pair = format!(
            r#""access_token":"{RENEWED_ACCESS_TOKEN}","refresh_token":"{ROTATED_REFRESH_TOKEN}","expires_in":3600"#
        );
        return (200, format!(r#"{{{pair},"echo":{echo}}}"#));
    }
    if request.starts_with("GET ") {
        return (200, format!(r#"{{"data":[{{"code":"M-1","description":{echo},"uoM":{echo}}}]}}"#));
    }
    (
        500,
        format!(r#"{{"logId":{echo},"message":[{echo}],"stackTrace":[{echo}],"headers":{{"authorization":{echo}}}}}"#),
    )
}

fn respond_as_target(request: &str) -> (u16, String) {
    (500, format!("<html><body><pre>{}</pre></body></html>", request.replace('&', "&amp;").replace('"', "&quot;")))
}

fn material(row: u32) -> Item {
    let code = format!("M-{row}");
    let rows = vec![RowId { sheet: "Materials".to_owned(), row: ExcelRow::new(row) }];
    Item { rows, key: code.clone(), body: json!({ "code": code, "description": "Bolt" }), ..Item::default() }
}

#[tokio::test]
async fn nothing_secret_is_in_any_file_after_everybody_echoed() {
    let (service, erp) = (Echo::start(respond_as_service).await, Echo::start(respond_as_target).await);
    let fixture = Fixture::new();
    let engine = &fixture.engine;
    engine.inbox().targets().set_timing(quick_timing());
    let works = Site { base_url: service.url.clone(), auth_url: service.url.clone(), ..site() };
    engine.save_site(works, Some(CLIENT_SECRET.to_owned())).unwrap();
    // The token has expired, so the first request renews it.
    engine.sites().adopt_tokens(SITE, ACCESS_TOKEN, Some(REFRESH_TOKEN), Some(0)).unwrap();

    // A write fails, and the service echoes everything that was sent.
    let set = ItemSet {
        operation: "materials.sync".to_owned(),
        file: "file.xlsx".to_owned(),
        hash: "00".to_owned(),
        sheet: "Materials".to_owned(),
        items: vec![material(1), material(2)],
        mapping: None,
    };
    let material = SubmissionRequest {
        site: SITE.to_owned(),
        steps: vec![set.into()],
        options: SendOptions { leave_unconfirmed: true, ..SendOptions::default() },
        ..SubmissionRequest::default()
    };
    let sent = engine.submissions().submit(material).await.unwrap().id.first();
    engine.submissions().wait(sent).await.unwrap();
    let view = engine.submissions().view(sent).unwrap();
    assert!(view.counts.unconfirmed > 0, "{view:?}");
    let stored = engine.submissions().requests(sent, 0, 10).unwrap();
    let stored = format!("{stored:?}");
    assert!(stored.contains(SECRET_PLACEHOLDER), "what was answered is kept: {stored}");
    assert!(engine.sites().test(SITE).await.unwrap().service_reached);

    // The sender of events, and the target to which they are forwarded.
    engine.inbox().set_secrets(SITE, &[EVENT_SECRET.to_owned()]).unwrap();
    let receiver = fixture.receive().await;
    let wanted = TargetSettings {
        name: "ERP".to_owned(),
        address: erp.url.clone(),
        headers: vec![
            ("authorization".to_owned(), format!("Key {TARGET_HEADER_SECRET}")),
            ("x-erp".to_owned(), TARGET_HEADER_SECRET.to_owned()),
        ],
        secret: Some(TARGET_SIGNING_SECRET.to_owned()),
        ..TargetSettings::default()
    };
    let target = engine.inbox().targets().add(SITE, &wanted, &TargetStart::Now).unwrap();
    let path = receiver.url().rsplit('/').next().unwrap().to_owned();
    let echo = json!({ "Id": 2, "Description": format!("sent to {} with {EVENT_SECRET}", receiver.url()) }).to_string();
    let [bearer, cookie, key] = SENDER_SECRETS;
    let (bearer, cookie) = (format!("Bearer {bearer}"), format!("session={cookie}"));
    let url = receiver.url();
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Cookie", &cookie),
        ("X-Api-Key", key),
        ("Referer", &url),
        ("X-Plain", "kept"),
    ];
    assert_eq!(post(&url, &headers, echo.as_bytes()).await.0, 401, "it isn't signed");
    engine.inbox().set_secrets(SITE, &[]).unwrap();
    engine.inbox().reload_secrets(&receiver);
    assert_eq!(post(&url, &headers, echo.as_bytes()).await.0, 200);
    let view = wait_for_target(&fixture, "the target answered", |view| view.miss.is_some()).await;
    assert_eq!(view.state, TargetState::Failing);
    drop(engine.inbox().targets().send_test_event(SITE, &wanted, Some(target)).await.unwrap());
    let event_text = format!("{:?}", fixture.event(2).await);
    assert!(event_text.contains("kept") && event_text.contains(SECRET_PLACEHOLDER), "{event_text}");

    // While the files are open, also check their write-ahead logs.
    let secrets = [
        CLIENT_SECRET,
        ACCESS_TOKEN,
        REFRESH_TOKEN,
        RENEWED_ACCESS_TOKEN,
        ROTATED_REFRESH_TOKEN,
        EVENT_SECRET,
        TARGET_HEADER_SECRET,
        TARGET_SIGNING_SECRET,
        &path,
    ];
    for secret in secrets.into_iter().chain(SENDER_SECRETS) {
        let percent: String = secret.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let form = secret.replace('/', "%2F").replace('+', "%2B").replace('=', "%3D");
        for form in [secret, &percent, &form] {
            assert_eq!(find_file_with(fixture.home.path(), form), None::<String>, "{secret}");
        }
    }
    assert!(
        find_file_with(fixture.home.path(), "kept").is_some() && find_file_with(fixture.home.path(), "Bolt").is_some()
    );
    receiver.stop().await;
}

/// Returns the first file that contains the text.
fn find_file_with(folder: &Path, text: &str) -> Option<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.into_iter().find_map(|path| {
        if path.is_dir() {
            return find_file_with(&path, text);
        }
        let bytes = std::fs::read(&path).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes()).then(|| path.display().to_string())
    })
}

#[tokio::test]
async fn what_is_secret_about_a_target_stays_with_its_address() {
    let (old, new) = (Erp::start(|_| status(200)).await, Erp::start(|_| status(200)).await);
    let fixture = Fixture::new();
    fixture.engine.inbox().targets().set_timing(quick_timing());
    let receiver = fixture.receive().await;
    let header = |value: &str| vec![("authorization".to_owned(), value.to_owned())];
    let signed = TargetSettings {
        headers: header(&format!("Key {TARGET_HEADER_SECRET}")),
        secret: Some(TARGET_SIGNING_SECRET.to_owned()),
        ..target_settings(&old)
    };
    let id = fixture.engine.inbox().targets().add(SITE, &signed, &TargetStart::Now).unwrap();

    let stored = |headers, secret| TargetSettings { headers, secret, ..target_settings(&new) };
    for (what, moved) in [
        ("the header", stored(header(""), Some(String::new()))),
        ("the signature", stored(Vec::new(), None)),
        ("both", stored(header(""), None)),
    ] {
        let problem = fixture.engine.inbox().targets().change(SITE, id, &moved).unwrap_err();
        assert_eq!(problem.parameters["obstacle"], "target-moved", "{what}");
        let problem = fixture.engine.inbox().targets().send_test_event(SITE, &moved, Some(id)).await.unwrap_err();
        assert_eq!(problem.parameters["obstacle"], "target-moved", "{what}, tried out");
    }
    assert!(new.deliveries().is_empty());
    // Another path at the same host needs no new secrets, and new ones are sent to the new path.
    let path = TargetSettings {
        address: format!("{}/v2", old.url()),
        headers: header(""),
        secret: None,
        ..target_settings(&old)
    };
    fixture.engine.inbox().targets().change(SITE, id, &path).unwrap();
    fixture
        .engine
        .inbox()
        .targets()
        .change(SITE, id, &stored(header("Key of the new one"), Some(String::new())))
        .unwrap();
    assert_eq!(post(&receiver.url(), &[("X-Takt-Delivery", "one")], b"{\"Id\":2}").await.0, 200);
    let received = new.wait_for_events(1).await;
    assert_eq!(received[0].header("authorization"), Some("Key of the new one"));
    assert_eq!(received[0].header("x-takt-signature"), None);
    receiver.stop().await;
}
