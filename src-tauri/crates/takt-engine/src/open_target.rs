//! What a person opens in the window from outside of it: a workbook that was double-clicked, or a link from a colleague's mail.
//!
//! Links are `takt://order?code=CODE&site=NAME` and `takt://submission?number=NUMBER&site=NAME&begun=MOMENT`; all but the code and the
//! number may be missing. They show something and change nothing.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use takt_core::{Code, Problem};
use takt_journal::SubmissionId;
use url::Url;

/// What the system registers Takt for.
pub const LINK_SCHEME: &str = "takt";
/// Bytes of a link or path; the systems allow no longer paths.
const MAX_BYTES: usize = 32 * 1024;
const ORDER: &str = "order";
const SUBMISSION: &str = "submission";

/// Something to show in the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OpenTarget {
    /// The file's whole path.
    Workbook(PathBuf),
    Order {
        code: String,
        /// Absent: the site that is chosen.
        site: Option<String>,
    },
    Submission {
        id: SubmissionId,
        site: Option<String>,
        /// When it was begun. Numbers are those of one history: by this it is known whether it is the same submission.
        begun: Option<Timestamp>,
    },
}

impl OpenTarget {
    /// Reads an argument as the system or a person gives it: a link, a `file:` address, or a path from `folder` on.
    ///
    /// # Errors
    ///
    /// [`Code::InvalidInput`] (`link`): a link that leads nowhere in Takt.
    pub fn parse(argument: &str, folder: &Path) -> Result<Self, Problem> {
        let refused =
            || Problem::new(Code::InvalidInput).parameter("what", shortened(argument)).parameter("case", "link");
        if argument.is_empty() || argument.len() > MAX_BYTES {
            return Err(refused());
        }
        match Url::parse(argument) {
            Ok(address) if address.scheme() == LINK_SCHEME => Self::of_link(&address).ok_or_else(refused),
            Ok(address) if address.scheme() == "file" => {
                address.to_file_path().map(Self::Workbook).map_err(|()| refused())
            }
            // A Windows path begins like a scheme: `C:\…`.
            _ => Ok(Self::Workbook(folder.join(argument))),
        }
    }

    /// The link to it; a workbook has none.
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

    fn of_link(link: &Url) -> Option<Self> {
        let pair = |wanted: &str| {
            let found = link.query_pairs().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.into_owned()).filter(|value| !value.trim().is_empty())
        };
        let site = pair("site");
        match link.host_str()? {
            ORDER => Some(Self::Order { code: pair("code")?, site }),
            SUBMISSION => {
                let begun = pair("begun").map(|text| text.parse()).transpose().ok()?;
                Some(Self::Submission { id: SubmissionId::new(pair("number")?.parse().ok()?), site, begun })
            }
            _ => None,
        }
    }
}

/// As much of it as an error needs to name it.
fn shortened(argument: &str) -> String {
    const SHOWN: usize = 80;
    if argument.chars().count() <= SHOWN {
        return argument.to_owned();
    }
    argument.chars().take(SHOWN).chain(['…']).collect()
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
    fn what_leads_nowhere_is_refused() {
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
