//! A full disk, and a folder without write permission. Takt must only acknowledge stored data, and report the error. A
//! later run must complete. Only on Unix, where a shell can limit space and permissions.

use std::{fs, process::Command};

use serde_json::Value;
use takt_tests::{CommandOutput, Console, Person, Plant, Takt, stored_submissions};

use crate::crash::{
    load,
    obstacles::{resume_until_done, sync_command},
};

fn run(console: &Console, command: Command) -> CommandOutput {
    console.takt.run_command(command, "")
}

async fn count_sent(plant: &Plant) -> usize {
    plant.log().await.iter().filter(|entry| entry["operation"] == "work-orders.sync").count()
}

/// The limit is a little larger than the journal each time, so that different operations fail.
#[tokio::test]
async fn a_full_disk_ends_it_plainly_and_loses_nothing() {
    let plant = Plant::start(&["--rate-limit", "1000000/60"]);
    let console = Console::signed_in(&plant, Person::Planner).await;
    assert_eq!(run(&console, sync_command(&console, &load::orders_file(1))).code, Some(1), "two of its rows are wrong");
    let (mut stopped, mut number) = (0, 1);
    for room in [8, 24, 48, 80, 120, 200, 320] {
        number += 1;
        let load = load::orders_file(number);
        let from = stored_submissions(console.takt.home(), 0).last().unwrap().id + 1;
        let largest = ["journal.sqlite", "journal.sqlite-wal"]
            .map(|name| fs::metadata(console.takt.file(name)).map_or(0, |found| found.len()));
        let kibibytes = largest[0].max(largest[1]) / 1024 + room;
        let before = count_sent(&plant).await;
        let ran = run(&console, with_file_size_limit(&sync_command(&console, &load), kibibytes));
        let begun = !stored_submissions(console.takt.home(), from).is_empty();
        if !begun {
            assert_eq!(count_sent(&plant).await, before, "{room} KiB: nothing is sent that isn't written down");
        }
        if ran.code != Some(1) {
            stopped += 1;
            assert!(matches!(ran.code, Some(2 | 3)), "{room} KiB: {ran:?}");
            assert!(ran.err.contains("history file"), "{room} KiB says what is wrong: {}", ran.err);
        }
        if begun {
            // The history must be readable without any free space. Rows that may have arrived must never be reported as
            // pending.
            let (told, rows) = sync_outcome(&console, from, 0);
            let applied = plant.applied("work-orders.sync").await;
            let of = |result: &str| rows.iter().filter(|row| row["result"] == result).count() as u64;
            assert_eq!(rows.len(), load.rows, "{room} KiB");
            for (name, result) in [("pending", "pending"), ("unconfirmed", "unconfirmed"), ("accepted", "accepted")] {
                assert_eq!(told[name].as_u64(), Some(of(result)), "{room} KiB, {name}: {told}");
            }
            for row in rows.iter().filter(|row| row["result"] == "pending" || row["result"] == "sending") {
                let key = row["key"].as_str().unwrap();
                assert!(
                    applied.get(key).is_none_or(|applied| applied.accepted == 0),
                    "{room} KiB: {key} arrived: {row}"
                );
            }
        }
        resume_until_done(&plant, &console, from, if begun { load.rows } else { 0 }).await;
    }
    assert!(stopped >= 2, "the space was used up {stopped} times");
}

/// Returns the summary and rows of a submission's history, as printed with this file size limit in KiB.
fn sync_outcome(console: &Console, submission: u32, kibibytes: u64) -> (Value, Vec<Value>) {
    let (number, out) = (submission.to_string(), console.takt.outside().join("told"));
    let command = console.takt.command(&["history", &number, "--rows", "--json"]);
    // The output goes through a pipe, which needs no space.
    let script = format!("trap '' XFSZ; (ulimit -f {}; exec \"$0\" \"$@\") | cat > '{}'", kibibytes * 2, out.display());
    let ran = run(console, wrap_command(&command, "sh", &["-c", &script]));
    assert_eq!((ran.code, ran.err.contains("wrong")), (Some(0), false), "{ran:?}");
    let text = fs::read_to_string(out).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let summary = lines.pop().unwrap_or_else(|| panic!("nothing was told: {ran:?}"));
    (summary, lines)
}

/// Returns a command whose files have a maximum size in KiB.
fn with_file_size_limit(command: &Command, kibibytes: u64) -> Command {
    // Without the trap, the system would end the program instead of failing the write. The shell's unit is 512 bytes.
    let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", kibibytes * 2);
    wrap_command(command, "sh", &["-c", &script])
}

fn wrap_command(command: &Command, program: &str, arguments: &[&str]) -> Command {
    let mut outer = Command::new(program);
    outer.args(arguments).arg(command.get_program()).args(command.get_args());
    outer.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    outer.current_dir(command.get_current_dir().unwrap());
    outer
}

#[tokio::test]
async fn a_home_that_cannot_be_written_sends_nothing() {
    let plant = Plant::start(&["--rate-limit", "1000000/60"]);
    let console = Console::in_home(&plant, || Takt::in_folder("home"));
    console.sign_in(Person::Planner).await;
    assert_eq!(run(&console, sync_command(&console, &load::orders_file(1))).code, Some(1));
    let before = count_sent(&plant).await;
    let load = load::orders_file(2);
    let command = without_root_privileges(sync_command(&console, &load));
    set_writable(&console, false);
    let ran = run(&console, command);
    let history = run(&console, without_root_privileges(console.takt.command(&["history", "--json"])));
    let bundle = console.takt.outside().join("bundle.zip");
    let mut saved = console.takt.command(&["bundle", "--out"]);
    saved.arg(&bundle);
    let saved = run(&console, without_root_privileges(saved));
    set_writable(&console, true);
    assert_eq!((history.code, history.json().len()), (Some(0), 1), "{history:?}");
    assert!(saved.code == Some(0) && bundle.exists(), "{saved:?}");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("Takt can't write to its folder"), "{}", ran.err);
    assert_eq!(count_sent(&plant).await, before);
    let from = stored_submissions(console.takt.home(), 0).last().unwrap().id + 1;
    assert_eq!(run(&console, sync_command(&console, &load)).code, Some(1));
    resume_until_done(&plant, &console, from, load.rows).await;
}

fn set_writable(console: &Console, writable: bool) {
    let mode = if writable { "u+w" } else { "a-w" };
    let done = Command::new("chmod").args(["-R", mode]).arg(console.takt.home()).status().unwrap();
    assert!(done.success());
}

/// Returns a command without root's capability to write everywhere.
fn without_root_privileges(command: Command) -> Command {
    let uid = Command::new("id").arg("-u").output().unwrap().stdout;
    if uid.trim_ascii() != b"0" {
        return command;
    }
    wrap_command(&command, "setpriv", &["--bounding-set", "-dac_override,-dac_read_search,-fowner"])
}
