//! Templates: read by id, remembered, and their links deleted.

use std::time::Duration;

use serde_json::Value;
use takt_engine::{Code, Link, SubmissionState, parse_template_ids};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::stage::{PRACTICE, Stage, sign_in};

#[tokio::test]
async fn templates_are_read_and_remembered() {
    let stage = Stage::signed_in().await;
    let ids = parse_template_ids("3, 999999, 1-2").unwrap();
    let templates = stage.engine.read_templates(PRACTICE, &ids).await.unwrap();
    assert_eq!(templates.iter().map(|view| view.template_id).collect::<Vec<_>>(), [3, 999_999, 1, 2]);
    assert_eq!(templates[1].problem.as_ref().map(|problem| problem.code), Some(Code::NotFound));
    let rows: Vec<_> = templates.iter().flat_map(|view| &view.processes).collect();
    assert!(rows.iter().any(|row| row.labor_seconds > 0.0) && rows.iter().any(|row| row.is_quality_inspection));
    assert!(rows.iter().all(|row| !row.code.is_empty()));
    assert_eq!(stage.engine.remembered_templates(PRACTICE).unwrap(), [1, 2, 3]);
    stage.engine.forget_template(PRACTICE, 2).unwrap();
    assert_eq!(stage.engine.remembered_templates(PRACTICE).unwrap(), [1, 3]);
}

#[tokio::test]
async fn a_failing_template_doesnt_hide_the_others() {
    let stage = Stage::signed_in().await;
    stage.suffer("error-500:0.5");
    let templates = stage.engine.read_templates(PRACTICE, &(1..=20).collect::<Vec<_>>()).await.unwrap();
    let failed = templates.iter().filter(|view| view.problem.is_some()).count();
    assert!((1..20).contains(&failed), "{failed}");
    assert_eq!(stage.engine.remembered_templates(PRACTICE).unwrap().len(), 20 - failed);
}

#[tokio::test]
async fn what_concerns_the_site_is_said_once() {
    let stage = Stage::new().await;
    let problem = stage.engine.read_templates(PRACTICE, &[1, 2]).await.unwrap_err();
    assert_eq!(problem.code, Code::SignInNeeded);
    sign_in(&stage.engine, &stage.plant, PRACTICE, "planner");
    stage.suffer("limit-429-s:0.3");
    let templates = stage.engine.read_templates(PRACTICE, &[1, 2, 3, 4]).await.unwrap();
    assert!(templates.iter().all(|view| view.problem.is_none()), "a 429 is waited for");
}

#[tokio::test]
async fn deleted_links_are_gone() {
    let stage = Stage::signed_in().await;
    // The plant's links carry an operation code that no answer shows.
    let link = first_link(&stage).await;
    let text = |name: &str| link[name].as_str().unwrap().to_owned();
    let (template_id, process_code) = (link["templateId"].as_i64().unwrap(), text("processCode"));
    let links = [
        Link { template_id, process_code: process_code.clone(), operation_code: text("operationCode") },
        Link { template_id, process_code: "IP-none".to_owned(), operation_code: "010".to_owned() },
    ];
    let before = stage.engine.read_templates(PRACTICE, &[template_id]).await.unwrap().remove(0).processes.len();
    let id = stage.engine.delete_links(PRACTICE, &links, None).await.unwrap().id;
    let done = tokio::time::timeout(Duration::from_secs(30), stage.engine.wait(id)).await.unwrap().unwrap();
    assert_eq!(done.state, SubmissionState::Finished);
    assert_eq!((done.total, done.counts.accepted, done.counts.rejected), (2, 1, 1));
    let after = stage.engine.read_templates(PRACTICE, &[template_id]).await.unwrap().remove(0).processes.len();
    assert_eq!(after, before - 1);
    let empty = Link { template_id, process_code, operation_code: " ".to_owned() };
    assert_eq!(stage.engine.delete_links(PRACTICE, &[empty], None).await.unwrap_err().code, Code::InvalidInput);
}

/// The first link that the plant itself holds, from its control interface.
async fn first_link(stage: &Stage) -> Value {
    let host = stage.plant.base_url.trim_start_matches("http://");
    let path = stage.plant.control_url.trim_start_matches(&stage.plant.base_url);
    let mut stream = TcpStream::connect(host).await.unwrap();
    let key = &stage.plant.control_key;
    let request = format!(
        "GET {path}/state/template-processes HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    let state: Value = serde_json::from_str(body).unwrap();
    state["data"][0].clone()
}
