//! `takt generate`: writes the command line's reference, man pages and shell completions, based on the arguments.
//!
//! The reference is `docs/command-line.md`. Texts that the arguments don't contain are in `reference/`.

use std::{fs, io, path::Path};

use clap::{Arg, Command, CommandFactory, ValueEnum};
use clap_complete::Shell;
use takt_engine::{Code, Problem};

use crate::{
    arguments::{Arguments, Variable},
    console::Console,
    exit_codes::{ExitStatus, Failure, help_text_of},
};

const SHELLS: [Shell; 4] = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell];
const PROGRAM_NAME: &str = "takt";
const REFERENCE_PAGE: &str = include_str!("../../reference/page.md");
/// The arguments that clap adds to every command. The reference omits them.
const BUILT_IN_ARGUMENTS: [&str; 2] = ["help", "version"];
/// The argument with which a command prints JSON.
const JSON_ARGUMENT: &str = "json";
/// The command that always prints a line of JSON, and therefore has no `--json`.
const ALWAYS_JSON_COMMAND: &str = "plant";

pub(super) fn run(folder: &Path, console: &Console) -> Result<ExitStatus, Failure> {
    let name = folder.display().to_string();
    write(folder).map_err(|error| Problem::new(Code::WriteFailed).parameter("file", name.as_str()).details(error))?;
    console.print_line(&name);
    Ok(ExitStatus::Done)
}

fn write(folder: &Path) -> io::Result<()> {
    let (man, completions) = (folder.join("man"), folder.join("completions"));
    for folder in [&man, &completions] {
        fs::create_dir_all(folder)?;
    }
    fs::write(folder.join("command-line.md"), reference_page())?;
    clap_mangen::generate_to(Arguments::command(), &man)?;
    for shell in SHELLS {
        clap_complete::generate_to(shell, &mut Arguments::command(), PROGRAM_NAME, &completions)?;
    }
    Ok(())
}

/// Returns the content of `docs/command-line.md`.
fn reference_page() -> String {
    let root = root_command();
    let mut commands = String::new();
    for command in visible_commands(&root) {
        add_section(command, &[], &mut commands);
    }
    let code = |status: &ExitStatus| table_row(&status.code().to_string(), &help_text_of(status));
    let codes: Vec<String> = ExitStatus::value_variants().iter().map(code).collect();
    let variable = |variable: &Variable| table_row(&quoted_names(&value_name(variable)), &help_text_of(variable));
    let variables: Vec<String> = Variable::value_variants().iter().map(variable).collect();
    REFERENCE_PAGE
        .replace("{{options}}", &arguments(&root).join("\n"))
        .replace("{{exit-codes}}", &codes.join("\n"))
        .replace("{{variables}}", &variables.join("\n"))
        .replace("{{commands}}", commands.trim())
}

/// Returns the root command, built so that clap's derived settings are complete.
fn root_command() -> Command {
    let mut root = Arguments::command();
    root.build();
    root
}

fn visible_commands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help")
}

/// Adds the sections of a command and its subcommands. A command with subcommands has no usage text.
fn add_section(command: &Command, above: &[&str], page: &mut String) {
    let path: Vec<&str> = above.iter().copied().chain([command.get_name()]).collect();
    page.push_str(&format!("### takt {}\n\n", path.join(" ")));
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    page.push_str(&format!("{}.\n\n", about.trim_end_matches('.')));
    if command.get_subcommands().all(|one| one.get_name() == "help") {
        let usage = command.clone().render_usage().to_string();
        let usage = usage.split_once(' ').map_or(usage.as_str(), |(_, usage)| usage);
        page.push_str(&format!("```text\n{}\n```\n\n", usage.trim()));
    }
    let arguments = arguments_of(command);
    if !arguments.is_empty() {
        page.push_str(&format!("{}\n\n", arguments.join("\n")));
    }
    if prints_json(command) {
        let file = format!("{}.json", path.join("-"));
        page.push_str("JSON: ");
        page.push_str(&format!("[{file}](json/{file})\n\n"));
    }
    for below in visible_commands(command) {
        add_section(below, &path, page);
    }
}

/// Returns the arguments of a command. Omits global arguments, which the page lists once.
fn arguments_of(command: &Command) -> Vec<String> {
    argument_items(command.get_arguments().filter(|argument| !argument.is_global_set()))
}

fn arguments(command: &Command) -> Vec<String> {
    argument_items(command.get_arguments())
}

fn argument_items<'a>(arguments: impl Iterator<Item = &'a Arg>) -> Vec<String> {
    let shown = |argument: &&Arg| !argument.is_hide_set() && !BUILT_IN_ARGUMENTS.contains(&argument.get_id().as_str());
    arguments.filter(shown).map(argument_item).collect()
}

fn argument_item(argument: &Arg) -> String {
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut parts: Vec<String> = Some(help).filter(|help| !help.is_empty()).into_iter().collect();
    if argument.get_action().takes_values() {
        let possible = argument.get_possible_values();
        if !possible.is_empty() && !argument.is_hide_possible_values_set() {
            let values: Vec<String> = possible.iter().map(|value| format!("`{}`", value.get_name())).collect();
            parts.push(values.join(" | "));
        }
        let defaults = argument.get_default_values().iter().map(|value| value.to_string_lossy());
        let defaults: Vec<String> =
            defaults.filter(|value| !value.is_empty()).map(|value| format!("`{value}`")).collect();
        if !defaults.is_empty() {
            parts.push(format!("[{}]", defaults.join(", ")));
        }
    }
    let written = argument.to_string();
    format!("- `{written}`{}{}", if parts.is_empty() { "" } else { ": " }, parts.join(" "))
}

fn prints_json(command: &Command) -> bool {
    command.get_name() == ALWAYS_JSON_COMMAND
        || command.get_arguments().any(|argument| argument.get_id() == JSON_ARGUMENT)
}

fn table_row(name: &str, meaning: &str) -> String {
    format!("| {name} | {meaning} |")
}

fn value_name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn quoted_names(text: &str) -> String {
    text.split(',').map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::PathBuf};

    use super::*;
    use crate::exit_codes;

    #[test]
    fn every_command_has_its_man_page_and_every_shell_its_completions() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        let pages = ["takt.1", "takt-sync.1", "takt-contract-test.1"].map(|name| folder.path().join("man").join(name));
        assert!(pages.iter().all(|page| fs::read_to_string(page).unwrap().contains(".SH NAME")));
        assert!(!folder.path().join("man/takt-generate.1").exists(), "it is hidden");
        let completions: Vec<_> = fs::read_dir(folder.path().join("completions")).unwrap().collect();
        assert_eq!(completions.len(), SHELLS.len());
        assert!(fs::read_to_string(folder.path().join("command-line.md")).unwrap().contains("### takt sync"));
    }

    fn docs() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../docs")
    }

    fn collect(command: &Command, above: &[&str], found: &mut BTreeSet<String>) {
        for below in visible_commands(command) {
            let path: Vec<&str> = above.iter().copied().chain([below.get_name()]).collect();
            if prints_json(below) {
                found.insert(format!("{}.json", path.join("-")));
            }
            collect(below, &path, found);
        }
    }

    #[test]
    fn the_page_in_docs_is_what_the_program_says() {
        let stored = fs::read_to_string(docs().join("command-line.md")).unwrap();
        assert!(
            stored.replace("\r\n", "\n") == reference_page(),
            "docs/command-line.md is stale: run `cargo xtask reference`"
        );
    }

    #[test]
    fn every_exit_code_is_documented_once() {
        let variants = ExitStatus::value_variants();
        let codes: BTreeSet<u8> = variants.iter().map(|status| status.code()).collect();
        assert_eq!(codes, BTreeSet::from([0, 1, 2, 3, 4, 5, 130]));
        assert_eq!(codes.len(), variants.len());
        assert!(variants.iter().all(|status| !help_text_of(status).is_empty()));
        assert!(exit_codes::help_text().contains("  130  "));
    }

    #[test]
    fn every_variable_has_a_meaning() {
        assert!(Variable::value_variants().iter().all(|variable| !help_text_of(variable).is_empty()));
    }

    #[test]
    fn every_command_that_prints_json_has_a_schema_and_every_schema_its_command() {
        let mut commands = BTreeSet::new();
        collect(&root_command(), &[], &mut commands);
        let files = fs::read_dir(docs().join("json")).unwrap();
        let files: BTreeSet<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        assert_eq!(commands, files);
    }
}
