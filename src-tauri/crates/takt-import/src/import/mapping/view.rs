//! What the window and the command line see of a mapping's rules, and what they can ask to change.

use serde::{Deserialize, Serialize};

use super::{Blank, FormatChoice, JoinedColumns};
use jiff::civil::Weekday;

use crate::import::{
    date::{Order, Orders},
    duration_text::DurationUnit,
    number::{Decimals, Negatives},
    reading::Format,
    week::WeekDay,
};

/// What in a column needs one format for all its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FormatKind {
    Decimals,
    /// Numbers with a minus behind them, or in brackets.
    Negatives,
    DateOrder,
    /// Durations that are bare numbers.
    DurationUnit,
    /// Dates that are calendar weeks.
    WeekDay,
}

impl FormatKind {
    /// What a person can choose.
    fn choices(self) -> &'static [FormatChoice] {
        match self {
            Self::Decimals => &[FormatChoice::Comma, FormatChoice::Point],
            Self::Negatives => &[FormatChoice::Negative],
            Self::DateOrder => &[FormatChoice::DayFirst, FormatChoice::MonthFirst, FormatChoice::YearFirst],
            Self::DurationUnit => &[FormatChoice::Hours, FormatChoice::Minutes, FormatChoice::Days],
            Self::WeekDay => &[FormatChoice::Monday, FormatChoice::Friday, FormatChoice::Sunday],
        }
    }
}

impl FormatChoice {
    /// What it settles.
    pub(in super::super) fn kind(self) -> FormatKind {
        match self {
            Self::Comma | Self::Point => FormatKind::Decimals,
            Self::Negative => FormatKind::Negatives,
            Self::DayFirst | Self::MonthFirst | Self::YearFirst => FormatKind::DateOrder,
            Self::Hours | Self::Minutes | Self::Days => FormatKind::DurationUnit,
            Self::Monday | Self::Friday | Self::Sunday => FormatKind::WeekDay,
        }
    }
}

/// How a column's format was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FormatCertainty {
    /// No other format fits all of the texts; `proofs` of them rule the others out.
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
    pub verdict: FormatCertainty,
    /// For example `DD/MM/YYYY` or `1.234,56`; absent where it isn't settled.
    pub shown: Option<String>,
    pub choice: Option<FormatChoice>,
    /// Texts that rule other formats out.
    pub proofs: u32,
    /// Texts that need it.
    pub of: u32,
    /// What can be chosen, and what the column's first open cell would be then; empty where there is nothing to choose.
    pub examples: Vec<FormatExample>,
}

/// What a choice makes of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FormatExample {
    pub choice: FormatChoice,
    /// The cell as the file shows it; absent where none needs the choice.
    pub cell: Option<String>,
    /// What would be sent for it; absent where it couldn't be read then either.
    pub read: Option<String>,
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
    /// As the file has it.
    pub heading: String,
    /// The column's name in a mapping.
    #[serde(skip)]
    pub(in super::super) name: String,
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

/// How a format is shown to a person. `example` makes the examples of what can be chosen.
pub(in super::super) fn format_view(
    format: Format,
    example: &dyn Fn(FormatChoice) -> FormatExample,
) -> Option<FormatView> {
    let (kind, shown, choice) = settled(format)?;
    let mixed = match kind {
        FormatKind::Decimals | FormatKind::DurationUnit => format.decimals == Decimals::Mixed,
        FormatKind::DateOrder => format.order == Order::Mixed,
        FormatKind::Negatives | FormatKind::WeekDay => false,
    };
    let verdict = match (choice, mixed) {
        (None, true) => FormatCertainty::Contradictory,
        (None, false) => FormatCertainty::Ambiguous,
        (Some(_), _) if format.proofs == 0 || kind == FormatKind::Negatives => FormatCertainty::Chosen,
        (Some(_), _) => FormatCertainty::Proven,
    };
    let examples = match verdict {
        FormatCertainty::Ambiguous => choices(kind, format).map(example).collect(),
        FormatCertainty::Chosen => choice.map(example).into_iter().collect(),
        FormatCertainty::Proven | FormatCertainty::Contradictory => Vec::new(),
    };
    let shown = shown.map(str::to_owned);
    Some(FormatView { kind, verdict, shown, choice, proofs: format.proofs, of: format.of, examples })
}

/// The choices that fit every text of the column.
fn choices(kind: FormatKind, format: Format) -> impl Iterator<Item = FormatChoice> {
    let fits = move |choice: FormatChoice| match (format.order, choice) {
        (Order::Unknown(fitting), FormatChoice::DayFirst) => fitting.contains(Orders::DAY_FIRST),
        (Order::Unknown(fitting), FormatChoice::MonthFirst) => fitting.contains(Orders::MONTH_FIRST),
        (Order::Unknown(fitting), FormatChoice::YearFirst) => fitting.contains(Orders::YEAR_FIRST),
        _ => true,
    };
    kind.choices().iter().copied().filter(move |&choice| fits(choice))
}

/// True where a person has to choose, or to fix cells, before the column can be read.
pub(in super::super) fn is_unsettled(format: Format) -> bool {
    settled(format).is_some_and(|(_, _, choice)| choice.is_none())
}

/// What of a format is to be shown: first what is open.
fn settled(format: Format) -> Option<(FormatKind, Option<&'static str>, Option<FormatChoice>)> {
    let order = match format.order {
        Order::Unneeded => None,
        Order::DayFirst { .. } => Some((FormatKind::DateOrder, Some("DD/MM/YYYY"), Some(FormatChoice::DayFirst))),
        Order::MonthFirst { .. } => Some((FormatKind::DateOrder, Some("MM/DD/YYYY"), Some(FormatChoice::MonthFirst))),
        Order::YearFirst { .. } => Some((FormatKind::DateOrder, Some("YY-MM-DD"), Some(FormatChoice::YearFirst))),
        Order::Unknown(_) | Order::Mixed => Some((FormatKind::DateOrder, None, None)),
    };
    let unit = match format.unit {
        DurationUnit::Unneeded => None,
        DurationUnit::Unknown => Some((FormatKind::DurationUnit, None, None)),
        DurationUnit::Hours => Some((FormatKind::DurationUnit, None, Some(FormatChoice::Hours))),
        DurationUnit::Minutes => Some((FormatKind::DurationUnit, None, Some(FormatChoice::Minutes))),
        DurationUnit::Days => Some((FormatKind::DurationUnit, None, Some(FormatChoice::Days))),
    };
    let week = match format.week_day {
        WeekDay::Unneeded => None,
        WeekDay::Unknown => Some((FormatKind::WeekDay, None, None)),
        WeekDay::Chosen { weekday: Weekday::Friday, .. } => {
            Some((FormatKind::WeekDay, None, Some(FormatChoice::Friday)))
        }
        WeekDay::Chosen { weekday: Weekday::Sunday, .. } => {
            Some((FormatKind::WeekDay, None, Some(FormatChoice::Sunday)))
        }
        WeekDay::Chosen { .. } => Some((FormatKind::WeekDay, None, Some(FormatChoice::Monday))),
    };
    let decimals = match format.decimals {
        Decimals::Unneeded => None,
        Decimals::Comma => Some((FormatKind::Decimals, Some("1.234,56"), Some(FormatChoice::Comma))),
        Decimals::Point => Some((FormatKind::Decimals, Some("1,234.56"), Some(FormatChoice::Point))),
        Decimals::Unknown | Decimals::Mixed => Some((FormatKind::Decimals, None, None)),
    };
    let negatives = match format.negatives {
        Negatives::Unneeded => None,
        Negatives::Unknown => Some((FormatKind::Negatives, None, None)),
        Negatives::Marked => Some((FormatKind::Negatives, None, Some(FormatChoice::Negative))),
    };
    // Of durations it is only a part of each text.
    let decimals = decimals.filter(|_| format.unit == DurationUnit::Unneeded && format.of > 0);
    let all = [order, week, unit, negatives, decimals];
    let open = all.into_iter().flatten().find(|(_, _, choice)| choice.is_none());
    open.or_else(|| all.into_iter().flatten().next())
}
