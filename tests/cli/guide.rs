//! Runs every command of the integrator's guide on a site whose interface isn't the built-in contract.

use std::{
    fs,
    time::{Duration, Instant},
};

use takt_tests::{ANY_PORT, CommandOutput, Console, Person, SecondPlant, Takt, repository};

use crate::support::orders_csv;

/// The time limit for copying a site, which takes long on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);
/// The number of orders in the planner's file in the guide.
const ROWS: u32 = 3;

/// Returns each command in the page's code blocks, split into words, without `takt`.
fn guide_commands() -> Vec<Vec<String>> {
    let text = fs::read_to_string(repository().join("docs/connect-a-site.md")).unwrap();
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let text: String = blocks.collect::<String>().replace("\\\n", " ");
    text.lines().filter(|line| line.starts_with("takt ")).map(|line| shlex::split(line).unwrap().split_off(1)).collect()
}

/// The page's example names, with their replacements in the test.
struct Names {
    words: Vec<(&'static str, String)>,
}

impl Names {
    fn new(plant: &SecondPlant, takt: &Takt) -> Self {
        let path = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
        let words = vec![
            ("works.openapi.yaml", path(SecondPlant::document())),
            ("https://mes.example", plant.member("base_url").to_owned()),
            ("https://login.example", plant.member("auth_url").to_owned()),
            ("http://127.0.0.1:8765/callback", ANY_PORT.to_owned()),
            ("orders.xlsx", path(takt.write("orders.csv", orders_csv(700_000, ROWS).replace("MAT-1001", "MAT-1002")))),
            ("works.xml", path(takt.file("works.xml"))),
        ];
        Self { words }
    }

    fn replace_names(&self, plant: &SecondPlant, command: &[String]) -> Vec<String> {
        let client = command.iter().position(|word| word == "--client-id").map(|index| index + 1);
        let here = |(index, word): (usize, &String)| {
            if Some(index) == client {
                return plant.member("client_id").to_owned();
            }
            let known = self.words.iter().find(|(theirs, _)| theirs == word);
            known.map_or_else(|| word.clone(), |(_, ours)| ours.clone())
        };
        command.iter().enumerate().map(here).collect()
    }
}

#[tokio::test]
async fn every_command_of_the_guide_works_on_the_second_plant() {
    let plant = SecondPlant::start(&[]);
    // The orders exist with another material, since an undo can't delete created orders.
    let other = Console::signed_in(&plant, Person::Planner).await;
    let before = &other.takt;
    let file = before.write("before.csv", orders_csv(700_000, ROWS));
    let sent = before.run(&["sync", file.to_str().unwrap(), "--to", "work-orders.sync", "--site", "works", "--yes"]);
    assert_eq!(sent.code, Some(0), "{}", sent.err);
    let console = Console::new(&plant);
    let takt = &console.takt;
    assert_eq!(takt.run(&["site", "remove", "works"]).code, Some(0));
    let names = Names::new(&plant, takt);
    let (began, mut accepted) = (Instant::now(), None);
    let (commands, mut running) = (guide_commands(), Vec::new());
    assert!(commands.len() >= 14, "{commands:?}");
    for command in &commands {
        let here = names.replace_names(&plant, command);
        if command[0] == "plant" {
            let mut copy = takt.start(&here);
            assert!(copy.first_line(TIMEOUT).contains("works rehearsal"));
            running.push(copy);
            continue;
        }
        let ran = run_command(&plant, takt, &here).await;
        let line = command.join(" ");
        assert_eq!(ran.code, Some(expected_exit_code(&line)), "takt {line}: {}\n{}", ran.out, ran.err);
        if command[0] == "sync" {
            accepted.get_or_insert_with(|| began.elapsed());
        }
    }
    println!("from the document to the first accepted row: {:?} without a person's time", accepted.unwrap());
    let applied = plant.applied("work-orders.sync").await;
    assert_eq!(applied.len(), ROWS as usize, "the trial's row and the others: {applied:?}");
    assert!(applied.values().all(|order| order.accepted == 3), "before, sent, put back: {applied:?}");
}

/// Returns the expected exit code, which is 1 if the user matched operations.
fn expected_exit_code(command: &str) -> i32 {
    let by_hand = command.starts_with("contract check") && command.contains("--match");
    i32::from(by_hand)
}

async fn run_command(plant: &SecondPlant, takt: &Takt, command: &[String]) -> CommandOutput {
    if command[0] == "sign-in" {
        return takt.sign_in("works", Person::Planner).await;
    }
    let sends = ["sync", "resume", "undo"].contains(&command[0].as_str());
    let mut command = command.to_vec();
    // No user can answer the prompt.
    if sends && command[0] != "resume" {
        command.push("--yes".to_owned());
    }
    takt.run_with(&command, &format!("{}\n", plant.member("client_secret")))
}
