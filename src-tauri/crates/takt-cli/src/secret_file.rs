//! Secrets from a file: one in a line. They are never given as arguments, which others on the computer can see.

use std::{
    env,
    fs::File,
    io::{self, Read},
    path::Path,
};

use takt_engine::{contract::text_without_byte_order_mark, sites::SiteSecrets};

use crate::ending::Failure;

/// The most that is read of a file with secrets, in bytes.
const MAX_SECRET_FILE_BYTES: u64 = 64 * 1024;

/// The secrets of a file; the first line holds one. Line breaks, and the mark that some editors put at its begin, are no part of them.
pub(crate) fn read(file: &Path) -> Result<Vec<String>, Failure> {
    let mut text = String::new();
    let read = File::open(file).and_then(|file| file.take(MAX_SECRET_FILE_BYTES).read_to_string(&mut text));
    let lines: Vec<_> = text_without_byte_order_mark(&text).lines().map(str::to_owned).collect();
    let empty = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let none = lines.first().is_none_or(String::is_empty);
    match read.and_then(|_| if none { Err(empty()) } else { Ok(lines) }) {
        Ok(lines) => Ok(lines.into_iter().filter(|line| !line.is_empty()).collect()),
        Err(error) => {
            let named = vec![("file", file.display().to_string()), ("reason", error.to_string())];
            Err(Failure::Usage("plant.no-secret", named))
        }
    }
}

/// The secrets of a site that the environment names files of; each stands in its file's first line.
pub(crate) fn site_secrets() -> Result<SiteSecrets, Failure> {
    Ok(SiteSecrets {
        client: named_by("TAKT_CLIENT_SECRET_FILE")?,
        proxy_password: named_by("TAKT_PROXY_PASSWORD_FILE")?,
        certificate_passphrase: named_by("TAKT_CLIENT_CERTIFICATE_PASSPHRASE_FILE")?,
    })
}

/// What stands in the file that a variable of the environment names.
pub(crate) fn named_by(variable: &str) -> Result<Option<String>, Failure> {
    let file = env::var_os(variable).filter(|file| !file.is_empty());
    let lines = file.map(|file| read(Path::new(&file))).transpose()?;
    Ok(lines.and_then(|lines| lines.into_iter().next()))
}
