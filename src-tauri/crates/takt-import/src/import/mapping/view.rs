//! What the window and the command line see of a mapping's rules, and what they can ask to change.

use serde::{Deserialize, Serialize};

use super::{Blank, FormatChoice, JoinedColumns};
use crate::import::{date::Order, number::Decimals, reading::Format};

/// What in a column needs one format for all its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FormatKind {
    Decimals,
    DateOrder,
}

/// How a column's format was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// `proofs` of `of` texts can be read in no other way.
    Proven,
    /// A person said so, and nothing contradicts.
    Chosen,
    /// Nothing tells; a person has to.
    Ambiguous,
    /// Some texts prove one format, and some the other: the column can't be read until they are fixed.
    Contradictory,
}

/// The format of a column's texts; absent where nothing in the column needs one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FormatView {
    pub kind: FormatKind,
    pub verdict: Verdict,
    /// For example `DD/MM/YYYY` or `1.234,56`; absent where it isn't settled.
    pub shown: Option<String>,
    pub choice: Option<FormatChoice>,
    /// Texts that prove it.
    pub proofs: u32,
    /// Texts that need it.
    pub of: u32,
}

/// What became of a heading since the layout was remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    Renamed,
    Moved,
    New,
    Gone,
}

/// One difference from the remembered layout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LayoutChange {
    pub kind: ChangeKind,
    pub heading: String,
    /// Where it was renamed: its heading before; where it was moved: its column's letter before.
    pub was: Option<String>,
}

/// Several columns whose texts make one field, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct JoinedView {
    /// 0-based.
    pub columns: Vec<u32>,
    /// As a mapping names them.
    pub headings: Vec<String>,
    /// What stands between the texts.
    pub with: String,
}

impl JoinedView {
    /// `names` is what a mapping calls each column.
    pub(in super::super) fn of(joined: &JoinedColumns, names: &[String]) -> Self {
        let place = |heading: &String| u32::try_from(names.iter().position(|name| name == heading)?).ok();
        Self {
            columns: joined.headings.iter().filter_map(place).collect(),
            headings: joined.headings.clone(),
            with: joined.with.clone(),
        }
    }
}

/// A change to the mapping by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum MappingChange {
    /// The column fills these fields; none leaves it out. `properties[KEY]` names a property.
    Fields {
        column: u32,
        fields: Vec<String>,
    },
    /// How the column's texts are read; absent takes the choice back.
    Format {
        column: u32,
        choice: Option<FormatChoice>,
    },
    /// The text that stands for every row; absent takes it away.
    Constant {
        field: String,
        text: Option<String>,
    },
    /// What is read in the place of one of the file's texts; absent takes it away.
    Value {
        field: String,
        from: String,
        to: Option<String>,
    },
    Blank {
        field: String,
        rule: Blank,
    },
    /// The columns whose texts make the field together; fewer than two take it apart.
    Joined {
        field: String,
        columns: Vec<u32>,
        with: String,
    },
}

/// How a format is shown to a person.
pub(in super::super) fn format_view(format: Format) -> Option<FormatView> {
    let (kind, shown, choice) = match (format.decimals, format.order) {
        (Decimals::Comma, _) => (FormatKind::Decimals, Some("1.234,56"), Some(FormatChoice::Comma)),
        (Decimals::Point, _) => (FormatKind::Decimals, Some("1,234.56"), Some(FormatChoice::Point)),
        (Decimals::Unknown | Decimals::Mixed, _) => (FormatKind::Decimals, None, None),
        (_, Order::DayFirst { .. }) => (FormatKind::DateOrder, Some("DD/MM/YYYY"), Some(FormatChoice::DayFirst)),
        (_, Order::MonthFirst { .. }) => (FormatKind::DateOrder, Some("MM/DD/YYYY"), Some(FormatChoice::MonthFirst)),
        (_, Order::Unknown | Order::Mixed) => (FormatKind::DateOrder, None, None),
        (Decimals::Unneeded, Order::Unneeded) => return None,
    };
    let mixed = format.decimals == Decimals::Mixed || format.order == Order::Mixed;
    let verdict = match (choice, mixed) {
        (None, true) => Verdict::Contradictory,
        (None, false) => Verdict::Ambiguous,
        (Some(_), _) if format.proofs == 0 => Verdict::Chosen,
        (Some(_), _) => Verdict::Proven,
    };
    Some(FormatView { kind, verdict, shown: shown.map(str::to_owned), choice, proofs: format.proofs, of: format.of })
}
