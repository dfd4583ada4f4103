//! Views of a mapping's rules for the window and the command line, and the changes that they can request.

use jiff::civil::Weekday;
use serde::{Deserialize, Serialize};

use super::{Blank, FormatChoice, JoinedColumns};
use crate::{
    cell_value::Format,
    date::{DateOrder, DateOrders},
    duration_text::DurationUnit,
    number::{Decimals, Negatives},
    week::WeekDay,
};

/// The kind of format that a column needs for all its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FormatKind {
    Decimals,
    /// Numbers with a trailing minus, or in brackets.
    Negatives,
    DateOrder,
    /// Durations that are bare numbers.
    DurationUnit,
    /// Dates that are calendar weeks.
    WeekDay,
}

impl FormatKind {
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
    /// Returns the kind of format that the choice decides.
    pub(crate) fn kind(self) -> FormatKind {
        match self {
            Self::Comma | Self::Point => FormatKind::Decimals,
            Self::Negative => FormatKind::Negatives,
            Self::DayFirst | Self::MonthFirst | Self::YearFirst => FormatKind::DateOrder,
            Self::Hours | Self::Minutes | Self::Days => FormatKind::DurationUnit,
            Self::Monday | Self::Friday | Self::Sunday => FormatKind::WeekDay,
        }
    }
}

/// The certainty of a column's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FormatCertainty {
    /// No other format fits all of the texts. `proofs` of them rule out the others.
    Proven,
    /// The user chose it, and no text contradicts it.
    Chosen,
    /// No text proves a format, so the user has to choose.
    Ambiguous,
    /// Some texts prove one format and some the other. The column can't be read until they're fixed.
    Contradictory,
}

/// The format of a column's texts, how certain it is, and the choices that are left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FormatView {
    pub kind: FormatKind,
    pub verdict: FormatCertainty,
    /// For example `DD/MM/YYYY` or `1.234,56`. `None` if it isn't determined or has no such notation.
    pub shown: Option<String>,
    pub choice: Option<FormatChoice>,
    /// Number of texts that rule out other formats.
    pub proofs: u32,
    /// Number of texts that need a format.
    pub of: u32,
    /// The choices, each with the column's first open cell as it would be read. Empty if there is nothing to choose.
    pub examples: Vec<FormatExample>,
}

/// A cell as a choice would read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FormatExample {
    pub choice: FormatChoice,
    /// The cell as the file shows it. `None` if no cell needs the choice.
    pub cell: Option<String>,
    /// The value that would be sent. `None` if the cell can't be read with this choice.
    pub read: Option<String>,
}

/// The kind of a change since the layout was remembered.
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
    /// The column's name in a mapping.
    #[serde(skip)]
    pub(crate) name: String,
    /// The previous heading if it was renamed, or the previous column letter if it was moved.
    pub was: Option<String>,
}

/// Columns whose texts are joined into one field, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct JoinedView {
    /// 0-based.
    pub columns: Vec<u32>,
    /// The columns' names in a mapping.
    pub headings: Vec<String>,
    /// Placed between the texts.
    pub with: String,
}

impl JoinedView {
    /// Creates a view. `names` are the columns' names in a mapping.
    pub(crate) fn new(joined: &JoinedColumns, names: &[String]) -> Self {
        let column_of = |heading: &String| u32::try_from(names.iter().position(|name| name == heading)?).ok();
        Self {
            columns: joined.headings.iter().filter_map(column_of).collect(),
            headings: joined.headings.clone(),
            with: joined.with.clone(),
        }
    }
}

/// A change that the user makes to a mapping.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum MappingChange {
    /// Matches the column with these fields, or with none. `properties[KEY]` names a property.
    Fields {
        column: u32,
        fields: Vec<String>,
    },
    /// Sets how the column's texts are read. Choices of other kinds stay.
    Format {
        column: u32,
        choice: FormatChoice,
    },
    /// Removes the choice of a kind of format.
    ReopenFormat {
        column: u32,
        kind: FormatKind,
    },
    /// Sets the text for every row. `None` removes it.
    Constant {
        field: String,
        text: Option<String>,
    },
    /// Sets the replacement of one of the file's texts. `None` removes it.
    Value {
        field: String,
        from: String,
        to: Option<String>,
    },
    Blank {
        field: String,
        rule: Blank,
    },
    /// Joins the texts of these columns into the field. Fewer than two columns remove the join.
    Joined {
        field: String,
        columns: Vec<u32>,
        with: String,
    },
}

/// Returns the view of each part of a format. Empty if the column needs no format. `example` returns the example of a
/// choice.
pub(crate) fn format_views(format: Format, example: &dyn Fn(FormatChoice) -> FormatExample) -> Vec<FormatView> {
    let view = |part: FormatPart| part.view(format, example);
    let mut views: Vec<FormatView> = format_parts(format).map(view).collect();
    // The user decides open formats first.
    views.sort_by_key(|view| view.choice.is_some());
    views
}

/// Returns the choices that fit every text of the column.
fn fitting_choices(kind: FormatKind, format: Format) -> impl Iterator<Item = FormatChoice> {
    let fits = move |choice: FormatChoice| match (format.order, choice) {
        (DateOrder::Unknown(fitting), FormatChoice::DayFirst) => fitting.contains(DateOrders::DAY_FIRST),
        (DateOrder::Unknown(fitting), FormatChoice::MonthFirst) => fitting.contains(DateOrders::MONTH_FIRST),
        (DateOrder::Unknown(fitting), FormatChoice::YearFirst) => fitting.contains(DateOrders::YEAR_FIRST),
        _ => true,
    };
    kind.choices().iter().copied().filter(move |&choice| fits(choice))
}

/// Returns true if the user has to choose or fix cells before the column can be read.
pub(crate) fn needs_decision(format: Format) -> bool {
    format_parts(format).any(|part| part.choice.is_none())
}

/// A part of a format, such as the order of dates or the day of weeks.
#[derive(Debug, Clone, Copy)]
struct FormatPart {
    kind: FormatKind,
    /// For example `DD/MM/YYYY`.
    notation: Option<&'static str>,
    /// `None` if it isn't determined.
    choice: Option<FormatChoice>,
}

impl FormatPart {
    const fn new(kind: FormatKind, choice: Option<FormatChoice>) -> Self {
        Self { kind, notation: None, choice }
    }

    const fn with_notation(kind: FormatKind, choice: FormatChoice, notation: &'static str) -> Self {
        Self { kind, notation: Some(notation), choice: Some(choice) }
    }

    fn view(self, format: Format, example: &dyn Fn(FormatChoice) -> FormatExample) -> FormatView {
        let Self { kind, notation, choice } = self;
        let mixed = match kind {
            FormatKind::Decimals | FormatKind::DurationUnit => format.decimals == Decimals::Mixed,
            FormatKind::DateOrder => format.order == DateOrder::Mixed,
            FormatKind::Negatives | FormatKind::WeekDay => false,
        };
        // Texts never prove the meaning of marked numbers, or the weekday of weeks.
        let is_provable = !matches!(kind, FormatKind::Negatives | FormatKind::WeekDay);
        let verdict = match (choice, mixed) {
            (None, true) => FormatCertainty::Contradictory,
            (None, false) => FormatCertainty::Ambiguous,
            (Some(_), _) if format.proofs > 0 && is_provable => FormatCertainty::Proven,
            (Some(_), _) => FormatCertainty::Chosen,
        };
        let examples = match verdict {
            FormatCertainty::Ambiguous => fitting_choices(kind, format).map(example).collect(),
            FormatCertainty::Chosen => choice.map(example).into_iter().collect(),
            FormatCertainty::Proven | FormatCertainty::Contradictory => Vec::new(),
        };
        let shown = notation.map(str::to_owned);
        FormatView { kind, verdict, shown, choice, proofs: format.proofs, of: format.total, examples }
    }
}

/// Returns the parts of a format that the column needs.
fn format_parts(format: Format) -> impl Iterator<Item = FormatPart> {
    let order = match format.order {
        DateOrder::Unneeded => None,
        DateOrder::DayFirst { .. } => {
            Some(FormatPart::with_notation(FormatKind::DateOrder, FormatChoice::DayFirst, "DD/MM/YYYY"))
        }
        DateOrder::MonthFirst { .. } => {
            Some(FormatPart::with_notation(FormatKind::DateOrder, FormatChoice::MonthFirst, "MM/DD/YYYY"))
        }
        DateOrder::YearFirst { .. } => {
            Some(FormatPart::with_notation(FormatKind::DateOrder, FormatChoice::YearFirst, "YY-MM-DD"))
        }
        DateOrder::Unknown(_) | DateOrder::Mixed => Some(FormatPart::new(FormatKind::DateOrder, None)),
    };
    let unit = |choice| Some(FormatPart::new(FormatKind::DurationUnit, choice));
    let unit = match format.unit {
        DurationUnit::Unneeded => None,
        DurationUnit::Unknown => unit(None),
        DurationUnit::Hours => unit(Some(FormatChoice::Hours)),
        DurationUnit::Minutes => unit(Some(FormatChoice::Minutes)),
        DurationUnit::Days => unit(Some(FormatChoice::Days)),
    };
    let week = |choice| Some(FormatPart::new(FormatKind::WeekDay, choice));
    let week = match format.week_day {
        WeekDay::Unneeded => None,
        WeekDay::Unknown => week(None),
        WeekDay::Chosen { weekday: Weekday::Friday, .. } => week(Some(FormatChoice::Friday)),
        WeekDay::Chosen { weekday: Weekday::Sunday, .. } => week(Some(FormatChoice::Sunday)),
        WeekDay::Chosen { .. } => week(Some(FormatChoice::Monday)),
    };
    let decimals = match format.decimals {
        Decimals::Unneeded => None,
        Decimals::Comma => Some(FormatPart::with_notation(FormatKind::Decimals, FormatChoice::Comma, "1.234,56")),
        Decimals::Point => Some(FormatPart::with_notation(FormatKind::Decimals, FormatChoice::Point, "1,234.56")),
        Decimals::Unknown | Decimals::Mixed => Some(FormatPart::new(FormatKind::Decimals, None)),
    };
    let negatives = match format.negatives {
        Negatives::Unneeded => None,
        Negatives::Unknown => Some(FormatPart::new(FormatKind::Negatives, None)),
        Negatives::Marked => Some(FormatPart::new(FormatKind::Negatives, Some(FormatChoice::Negative))),
    };
    // In durations, the decimal sign is only a part of each text, so it isn't shown.
    let decimals = decimals.filter(|_| format.unit == DurationUnit::Unneeded && format.total > 0);
    [order, week, unit, negatives, decimals].into_iter().flatten()
}
