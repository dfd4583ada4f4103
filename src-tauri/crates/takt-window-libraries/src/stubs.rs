//! The stubs and their slots, and how the slots are filled.

use std::{ffi::c_void, sync::OnceLock};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LAZY, Symbol};

use crate::MissingLibrary;

/// Libraries, each followed by its functions with an indent.
const LIST: &str = include_str!("../symbols.txt");
const COUNT: usize = include!(concat!(env!("OUT_DIR"), "/count.rs"));

std::arch::global_asm!(include_str!(concat!(env!("OUT_DIR"), "/stubs.s")));

unsafe extern "C" {
    /// Where each stub jumps to, in the order of the list.
    static mut takt_window_slots: [*mut c_void; COUNT];
}

pub(crate) fn load() -> Result<(), MissingLibrary> {
    static LOADED: OnceLock<Result<(), MissingLibrary>> = OnceLock::new();
    LOADED.get_or_init(|| addresses(LIST).map(|found| fill(&found))).clone()
}

fn fill(found: &[*mut c_void]) {
    let slots = (&raw mut takt_window_slots).cast::<*mut c_void>();
    for (number, address) in found.iter().enumerate().take(COUNT) {
        // SAFETY: `number` is below the length of the slots; they are written here alone, once, behind the lock of `load`, and
        // read by stubs alone, which nobody calls before `load` has come back.
        unsafe { slots.add(number).write(*address) };
    }
}

/// Where the listed functions are, in the order of the list. The libraries stay loaded until the process ends.
fn addresses(list: &str) -> Result<Vec<*mut c_void>, MissingLibrary> {
    let mut found = Vec::with_capacity(COUNT);
    let mut open: Option<(&str, Library)> = None;
    for line in list.lines() {
        let Some(function) = line.strip_prefix(' ').map(str::trim) else {
            if let Some((_, library)) = open.take() {
                // What is in it is used from now on.
                std::mem::forget(library);
            }
            // SAFETY: what GTK's and WebKit's libraries do when they are loaded asks nothing of this process: they are made to be
            // linked, and then are loaded before anything of it runs.
            let library = unsafe { Library::open(Some(line), RTLD_LAZY | RTLD_GLOBAL) };
            open = Some((line, library.map_err(|error| missing(line, &error))?));
            continue;
        };
        let Some((name, library)) = &open else { continue };
        // SAFETY: only its address is taken; who calls it declares its type.
        let symbol: Symbol<*mut c_void> =
            unsafe { library.get(function.as_bytes()) }.map_err(|error| missing(name, &error))?;
        found.push(symbol.into_raw());
    }
    if let Some((_, library)) = open {
        std::mem::forget(library);
    }
    Ok(found)
}

/// What the loader says goes on to whoever has to find the reason.
fn missing(library: &str, error: &libloading::Error) -> MissingLibrary {
    let reason = match error {
        libloading::Error::DlOpen { desc } | libloading::Error::DlSym { desc } => format!("{desc:?}"),
        other => other.to_string(),
    };
    MissingLibrary { library: library.to_owned(), reason: reason.trim_matches('"').to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_in_the_order_of_the_list() {
        let found = addresses("libc.so.6\n malloc\n free\nlibm.so.6\n cos\n").unwrap();
        assert_eq!(found.len(), 3);
        assert!(found.iter().all(|address| !address.is_null()));
    }

    #[test]
    fn what_is_missing_is_named() {
        let library = addresses("libc.so.6\n malloc\nlibtakt-nowhere.so.7\n f\n").unwrap_err();
        assert_eq!(library.library, "libtakt-nowhere.so.7");
        assert!(library.reason.contains("libtakt-nowhere.so.7"), "{}", library.reason);
        let function = addresses("libc.so.6\n takt_nowhere\n").unwrap_err();
        assert_eq!(function.library, "libc.so.6");
        assert!(function.reason.contains("takt_nowhere"), "{}", function.reason);
    }

    #[test]
    fn the_list_has_each_function_once() {
        let mut names: Vec<&str> = LIST.lines().filter(|line| line.starts_with(' ')).collect();
        assert_eq!(names.len(), COUNT);
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
