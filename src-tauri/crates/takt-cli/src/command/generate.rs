//! `takt generate`: the reference, man pages and shell completions, made from the arguments.

use std::{fs, io, path::Path};

use clap::CommandFactory;
use clap_complete::Shell;
use takt_engine::{Code, Problem};

use crate::{
    arguments::Arguments,
    console::Console,
    ending::{ExitStatus, Failure},
    reference,
};

const SHELLS: [Shell; 4] = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell];
const NAME: &str = "takt";

pub(super) fn run(folder: &Path, console: &Console) -> Result<ExitStatus, Failure> {
    let name = folder.display().to_string();
    write(folder).map_err(|error| Problem::new(Code::WriteFailed).parameter("file", name.as_str()).details(error))?;
    console.line(&name);
    Ok(ExitStatus::Done)
}

fn write(folder: &Path) -> io::Result<()> {
    let (man, completions) = (folder.join("man"), folder.join("completions"));
    for folder in [&man, &completions] {
        fs::create_dir_all(folder)?;
    }
    fs::write(folder.join("command-line.md"), reference::page())?;
    clap_mangen::generate_to(Arguments::command(), &man)?;
    for shell in SHELLS {
        clap_complete::generate_to(shell, &mut Arguments::command(), NAME, &completions)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
