//! Findings about a row: their severity, and their code from a closed set.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::words::{Words, serialized_name};

/// An `error` blocks the row, a `warning` needs a decision, and a `note` is for information.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Note,
}

/// The code of a finding. Each has a text in the language files, section `finding`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FindingCode {
    /// A required field is empty.
    Required,
    /// No column is mapped to a required field, and nothing else fills it. Reported once per field.
    MissingColumn,
    /// Several columns fit the field, and none was chosen. Reported once per field. `columns` lists the columns, and
    /// `letter` is the last column's letters.
    SeveralColumns,
    /// The value isn't a number of the field's kind.
    NotANumber,
    /// A text such as `1,375`, and nothing in the column proves its decimal sign.
    AmbiguousNumber,
    /// An ambiguous number in a column with both decimal commas and decimal points.
    MixedNumbers,
    NotAnInteger,
    NotADate,
    /// A text date with another meaning in another order of day, month and year, and nothing in the column proves the
    /// order.
    AmbiguousDate,
    /// An ambiguous date in a column whose dates have no common order.
    MixedDates,
    /// A calendar week, and the weekday isn't chosen.
    WeekWithoutDay,
    /// A local time that is skipped when the site's clock goes from `from` to `to` in the time zone `zone`.
    SkippedTime,
    /// A local time that occurs twice: with the offset `first`, which is sent, and with `second`, in the time zone
    /// `zone`.
    RepeatedTime,
    /// A repeated local time that is sent without an offset, so that the service decides which one is meant.
    RepeatedLocalTime,
    NotADuration,
    /// A plain number, and the column's unit (hours, minutes or days) isn't chosen.
    DurationWithoutUnit,
    NotABoolean,
    /// The value isn't greater than `limit`.
    NotAbove,
    BelowMinimum,
    AboveMaximum,
    TooLong,
    NotAllowed,
    /// The date in the field `first` isn't before the date in the field `second`.
    NotBefore,
    /// A number cell with more than 15 digits: Excel has already rounded it.
    TooManyDigits,
    /// A text with more than 15 digits in a number field: a number would be rounded.
    NumberTooLong,
    /// The cell contains an Excel error such as `#REF!`, as an error or as text.
    CellError,
    /// The file's value in this cell is invalid, such as a number with letters.
    CellUnreadable,
    /// A formula without a calculated result.
    FormulaWithoutValue,
    /// The text contains a zero byte or a character that couldn't be decoded. `character` is its code point.
    UnreadableCharacter,
    /// An invisible character within a code, or one with an effect on the text, such as a control character. `shown` is
    /// the text with code points and names, and `character` the first such character.
    InvisibleCharacter,
    /// Invisible characters at the edges of a value, which aren't sent. `shown` is the text with code points and names.
    InvisibleRemoved,
    /// A cell of a text file that reads differently in another encoding. `others` lists the alternatives.
    OtherEncoding,
    /// A quote opens in a cell of a text file and is never closed. `lines` further lines became part of it.
    QuoteNotClosed,
    /// Text follows the closing quote of the cell. `lines` is the number of further lines in it.
    TextAfterQuote,
    /// The cell's quotes contain lines that look like rows, or very many lines. `lines` is their number.
    QuoteHoldsRows,
    /// A row of a text file has `fields` values, more than the `expected` fields of the header row.
    ExtraFields,
    /// A row of a text file ends after `fields` of the `expected` fields of the header row.
    MissingFields,
    /// The text file ends within the row, without a line end and after `fields` of `expected` fields.
    CutRow,
    /// A cell of a text file starts with an apostrophe, which may mark it as text instead of a formula.
    FormulaGuard,
    /// A cell of a text file contains a text as a formula, such as `="00123"`. It is read as that text.
    TextFormula,
    /// A text cell of an OpenDocument file shows `shown`, which differs from its text.
    ShownOtherwise,
    /// The text file ends with DOS's end-of-file character, which is ignored.
    EndMark,
    /// The cell may contain only the beginning of a text that was too long for a workbook.
    CutText,
    /// The last row totals the others and isn't sent.
    TotalsRow,
    /// Other rows have the same business key. `rows` lists them.
    DuplicateKey,
    /// Rows of one item have different values in a field that the item has only once.
    GroupDisagrees,
    /// A number cell in a text field, read as shown (leading zeros by format).
    ShownTextKept,
    /// A text date was read in one order, which is `order`.
    DateOrder,
    /// The site has no such code. `near` is the most similar code.
    UnknownCode,
    /// A promised or planned day that has passed.
    InThePast,
    /// The quantity is lower than the quantity that was already produced, which is `limit`.
    BelowProduced,
    /// A begin outside the shifts of `station`. `hours` are the shifts of that day.
    OutsideShifts,
    /// The property `key` is locked at the site, and would get another value.
    LockedProperty,
    /// The property `key` starts with `prefix`, which the platform reserves.
    ReservedKey,
    /// No row of the sheet `sheet` has the key of this part.
    NoParent,
    /// Several rows of the sheet `sheet` have the key of this part.
    ManyParents,
    /// The rows `rows` of the sheet `sheet` are parts of this row's item and have errors.
    PartsWrong,
}

impl Words {
    #[must_use]
    pub fn severity_text(&self, severity: Severity) -> String {
        self.text(&["severity", &serialized_name(severity)], &BTreeMap::new())
    }

    #[must_use]
    pub fn finding_text(&self, code: FindingCode, parameters: &BTreeMap<String, String>) -> String {
        let code = serialized_name(code);
        // A quote without further lines has a different sentence.
        let is_alone =
            parameters.get("lines").is_some_and(|lines| lines == "0") && self.has_text(&["finding-alone", &code]);
        let section = if is_alone { "finding-alone" } else { "finding" };
        self.with_suggestion(self.text(&[section, &code], parameters), parameters)
    }
}
