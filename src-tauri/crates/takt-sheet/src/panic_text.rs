//! A panic while a hostile file is read is a damaged file: not the program's end, and nothing that a person should read.

use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

use crate::SheetError;

thread_local! {
    /// Whether this thread reads a file now.
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// Reads, and says of a panic that the file is damaged. Its text isn't written anywhere.
pub(crate) fn guarded<T>(read: impl FnOnce() -> Result<T, SheetError>) -> Result<T, SheetError> {
    let before = READING.replace(true);
    quieten();
    let result = panic::catch_unwind(AssertUnwindSafe(read));
    READING.set(before);
    result.unwrap_or_else(|_| Err(SheetError::damaged("the reader gave up")))
}

/// For a thread that reads for another one, which is guarded: the panic goes on there.
pub(crate) fn quiet<T>(read: impl FnOnce() -> T) -> T {
    READING.set(true);
    read()
}

/// The library writes a panic's text before anybody can catch it. The hook is one for the whole program, so it is set once and
/// hands on every panic that isn't a reader's.
fn quieten() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !READING.get() {
                others(panic);
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
        let result: Result<(), _> = guarded(|| panic!("never seen"));
        assert!(matches!(result, Err(SheetError::Damaged(_))));
        assert!(!READING.get());
        assert!(guarded(|| Ok(())).is_ok());
    }

    /// Says to this program, started once more, that it should panic while it reads.
    const ASKED: &str = "TAKT_TEST_PANIC";
    const TEXT: &str = "what nobody should read";

    #[test]
    fn a_panics_text_reaches_nobody() {
        if env::var_os(ASKED).is_some() {
            let thread = || thread::scope(|scope| scope.spawn(|| quiet(|| panic!("{TEXT}"))).join());
            let result: Result<(), _> = guarded(|| thread().unwrap_or_else(|reason| panic::resume_unwind(reason)));
            assert!(result.is_err());
            assert!(guarded::<()>(|| panic!("{TEXT}")).is_err());
            return;
        }
        let mut again = Command::new(env::current_exe().unwrap());
        again.args(["panic_text::tests::a_panics_text_reaches_nobody", "--exact", "--nocapture"]).env(ASKED, "1");
        let output = again.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains(TEXT), "{output:?}");
    }
}
