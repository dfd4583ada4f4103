//! Stands in for a browser where no shell can: writes the address that it is given into a file beside itself.
//!
//! A batch file would do on Windows, were it not for the percent signs of an address, which `cmd` reads as variables.

use std::{env, fs, io};

fn main() -> io::Result<()> {
    let address = env::args().nth(1).unwrap_or_default();
    let own = env::current_exe()?;
    // Written under another name first, so that nobody reads half an address.
    let part = own.with_file_name("address.part");
    fs::write(&part, address)?;
    fs::rename(part, own.with_file_name("address"))
}
