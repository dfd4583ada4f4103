//! Parses targets that are opened from outside the window: a double-clicked workbook, or a link in an email.
//!
//! Links are `takt://order?code=CODE&site=NAME` and `takt://submission?number=NUMBER&site=NAME&begun=MOMENT`. All but
//! the code and the number are optional. Links show something, and never change anything.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use takt_core::{Code, Problem};
use takt_journal::SubmissionId;
use url::Url;

/// The URL scheme that Takt registers.
pub const LINK_SCHEME: &str = "takt";
/// The maximum length of a link or path in bytes. Operating systems don't allow longer paths.
const MAX_BYTES: usize = 32 * 1024;
const ORDER: &str = "order";
const SUBMISSION: &str = "submission";

/// A target to show in the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OpenTarget {
    /// The absolute path of the file.
    Workbook(PathBuf),
    Order {
        code: String,
        /// If `None`, the selected site is used.
        site: Option<String>,
    },
    Submission {
        id: SubmissionId,
        site: Option<String>,
        /// The submission's start. It identifies the submission, because numbers are unique only within one history.
        begun: Option<Timestamp>,
    },
}

impl OpenTarget {
    /// Parses an argument from the operating system or the user: a link, a `file:` URL, or a path relative to `folder`.
    ///
    /// # Errors
    ///
    /// [`Code::InvalidInput`] (`link`): the link is invalid.
    pub fn parse(argument: &str, folder: &Path) -> Result<Self, Problem> {
        let invalid_link =
            || Problem::new(Code::InvalidInput).parameter("what", shorten(argument)).parameter("case", "link");
        if argument.is_empty() || argument.len() > MAX_BYTES {
            return Err(invalid_link());
        }
        match Url::parse(argument) {
            Ok(address) if address.scheme() == LINK_SCHEME => Self::from_link(&address).ok_or_else(invalid_link),
            Ok(address) if address.scheme() == "file" => {
                address.to_file_path().map(Self::Workbook).map_err(|()| invalid_link())
            }
            // A Windows path such as `C:\…` looks like a URL with a scheme.
            _ => Ok(Self::Workbook(folder.join(argument))),
        }
    }

    /// Returns the link to the target. Workbooks have no link.
    #[must_use]
    pub fn link(&self) -> Option<String> {
        let (kind, pairs) = match self {
            Self::Workbook(_) => return None,
            Self::Order { code, site } => {
                (ORDER, [("code", Some(code.clone())), ("site", site.clone()), ("begun", None)])
            }
            Self::Submission { id, site, begun } => {
                let begun = begun.map(|moment| moment.to_string());
                (SUBMISSION, [("number", Some(id.to_string())), ("site", site.clone()), ("begun", begun)])
            }
        };
        let mut link = Url::parse(&format!("{LINK_SCHEME}://{kind}")).ok()?;
        for (name, value) in pairs {
            if let Some(value) = value {
                link.query_pairs_mut().append_pair(name, &value);
            }
        }
        Some(link.into())
    }

    fn from_link(link: &Url) -> Option<Self> {
        let parameter = |wanted: &str| {
            let found = link.query_pairs().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.into_owned()).filter(|value| !value.trim().is_empty())
        };
        let site = parameter("site");
        match link.host_str()? {
            ORDER => Some(Self::Order { code: parameter("code")?, site }),
            SUBMISSION => {
                let begun = parameter("begun").map(|text| text.parse()).transpose().ok()?;
                Some(Self::Submission { id: SubmissionId::new(parameter("number")?.parse().ok()?), site, begun })
            }
            _ => None,
        }
    }
}

/// Cuts an argument to a length suitable for an error.
fn shorten(argument: &str) -> String {
    const MAX_LENGTH: usize = 80;
    if argument.chars().count() <= MAX_LENGTH {
        return argument.to_owned();
    }
    argument.chars().take(MAX_LENGTH).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(argument: &str) -> Result<OpenTarget, Problem> {
        OpenTarget::parse(argument, Path::new("/desk"))
    }

    #[test]
    fn links_lead_where_they_came_from() {
        let begun = Some("2026-11-25T14:55:02Z".parse().unwrap());
        for target in [
            OpenTarget::Order { code: "WO-260132".to_owned(), site: Some("works".to_owned()) },
            OpenTarget::Order { code: "A/7 +50% Größe?&#".to_owned(), site: None },
            OpenTarget::Submission { id: SubmissionId::new(7), site: Some("Werk Süd & Co".to_owned()), begun },
            OpenTarget::Submission { id: SubmissionId::new(7), site: None, begun: None },
        ] {
            assert_eq!(parse(&target.link().unwrap()).unwrap(), target);
        }
        assert_eq!(
            OpenTarget::Order { code: "WO-1".to_owned(), site: Some("works".to_owned()) }.link().unwrap(),
            "takt://order?code=WO-1&site=works"
        );
    }

    #[test]
    fn paths_are_of_the_folder_and_addresses_of_files_are_paths() {
        let workbook = |path: &str| Ok(OpenTarget::Workbook(PathBuf::from(path)));
        assert_eq!(parse("plan.xlsx"), workbook("/desk/plan.xlsx"));
        assert_eq!(
            parse("takt://order/?code=WO-1").unwrap(),
            OpenTarget::Order { code: "WO-1".to_owned(), site: None },
            "a system may add a slash"
        );
        #[cfg(unix)]
        {
            assert_eq!(parse("/plans/plan.xlsx"), workbook("/plans/plan.xlsx"));
            assert_eq!(parse("file:///plans/pl%C3%A4ne%201.xlsx"), workbook("/plans/pläne 1.xlsx"));
        }
        assert_eq!(OpenTarget::Workbook(PathBuf::from("/a")).link(), None);
    }

    #[test]
    fn invalid_links_are_refused() {
        let long = format!("takt://order?code={}", "x".repeat(MAX_BYTES));
        let wrong = [
            "",
            "takt://",
            "takt://order",
            "takt://order?code=%20",
            "takt://order?number=7",
            "takt://submission?number=seven",
            "takt://submission?number=7&begun=yesterday",
            "takt://settings/sites",
            "takt:order?code=WO-1",
            &long,
        ];
        for argument in wrong {
            let problem = parse(argument).unwrap_err();
            assert_eq!((problem.code, problem.parameters["case"].as_str()), (Code::InvalidInput, "link"), "{argument}");
            assert!(problem.parameters["what"].chars().count() <= 81);
        }
    }
}
