//! The update channel is a small JSON file with the newest version of Takt, at an address or in a folder.
//!
//! It is read with limits on time and size, and without cookies, tokens or other data about the user. Callers decide
//! when to read it and how to treat a newer version.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};

use jiff::civil::Date;
use reqwest::{Client, Url, header, redirect};
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::{address::is_loopback, proxy::is_direct};

/// In bytes, after decompression.
pub const MAX_CHANNEL_BYTES: usize = 64 * 1024;
/// The usual time limit for reading a channel, from the first request to the last byte.
pub const CHANNEL_TIMEOUT: Duration = Duration::from_secs(10);
/// Redirects must stay within the channel's origin.
const MAX_REDIRECTS: usize = 5;
/// In characters, per language.
const MAX_NOTES_LENGTH: usize = 4000;
const ELLIPSIS: char = '…';

/// The location of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpdateChannel {
    /// An https address, or an http address on this computer.
    Address(Url),
    /// A file on this computer or on a network share.
    File(PathBuf),
}

/// The newest version in a channel. Unknown members are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    pub version: Version,
    #[serde(default)]
    pub date: Option<Date>,
    /// The release notes as plain text, by language.
    #[serde(default)]
    pub notes: BTreeMap<String, String>,
    /// The https address for downloads.
    #[serde(default)]
    pub download: Option<String>,
    /// The address of the list of signed packages, for installations that update themselves. It must have the channel's
    /// origin. If the channel is a file, any https address is valid. Other addresses are dropped.
    #[serde(default)]
    pub updater: Option<String>,
}

/// The reason why a channel can't be read. Never quotes the content, since the user may have chosen another file by
/// mistake.
#[derive(Debug, thiserror::Error)]
pub enum ChannelError {
    #[error("neither an https address nor the whole path of a file: {0}")]
    InvalidLocation(String),
    #[error("no connection: {0}")]
    Unreachable(String),
    #[error("nothing complete came within {} s", .0.as_secs())]
    TimedOut(Duration),
    #[error("status {0}")]
    Status(u16),
    /// A redirect to another origin, or too many redirects.
    #[error("it leads elsewhere")]
    LeadsAway,
    #[error("it is larger than {MAX_CHANNEL_BYTES} bytes")]
    TooLarge,
    #[error("it isn't an update channel: line {line}, column {column}")]
    NotAChannel { line: usize, column: usize },
    #[error("the file can't be read: {0}")]
    File(#[source] io::Error),
}

impl UpdateChannel {
    /// Parses an address or an absolute path.
    ///
    /// # Errors
    /// Returns [`ChannelError::InvalidLocation`] for any other text, for unencrypted addresses of other computers, and
    /// for addresses with a user name or password.
    pub fn parse(location: &str) -> Result<Self, ChannelError> {
        let text = location.trim();
        if !text.contains("://") {
            let file = Path::new(text);
            return if file.is_absolute() {
                Ok(Self::File(file.to_owned()))
            } else {
                Err(invalid_location_error("not a whole path"))
            };
        }
        let url = Url::parse(text).map_err(invalid_location_error)?;
        match url.scheme() {
            "file" => {
                url.to_file_path().map(Self::File).map_err(|()| invalid_location_error("no file of this computer"))
            }
            _ if !url.username().is_empty() || url.password().is_some() => {
                Err(invalid_location_error("it holds a name or password"))
            }
            "https" => Ok(Self::Address(url)),
            "http" if is_loopback(&url) => Ok(Self::Address(url)),
            _ => Err(invalid_location_error("it doesn't begin with https://")),
        }
    }

    /// Reads the channel without retries.
    ///
    /// # Errors
    /// Fails if it can't be reached or read within `time`, is larger than [`MAX_CHANNEL_BYTES`], or isn't a channel.
    pub async fn read(&self, time: Duration) -> Result<Release, ChannelError> {
        let bytes = async {
            match self {
                Self::Address(url) => download(url).await,
                Self::File(file) => read_on_thread(file.clone()).await,
            }
        };
        let bytes = tokio::time::timeout(time, bytes).await.map_err(|_| ChannelError::TimedOut(time))??;
        let mut release = Release::parse(&bytes)?;
        release.updater = release.updater.filter(|address| self.can_have_packages(address));
        Ok(release)
    }

    /// Returns whether packages from an address are accepted. A user who confirmed one origin must not be sent to
    /// another.
    fn can_have_packages(&self, address: &str) -> bool {
        let Ok(Self::Address(packages)) = Self::parse(address) else { return false };
        match self {
            Self::Address(own) => own.origin() == packages.origin(),
            Self::File(_) => packages.scheme() == "https",
        }
    }
}

impl Release {
    fn parse(bytes: &[u8]) -> Result<Self, ChannelError> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        // The parser's message isn't used, since it may quote the content.
        let wrong = |error: serde_json::Error| ChannelError::NotAChannel { line: error.line(), column: error.column() };
        let mut release: Self = serde_json::from_slice(bytes).map_err(wrong)?;
        release.download = release.download.filter(|address| can_open_in_browser(address));
        release.notes.values_mut().for_each(|notes| *notes = clean_notes(notes));
        release.notes.retain(|_, notes| !notes.is_empty());
        Ok(release)
    }

    /// Returns the notes in a language (`de`), else in English, else in the first available one.
    #[must_use]
    pub fn notes_in(&self, language: &str) -> Option<&str> {
        let primary = |tag: &str| tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        let find_notes =
            |wanted: &str| self.notes.iter().find(|(tag, _)| primary(tag) == wanted).map(|(_, notes)| notes);
        find_notes(language).or_else(|| find_notes("en")).or_else(|| self.notes.values().next()).map(String::as_str)
    }

    /// Returns whether this release is newer than an installed version, ignoring build metadata after `+`.
    #[must_use]
    pub fn is_newer_than(&self, installed: &Version) -> bool {
        self.version.cmp_precedence(installed).is_gt()
    }
}

/// Returns whether the browser may open an address, which must be https without a user name or password.
#[must_use]
pub fn can_open_in_browser(address: &str) -> bool {
    let is_open = |url: &Url| url.scheme() == "https" && url.username().is_empty() && url.password().is_none();
    Url::parse(address).is_ok_and(|url| is_open(&url)) && !address.contains(char::is_whitespace)
}

/// Downloads a channel without data about the user, the site or the installed version.
async fn download(url: &Url) -> Result<Vec<u8>, ChannelError> {
    let mut builder = Client::builder()
        .user_agent("Takt")
        .redirect(redirect::Policy::custom(follow_within_origin))
        .retry(reqwest::retry::never())
        .referer(false);
    if is_direct(url) {
        builder = builder.no_proxy();
    }
    let http = builder.build().map_err(unreachable_error)?;
    let asked = http.get(url.clone()).header(header::ACCEPT, "application/json");
    let mut response = asked.send().await.map_err(unreachable_error)?;
    let status = response.status();
    if status.is_redirection() {
        return Err(ChannelError::LeadsAway);
    }
    if !status.is_success() {
        return Err(ChannelError::Status(status.as_u16()));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable_error)? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_CHANNEL_BYTES {
            return Err(ChannelError::TooLarge);
        }
    }
    Ok(body)
}

fn follow_within_origin(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let same = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
    if same && attempt.previous().len() <= MAX_REDIRECTS { attempt.follow() } else { attempt.stop() }
}

/// Reads a file on a separate thread. The thread isn't joined, since an unavailable share may block it for minutes.
async fn read_on_thread(file: PathBuf) -> Result<Vec<u8>, ChannelError> {
    let (done, read) = tokio::sync::oneshot::channel();
    let reader = std::thread::Builder::new().name("update-channel".to_owned());
    // Sending fails after a timeout, since the receiver is dropped.
    reader.spawn(move || drop(done.send(read_file(&file)))).map_err(ChannelError::File)?;
    read.await.unwrap_or_else(|_| Err(ChannelError::File(io::ErrorKind::Other.into())))
}

fn read_file(file: &Path) -> Result<Vec<u8>, ChannelError> {
    // Pipes are rejected, since opening one would block.
    if !fs::metadata(file).map_err(ChannelError::File)?.is_file() {
        return Err(ChannelError::File(io::Error::new(io::ErrorKind::InvalidInput, "it isn't a file")));
    }
    let mut bytes = Vec::new();
    fs::File::open(file)
        .and_then(|open| open.take(MAX_CHANNEL_BYTES as u64 + 1).read_to_end(&mut bytes))
        .map_err(ChannelError::File)?;
    if bytes.len() > MAX_CHANNEL_BYTES { Err(ChannelError::TooLarge) } else { Ok(bytes) }
}

/// Removes control characters and direction marks, except line breaks, and shortens the notes.
fn clean_notes(notes: &str) -> String {
    let is_plain = |letter: &char| *letter == '\n' || !(letter.is_control() || is_invisible(*letter));
    let text: String = notes.chars().filter(is_plain).collect();
    let text = text.trim();
    match text.chars().nth(MAX_NOTES_LENGTH) {
        Some(_) => text.chars().take(MAX_NOTES_LENGTH).chain([ELLIPSIS]).collect(),
        None => text.to_owned(),
    }
}

/// Returns whether a character changes the direction of text.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn invalid_location_error(cause: impl std::fmt::Display) -> ChannelError {
    ChannelError::InvalidLocation(cause.to_string())
}

/// Returns the causes without the address, which may be confidential.
fn unreachable_error(error: reqwest::Error) -> ChannelError {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    ChannelError::Unreachable(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_named_within_the_channels_origin() {
        let channel = UpdateChannel::parse("https://updates.example/takt.json").unwrap();
        assert!(channel.can_have_packages("https://updates.example/1/updater.json"));
        for other in ["https://other.example/updater.json", "http://updates.example/updater.json", "/updater.json", ""]
        {
            assert!(!channel.can_have_packages(other), "{other}");
        }
        let file = UpdateChannel::File(PathBuf::from("/share/takt.json"));
        assert!(
            file.can_have_packages("https://any.example/updater.json")
                && !file.can_have_packages("http://127.0.0.1/updater.json")
        );
    }

    #[test]
    fn a_channel_is_an_encrypted_address_or_a_whole_path() {
        for location in
            ["https://updates.example/takt.json", " https://x.example/?a=b ", "http://127.0.0.1:8080/takt.json"]
        {
            assert!(matches!(UpdateChannel::parse(location), Ok(UpdateChannel::Address(_))), "{location}");
        }
        let file = std::env::temp_dir().join("takt.json");
        assert!(
            matches!(UpdateChannel::parse(&file.display().to_string()), Ok(UpdateChannel::File(found)) if found == file)
        );
        for location in
            ["", "takt.json", "http://updates.example/x", "ftp://x.example/a", "https://anna:pw@x.example/a"]
        {
            assert!(matches!(UpdateChannel::parse(location), Err(ChannelError::InvalidLocation(_))), "{location}");
        }
    }

    #[test]
    fn only_encrypted_addresses_are_downloads() {
        assert!(can_open_in_browser("https://updates.example/takt"));
        for address in
            ["http://updates.example", "file:///bin/sh", "javascript:alert(1)", "https://a:b@x.example", "https://x y"]
        {
            assert!(!can_open_in_browser(address), "{address}");
        }
    }

    #[test]
    fn notes_are_bounded_plain_text_in_the_persons_language() -> Result<(), ChannelError> {
        let long = "ä".repeat(MAX_NOTES_LENGTH + 1);
        let text = serde_json::json!({ "version": "1.2.3", "future": [1], "notes": { "en": "A\n\u{1b}[2Jb\u{202e}", "pt-BR": long } });
        let release = Release::parse(text.to_string().as_bytes())?;
        assert_eq!(release.notes_in("de"), Some("A\n[2Jb"));
        let cut = release.notes_in("pt").unwrap_or_default();
        assert_eq!((cut.chars().count(), cut.ends_with(ELLIPSIS)), (MAX_NOTES_LENGTH + 1, true));
        Ok(())
    }
}
