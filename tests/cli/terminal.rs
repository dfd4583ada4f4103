//! Output in a terminal: a table that fits the width, and the reason for a wait.

use std::process::Stdio;

use takt_tests::{Person, Plant, SITE, Takt};

use crate::support::signed_in;

/// Runs the program in a terminal of this width. Returns its standard output, or its error output if
/// `wants_error_output` is set.
fn run_in_terminal(takt: &Takt, columns: u32, arguments: &[&str], wants_error_output: bool) -> String {
    let program = takt.program("takt");
    let words: Vec<String> = arguments.iter().map(|word| format!("'{word}'")).collect();
    let away = if wants_error_output { ">/dev/null" } else { "2>/dev/null" };
    let line = format!(
        "stty cols {columns} rows 40; '{}' {} {away}",
        program.get_program().to_string_lossy(),
        words.join(" ")
    );
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(takt.home()).stdin(Stdio::null());
    script.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("TERM", "xterm");
    let output = script.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stdout).replace('\r', "")
}

#[tokio::test]
async fn a_table_is_no_wider_than_the_terminal() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let total = plant.state("work-orders").await.len();
    let wide = console.takt.run(&["--site", SITE, "list", "work-orders.list"]).out;
    assert!(wide.lines().any(|line| line.chars().count() > 120), "{wide}");
    for columns in [40_u32, 80, 120] {
        let table = run_in_terminal(&console.takt, columns, &["--site", SITE, "list", "work-orders.list"], false);
        assert_eq!(table.lines().count(), total.min(100) + 1, "{columns}: {table}");
        let widest = table.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= columns as usize && widest > columns as usize / 2, "{widest} of {columns}: {table}");
        for row in &plant.state("work-orders").await {
            let code = row["code"].as_str().unwrap();
            assert!(!wide.contains(code) || table.contains(code), "{columns}: codes stay whole: {code}");
        }
        if columns == 120 {
            assert!(table.contains('…'), "what is cut is marked: {table}");
        }
    }
}

#[tokio::test]
async fn a_list_that_waits_for_the_limit_says_until_when() {
    let plant = Plant::start(&["--rate-limit", "1/6"]);
    let console = signed_in(&plant, Person::Planner).await;
    let list = ["--site", SITE, "list", "materials.list"];
    assert_eq!(console.takt.run(&list).code, Some(0));
    let output = run_in_terminal(&console.takt, 200, &list, true);
    let wait =
        output.split("waiting for the service's request limit until ").nth(1).unwrap_or_else(|| panic!("{output}"));
    let time: Vec<&str> = wait.get(..8).unwrap().split(':').collect();
    assert!(time.len() == 3 && time.iter().all(|part| part.len() == 2 && part.parse::<u8>().is_ok()), "{output}");
}
