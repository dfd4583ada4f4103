//! Secrets from files, one per line. Secrets must never be arguments, which other programs on the computer can read.

use std::{
    env,
    fs::File,
    io::{self, Read},
    path::Path,
};

use takt_engine::{contract::text_without_byte_order_mark, sites::SiteSecrets};

use crate::exit_codes::Failure;

/// The maximum number of bytes that are read from a file with secrets.
const MAX_SECRET_FILE_BYTES: u64 = 64 * 1024;

/// Reads the secrets of a file. Fails if the first line is empty. Line breaks and a byte order mark are removed.
pub(crate) fn read(file: &Path) -> Result<Vec<String>, Failure> {
    let mut text = String::new();
    let read = File::open(file).and_then(|file| file.take(MAX_SECRET_FILE_BYTES).read_to_string(&mut text));
    let lines: Vec<_> = text_without_byte_order_mark(&text).lines().map(str::to_owned).collect();
    let missing = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let is_missing = lines.first().is_none_or(String::is_empty);
    match read.and_then(|_| if is_missing { Err(missing()) } else { Ok(lines) }) {
        Ok(lines) => Ok(lines.into_iter().filter(|line| !line.is_empty()).collect()),
        Err(error) => {
            let parameters = vec![("file", file.display().to_string()), ("reason", error.to_string())];
            Err(Failure::Usage("plant.no-secret", parameters))
        }
    }
}

/// Reads the secrets of a site from the files that environment variables name. They replace stored secrets.
pub(crate) fn site_secrets() -> Result<SiteSecrets, Failure> {
    Ok(SiteSecrets {
        client: from_variable("TAKT_CLIENT_SECRET_FILE")?,
        proxy_password: from_variable("TAKT_PROXY_PASSWORD_FILE")?,
        certificate_passphrase: from_variable("TAKT_CLIENT_CERTIFICATE_PASSPHRASE_FILE")?,
    })
}

/// Returns the first line of the file that an environment variable names, or `None` if the variable isn't set.
pub(crate) fn from_variable(variable: &str) -> Result<Option<String>, Failure> {
    let file = env::var_os(variable).filter(|file| !file.is_empty());
    let lines = file.map(|file| read(Path::new(&file))).transpose()?;
    Ok(lines.and_then(|lines| lines.into_iter().next()))
}
