//! Where things are: the programs that were built, the repository, and the folder for what a test leaves to be looked at.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The repository's root.
#[must_use]
pub fn repository() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().expect("this package lies in the repository").to_path_buf()
}

/// A program of the workspace, built with the same profile as this test. It lies beside the folder of the test itself.
#[must_use]
pub fn built(name: &str) -> PathBuf {
    let test = env::current_exe().expect("a test knows its own program");
    let folder = test.ancestors().nth(2).expect("tests lie in deps");
    let program = folder.join(format!("{name}{}", env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "{} is missing: run `cargo build --workspace --bins` first", program.display());
    program
}

/// A sample workbook.
#[must_use]
pub fn sample(name: &str) -> PathBuf {
    let file = repository().join("tests/data/samples").join(name);
    assert!(file.is_file(), "{} is missing: run `cargo xtask samples`", file.display());
    file
}

/// Whether tests look at every picture in every look, as the complete tests do (`TAKT_TEST_LOOKS`).
#[must_use]
pub fn keeps_pictures() -> bool {
    env::var_os("TAKT_TEST_LOOKS").is_some()
}

/// A folder beside the programs for screenshots and logs; made where it is missing.
#[must_use]
pub fn results(name: &str) -> PathBuf {
    let test = env::current_exe().expect("a test knows its own program");
    let folder = test.ancestors().nth(2).expect("tests lie in deps").join("test-results").join(name);
    fs::create_dir_all(&folder).expect("the build folder can be written");
    folder
}
