//! Replaces a browser where no shell script can: writes the address that it gets to a file in its own folder.
//!
//! A batch file doesn't work on Windows, because `cmd` reads the percent signs of an address as variables.

use std::{env, fs, io};

fn main() -> io::Result<()> {
    let address = env::args().nth(1).unwrap_or_default();
    let own = env::current_exe()?;
    // Written under another name first, so that no reader sees half an address.
    let part = own.with_file_name("address.part");
    fs::write(&part, address)?;
    fs::rename(part, own.with_file_name("address"))
}
