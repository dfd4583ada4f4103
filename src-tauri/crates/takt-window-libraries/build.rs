//! Makes one stub in assembly for each function of the window's libraries: a jump to where `src/stubs.rs` found it.

use std::{
    env,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

const LIST: &str = "symbols.txt";
/// Set, the libraries are linked as usual: so `cargo xtask window-symbols` sees what the window asks of them.
const LINKED: &str = "LINK_WINDOW_LIBRARIES";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={LIST}");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={LINKED}");
    println!("cargo::rustc-check-cfg=cfg(stubs)");
    let of_target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if of_target("OS") != "linux" || env::var_os(LINKED).is_some() {
        return Ok(());
    }
    let stub = match of_target("ARCH").as_str() {
        "x86_64" => intel,
        "aarch64" => arm,
        // Elsewhere the libraries are linked.
        _ => return Ok(()),
    };
    println!("cargo::rustc-cfg=stubs");
    let list = fs::read_to_string(LIST)?;
    // Lines with an indent are functions, those without are libraries.
    let functions: Vec<&str> = list.lines().filter(|line| line.starts_with(' ')).map(str::trim).collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    write(&out, &functions, stub)
}

fn write(out: &Path, functions: &[&str], stub: fn(usize) -> String) -> io::Result<()> {
    let mut text = String::from(".text\n");
    for (number, name) in functions.iter().enumerate() {
        // Hidden, so that the libraries themselves find their own functions and never these.
        let code = stub(number);
        let _ = write!(text, ".globl {name}\n.hidden {name}\n.type {name}, @function\n.p2align 2\n{name}:\n{code}");
    }
    let size = 8 * functions.len();
    let _ = write!(
        text,
        ".bss\n.globl takt_window_slots\n.hidden takt_window_slots\n.p2align 3\ntakt_window_slots:\n.zero {size}\n.text\n"
    );
    fs::write(out.join("stubs.s"), text)?;
    fs::write(out.join("count.rs"), functions.len().to_string())
}

fn intel(number: usize) -> String {
    format!("jmp qword ptr [rip + takt_window_slots + {}]\n", 8 * number)
}

/// x16 is the register that the platform leaves to such jumps.
fn arm(number: usize) -> String {
    let slot = format!("takt_window_slots + {}", 8 * number);
    format!("adrp x16, {slot}\nldr x16, [x16, :lo12:{slot}]\nbr x16\n")
}
