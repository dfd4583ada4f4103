//! Replaces a browser on Windows: writes the address from its arguments to a file in its own folder.
//!
//! A batch file can't do this, since `cmd` interprets the percent signs of an address as variables.

use std::{env, fs, io};

fn main() -> io::Result<()> {
    let address = env::args().nth(1).unwrap_or_default();
    let own = env::current_exe()?;
    // The file is written under another name and renamed, so that a reader never sees a partial address.
    let part = own.with_file_name("address.part");
    fs::write(&part, address)?;
    fs::rename(part, own.with_file_name("address"))
}
