//! Paths of built programs, repository files, and results of tests.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Returns the repository's root, the parent of this package's folder.
#[must_use]
pub fn repository() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().expect("this package lies in the repository").to_path_buf()
}

/// Returns the path of a built program of the workspace, in the same profile as this test. Panics if the program is
/// missing.
#[must_use]
pub fn built_program(name: &str) -> PathBuf {
    let test = env::current_exe().expect("a test knows its own program");
    let folder = test.ancestors().nth(2).expect("tests lie in deps");
    let program = folder.join(format!("{name}{}", env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "{} is missing: run `cargo build --workspace --bins` first", program.display());
    program
}

/// Returns the path of a sample workbook. Panics if it is missing.
#[must_use]
pub fn sample_path(name: &str) -> PathBuf {
    let file = repository().join("tests/data/samples").join(name);
    assert!(file.is_file(), "{} is missing: run `cargo xtask samples`", file.display());
    file
}

/// Returns whether tests take pictures in every color scheme, which `TAKT_TEST_LOOKS` enables.
#[must_use]
pub fn are_pictures_enabled() -> bool {
    env::var_os("TAKT_TEST_LOOKS").is_some()
}

/// Returns a folder for screenshots and logs next to the programs. Creates it if it is missing.
#[must_use]
pub fn results_folder(name: &str) -> PathBuf {
    let test = env::current_exe().expect("a test knows its own program");
    let folder = test.ancestors().nth(2).expect("tests lie in deps").join("test-results").join(name);
    fs::create_dir_all(&folder).expect("the build folder can be written");
    folder
}
