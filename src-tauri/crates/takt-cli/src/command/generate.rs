//! What comes with the program and is made from its arguments: the reference, man pages, completions for shells.

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
