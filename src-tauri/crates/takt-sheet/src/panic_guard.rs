//! Turns a panic while a hostile file is read into the error for a damaged file. Such a panic must neither end the
//! program nor be shown to users.

use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

use crate::SheetError;

thread_local! {
    /// Whether this thread is reading a file.
    static IS_READING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `read` and returns [`SheetError::Damaged`] if it panics. The panic's text isn't written anywhere.
pub(crate) fn catch_panics<T>(read: impl FnOnce() -> Result<T, SheetError>) -> Result<T, SheetError> {
    let before = IS_READING.replace(true);
    install_panic_hook();
    let result = panic::catch_unwind(AssertUnwindSafe(read));
    IS_READING.set(before);
    result.unwrap_or_else(|_| Err(SheetError::damaged("the reader gave up")))
}

/// Runs `read` on a thread that helps a thread inside [`catch_panics`]. The helped thread must resume a panic.
pub(crate) fn suppress_panic_text<T>(read: impl FnOnce() -> T) -> T {
    IS_READING.set(true);
    read()
}

/// Installs a panic hook, because the default one writes a panic's text before it can be caught. The hook applies to
/// the whole program, so it is installed once and forwards all panics outside of readers.
fn install_panic_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous_hook = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_READING.get() {
                previous_hook(panic);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use std::{env, process::Command, thread};

    use super::*;

    #[test]
    fn a_panic_is_a_damaged_file() {
        let result: Result<(), _> = catch_panics(|| panic!("never seen"));
        assert!(matches!(result, Err(SheetError::Damaged(_))));
        assert!(!IS_READING.get());
        assert!(catch_panics(|| Ok(())).is_ok());
    }

    /// The environment variable that makes this program panic while it reads.
    const PANIC_VARIABLE: &str = "TAKT_TEST_PANIC";
    const PANIC_TEXT: &str = "what nobody should read";

    #[test]
    fn a_panics_text_reaches_nobody() {
        if env::var_os(PANIC_VARIABLE).is_some() {
            let thread =
                || thread::scope(|scope| scope.spawn(|| suppress_panic_text(|| panic!("{PANIC_TEXT}"))).join());
            let result: Result<(), _> = catch_panics(|| thread().unwrap_or_else(|reason| panic::resume_unwind(reason)));
            assert!(result.is_err());
            assert!(catch_panics::<()>(|| panic!("{PANIC_TEXT}")).is_err());
            return;
        }
        let mut again = Command::new(env::current_exe().unwrap());
        again
            .args(["panic_guard::tests::a_panics_text_reaches_nobody", "--exact", "--nocapture"])
            .env(PANIC_VARIABLE, "1");
        let output = again.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains(PANIC_TEXT), "{output:?}");
    }
}
