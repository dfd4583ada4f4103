//! Runs the walk-through in docs/practice-plant.md. Each shell block must print the following text block. It needs
//! bash, curl and perl, which Windows may lack.
#![cfg(unix)]

use std::{fs, process::Command, time::Duration};

use takt_tests::{Program, Takt, built_program, repository};

const PAGE: &str = "docs/practice-plant.md";
const SECTION: &str = "## Mock server for integrators";
const TIMEOUT: Duration = Duration::from_secs(120);
/// The line between the outputs of two blocks.
const BLOCK_SEPARATOR: &str = "@@@ block";
/// The page's placeholder for variable text.
const WILDCARD: char = '…';

/// A shell block and its expected lines.
#[derive(Debug, Default)]
struct Step {
    shell: String,
    expected: Vec<String>,
}

/// Returns the section's steps. A text block has the expected output of the preceding shell block.
fn parse_steps(page: &str) -> Vec<Step> {
    let section = page.split_once(SECTION).unwrap().1;
    let section = section.split("\n## ").next().unwrap();
    let mut steps: Vec<Step> = Vec::new();
    for block in section.split("```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').unwrap();
        match language {
            "sh" => steps.push(Step { shell: text.to_owned(), expected: Vec::new() }),
            "text" => steps.last_mut().unwrap().expected.extend(text.lines().map(str::to_owned)),
            other => panic!("a block of {other} can't be run"),
        }
    }
    steps
}

/// Returns whether a line matches the pattern, in which [`WILDCARD`] matches any text.
fn matches_pattern(pattern: &str, line: &str) -> bool {
    let mut rest = line;
    for (index, piece) in pattern.split(WILDCARD).enumerate() {
        match rest.find(piece) {
            Some(at) if at == 0 || index > 0 => rest = &rest[at + piece.len()..],
            _ => return false,
        }
    }
    rest.is_empty() || pattern.ends_with(WILDCARD) || line.ends_with(pattern.rsplit(WILDCARD).next().unwrap())
}

#[test]
fn the_page_shows_what_happens() {
    let page = fs::read_to_string(repository().join(PAGE)).unwrap();
    let steps = parse_steps(&page);
    assert!(steps.len() >= 10 && steps.iter().all(|step| !step.expected.is_empty()), "{steps:?}");
    let mut script = "set -eu\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n".to_owned();
    for (index, step) in steps.iter().enumerate() {
        script.push_str(&format!("{}\necho '{BLOCK_SEPARATOR} {index}'\n", step.shell));
    }
    let takt = Takt::new();
    let file = takt.write("walk.sh", script);
    let mut path = vec![built_program("takt").parent().unwrap().to_path_buf()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let mut command = Command::new("bash");
    command.arg(file).current_dir(takt.home()).env("TAKT_HOME", takt.home()).env("LC_ALL", "C.UTF-8");
    command.env("PATH", std::env::join_paths(path).unwrap()).env("no_proxy", "127.0.0.1");
    let mut program = Program::start("the page's walk", command);
    let ended = program.wait(TIMEOUT);
    let (printed, complained) = (program.output_text(), program.error_text());
    let mut rest = printed.as_str();
    for (index, step) in steps.iter().enumerate() {
        let (output, after) = rest
            .split_once(&format!("{BLOCK_SEPARATOR} {index}\n"))
            .unwrap_or_else(|| panic!("{ended:?} in\n{}\nprinted: {rest}\n{complained}", step.shell));
        let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
        let same = lines.len() == step.expected.len()
            && step.expected.iter().zip(&lines).all(|(expected, line)| matches_pattern(expected, line));
        assert!(same, "{}\nshould print {:#?}\nand prints {lines:#?}\n{complained}", step.shell, step.expected);
        rest = after;
    }
    assert!(ended.success(), "{ended:?} {complained}");
}

#[test]
fn a_pattern_leaves_open_only_what_it_says() {
    assert!(
        matches_pattern("a … c", "a b c")
            && matches_pattern("…", "")
            && matches_pattern("x…", "xyz")
            && matches_pattern("same", "same")
    );
    assert!(
        !matches_pattern("a … c", "a b d")
            && !matches_pattern("same", "same more")
            && !matches_pattern("b…", "abc")
            && !matches_pattern("a…z", "a1z2")
    );
}
