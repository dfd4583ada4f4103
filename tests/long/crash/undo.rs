//! Takt is killed during an undo. Every row must be restored once, and the plant must have the previous values.

use takt_tests::{Console, Person, Plant, SITE, stored_submissions};

const MATERIALS: &str = "materials.sync";
const ROWS: usize = 20;

fn materials(set: usize, word: &str) -> String {
    let rows = (0..ROWS).map(|row| format!("CU-{set}-{row:02};{word} {row}\n"));
    format!("code;description\n{}", rows.collect::<String>())
}

fn send_file(console: &Console, name: &str, csv: String) -> u32 {
    let file = console.takt.write(name, csv);
    let file = file.to_str().unwrap();
    let ran = console.takt.run(&["sync", file, "--to", MATERIALS, "--site", SITE, "--yes", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    stored_submissions(console.takt.home(), 1).last().unwrap().id
}

#[tokio::test]
async fn a_kill_while_something_is_taken_back() {
    let plant = Plant::start(&["--rate-limit", "1000000/60"]);
    let console = Console::signed_in(&plant, Person::Planner).await;
    for (set, name) in ["submission-written", "attempt-written", "request-sent", "answer-received"].iter().enumerate() {
        send_file(&console, "was.csv", materials(set, "Bolt"));
        let ours = send_file(&console, "ours.csv", materials(set, "Nut")).to_string();
        let mut undo = console.takt.command(&["undo", &ours, "--yes", "--json"]);
        undo.env("TAKT_END_AT", name);
        let killed = console.takt.run_command(undo, "");
        assert!(!matches!(killed.code, Some(0..=130)), "{name} wasn't passed: {killed:?}");
        let resumed = console.takt.run(&["resume", "--json"]);
        assert_eq!(resumed.code, Some(0), "{name}: {resumed:?}");
        let last = stored_submissions(console.takt.home(), 1).pop().unwrap();
        assert_eq!((last.open, last.unconfirmed, last.total as usize), (0, 0, ROWS), "{name}");
        let held = plant.state("materials").await;
        let applied = plant.applied(MATERIALS).await;
        for row in 0..ROWS {
            let code = format!("CU-{set}-{row:02}");
            let found = held.iter().find(|material| material["code"] == code.as_str()).unwrap();
            assert_eq!(found["description"], format!("Bolt {row}"), "{name}: {code}");
            assert_eq!(applied[&code].accepted, 3, "{name}: {code} was sent, changed and put back");
        }
    }
}
