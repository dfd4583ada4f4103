//! `takt generate`: manual pages and completions for shells, made from the arguments themselves. Packages carry them.

use std::{fs, io, path::Path};

use clap::CommandFactory;
use clap_complete::{Shell, generate_to};
use takt_engine::{Code, Problem};

use crate::{
    arguments::{Arguments, GenerateCommand},
    ending::{ExitStatus, Failure},
};

const NAME: &str = "takt";
const SHELLS: [Shell; 4] = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell];

pub(super) fn run(command: &GenerateCommand) -> Result<ExitStatus, Failure> {
    let (folder, written) = match command {
        GenerateCommand::ManPages { folder } => (folder, write_man_pages(folder)),
        GenerateCommand::Completions { folder } => (folder, write_completions(folder)),
    };
    let unwritten = |error| Problem::new(Code::WriteFailed).parameter("file", folder.display().to_string()).details(error);
    written.map_err(unwritten)?;
    Ok(ExitStatus::Done)
}

fn write_man_pages(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    clap_mangen::generate_to(Arguments::command(), folder)
}

fn write_completions(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut command = Arguments::command();
    SHELLS.into_iter().try_for_each(|shell| generate_to(shell, &mut command, NAME, folder).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_and_every_shell_its_completions() {
        let folder = tempfile::tempdir().unwrap();
        run(&GenerateCommand::ManPages { folder: folder.path().join("man") }).unwrap();
        run(&GenerateCommand::Completions { folder: folder.path().join("completions") }).unwrap();
        for file in ["man/takt.1", "man/takt-sync.1", "man/takt-site-add.1"] {
            let page = fs::read_to_string(folder.path().join(file)).unwrap();
            assert!(page.contains(".TH takt"), "{file}");
        }
        assert!(!folder.path().join("man/takt-generate.1").exists(), "what is hidden has no page");
        for file in ["takt.bash", "_takt", "takt.fish", "_takt.ps1"] {
            let text = fs::read_to_string(folder.path().join("completions").join(file)).unwrap();
            assert!(text.contains("sync"), "{file}");
        }
    }
}
