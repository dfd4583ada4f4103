//! Responses far larger than a page.

use std::process::Stdio;

use takt_engine::{
    Canceller, Code,
    browse::{Arrangement, PageRequest},
};
use takt_test_support::process;

use super::server::{Fixture, LIST, Pieces, SITE, complete_response, query, response_head};

const MEGABYTE: usize = 1024 * 1024;
const ROWS: usize = 512;

/// A response of this many megabytes, generated while it is sent.
fn large_response(megabytes: usize) -> Pieces {
    let note = "plan ".repeat(400);
    let block = move |first: usize| {
        let row = |row: usize| format!(r#"{{"code":"M-{row}","description":"{note}"}}"#);
        let rows: Vec<String> = (first..first + ROWS).map(row).collect();
        rows.join(",").into_bytes()
    };
    let blocks = megabytes * MEGABYTE / block(0).len();
    let parts = (0..blocks).flat_map(move |number| {
        let comma = if number == 0 { Vec::new() } else { b",".to_vec() };
        [comma, block(number * ROWS)]
    });
    let begin = [response_head("200 OK", ""), br#"{"data":["#.to_vec()];
    Box::new(begin.into_iter().chain(parts).chain([b"]}".to_vec()]))
}

/// The peak memory of this process in bytes.
#[cfg(target_os = "linux")]
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

/// Not a test: the process of the next test, which uses no other memory.
#[tokio::test]
async fn the_process_that_reads() {
    if process::home().is_none() {
        return;
    }
    let fixture = Fixture::with(|_, _| large_response(200)).await;
    let set = fixture.set();
    #[cfg(target_os = "linux")]
    let before = peak_memory();
    let result = fixture
        .engine
        .browse()
        .read_page(&query(), PageRequest { page: 1, limit: 100 }, &set, &Canceller::new())
        .await
        .unwrap();
    assert!(result.count > 90_000 && set.len() == result.count as usize);
    assert!(set.bytes() > 195 * MEGABYTE, "{}", set.bytes());
    #[cfg(target_os = "linux")]
    {
        let grown = peak_memory().saturating_sub(before);
        assert!(grown < 280 * MEGABYTE, "{} MB", grown / MEGABYTE);
    }
    assert_eq!(set.rows(90_000..90_001)[0]["code"], "M-90000");
}

#[test]
fn two_hundred_megabytes_take_little_more_than_their_bytes() {
    let home = tempfile::tempdir().unwrap();
    let mut reading = process::command(module_path!(), "the_process_that_reads", home.path());
    let output = reading.arg("--nocapture").stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "it ran");
}

#[tokio::test]
async fn a_large_object_is_a_row_like_any_other() {
    let note = "<b>x</b>".repeat(5 * MEGABYTE / 8);
    let body = format!(r#"{{"data":[{{"code":"A"}},{{"code":"B","description":"{note}"}},{{"code":"C"}}]}}"#);
    let fixture = Fixture::with(move |_, _| complete_response("200 OK", "", &body)).await;
    let set = fixture.set();
    fixture
        .engine
        .browse()
        .read_page(&query(), PageRequest { page: 1, limit: 100 }, &set, &Canceller::new())
        .await
        .unwrap();
    assert_eq!(set.len(), 3);
    let rows = fixture.engine.browse().table_rows(&set, &Arrangement::default(), 0, 100).unwrap();
    assert!(serde_json::to_string(&rows.rows).unwrap().len() < 10_000, "what a table is told is short");
    assert_eq!(set.rows_at(&[1])[0]["description"].as_str().map(str::len), Some(5 * MEGABYTE));
}

#[tokio::test]
async fn beyond_the_bound_it_is_said() {
    let claimed = format!("Content-Length: {}\r\n", 600 * MEGABYTE);
    let fixture = Fixture::with(move |_, _| Box::new([response_head("200 OK", &claimed)].into_iter())).await;
    let problem = fixture.engine.browse().fetch_page(SITE, &query(), 1, 100).await.unwrap_err();
    assert_eq!((problem.code, problem.parameters["size"].as_str()), (Code::AnswerTooLarge, "512"));
    assert!(problem.message.contains("512 MB"), "{}", problem.message);
    assert_eq!(fixture.engine.browse().row_set(SITE, LIST).unwrap().len(), 0);
}
