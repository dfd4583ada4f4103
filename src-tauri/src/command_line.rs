//! Which of the two this program is: under the name `takt` the command line, otherwise the window.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::Path,
};

/// What a link to this program is called that makes it the command line.
const NAME: &str = "takt";

/// Whether this process is to be the command line.
pub(crate) fn is_asked_for() -> bool {
    is_command_line(env::args_os())
}

/// By its name; or, where a package has but one name for it (Flatpak, AppImage), by a first word that only the command line knows. What
/// the window takes are files and links: a file of that name is opened.
fn is_command_line(mut words: impl Iterator<Item = OsString>) -> bool {
    let name = words.next().unwrap_or_default();
    Path::new(&name).file_name() == Some(OsStr::new(NAME))
        || words.next().is_some_and(|word| takt_cli::is_command(&word) && !Path::new(&word).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_or_the_first_word_decides() {
        let decided = |words: &[&str]| is_command_line(words.iter().map(OsString::from));
        for words in [
            &["takt"][..],
            &["/usr/bin/takt", "orders.xlsx"],
            &["takt-desktop", "sync"],
            &["takt-desktop", "--version"],
        ] {
            assert!(decided(words), "{words:?}");
        }
        for words in
            [&["/usr/bin/takt-desktop"][..], &["takt-desktop", "orders.xlsx"], &["takt-desktop", "takt://order"], &[]]
        {
            assert!(!decided(words), "{words:?}");
        }
    }
}
