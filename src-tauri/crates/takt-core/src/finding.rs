//! What a finding says of a row: how bad it is, and which of a closed set of things it is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::words::{Words, name};

/// `error` stops the row, `warning` asks, `note` tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Note,
}

/// What is wrong or doubtful. Each has a text in the language files, section `finding`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FindingCode {
    /// A required field is empty.
    Required,
    /// No column is matched with a required field, and nothing else fills it; told once per field.
    MissingColumn,
    /// Several columns fit the field, and none was chosen; told once per field. `columns` names them, `letter` is one of them.
    SeveralColumns,
    /// Not a number of the field's kind.
    NotANumber,
    /// A text such as `1,375` whose decimal sign nothing in the column proves.
    AmbiguousNumber,
    /// Such a text in a column of which some values prove a decimal comma and others a decimal point.
    MixedNumbers,
    NotAnInteger,
    NotADate,
    /// A text date that is another date in another order of day, month and year, with nothing in the column that proves the order.
    AmbiguousDate,
    /// Such a text in a column whose dates have no order in common.
    MixedDates,
    /// A calendar week, and the day that the column means isn't chosen.
    WeekWithoutDay,
    /// A local time that the site's clock skips, going from `from` to `to` in the time zone `zone`.
    SkippedTime,
    /// A local time that the site's clock shows twice, with the offset `first`, which is sent, and with `second`; `zone` as
    /// above.
    RepeatedTime,
    /// The same if it is sent without an offset, so that the service decides which of both is meant.
    RepeatedLocalTime,
    NotADuration,
    /// A bare number, and the column's unit (hours, minutes or days) isn't chosen.
    DurationWithoutUnit,
    NotABoolean,
    /// `limit` says the bound.
    NotAbove,
    BelowMinimum,
    AboveMaximum,
    TooLong,
    NotAllowed,
    /// `first` doesn't lie before `second`.
    NotBefore,
    /// A number cell with more than 15 digits: Excel has already rounded it.
    TooManyDigits,
    /// A text with more than 15 digits in a number field: a number would be rounded.
    NumberTooLong,
    /// The cell holds an Excel error such as `#REF!`, as an error or as text.
    CellError,
    /// The file's value in this cell is invalid, such as a number with letters.
    CellUnreadable,
    /// A formula whose result was never calculated.
    FormulaWithoutValue,
    /// The cell holds a character that no text has, or one that couldn't be decoded; `character` says which.
    UnreadableCharacter,
    /// A character that can't be seen, within a code, or one that does something to a text, such as a control character; `shown` is
    /// the text with it by code point and name, `character` the first one.
    InvisibleCharacter,
    /// Invisible characters at the edges of a value, which aren't sent; `shown` as above.
    InvisibleRemoved,
    /// A cell of a text file that could be read otherwise in another encoding: `others` says how.
    OtherEncoding,
    /// A quote of a text file opens in the cell and is never closed: `lines` further lines became part of it.
    QuoteNotClosed,
    /// Something follows the closing quote of the cell; `lines` as above.
    TextAfterQuote,
    /// The cell's quotes hold lines that look like rows, or very many lines; `lines` as above.
    QuoteHoldsRows,
    /// A row of a text file has `fields` values, more than the `expected` fields of the header row.
    ExtraFields,
    /// A row of a text file ends after `fields` of the `expected` fields of the header row.
    MissingFields,
    /// The text file ends within the row: without a line end, and after `fields` of `expected` fields.
    CutRow,
    /// A cell of a text file begins with an apostrophe that may guard its text against being taken for a formula.
    FormulaGuard,
    /// A cell of a text file is a formula that is only a text, such as `="00123"`. It is read as that text.
    TextFormula,
    /// A text cell of an OpenDocument file shows `shown`, which isn't the text that it holds.
    ShownOtherwise,
    /// The text file ends with the character that marks the end of a file in DOS. It isn't read.
    EndMark,
    /// The cell may hold only the beginning of a text that is too long for a workbook.
    CutText,
    /// The last row sums up the others and isn't sent.
    TotalsRow,
    /// The same business key stands in another row too; `rows` names them.
    DuplicateKey,
    /// Rows of one item disagree in a field that the item has once.
    GroupDisagrees,
    /// A number cell in a text field whose shown form was kept (leading zeros by format).
    ShownTextKept,
    /// A text date was read in one order; `order` says which.
    DateOrder,
    /// The site holds nothing of this code; `near` is the known one that is most like it.
    UnknownCode,
    /// A promise or a plan for a day that has passed.
    InThePast,
    /// Less than what was produced already; `limit` says how much that is.
    BelowProduced,
    /// A begin outside the shifts of the `station`; `hours` are the shifts of that day.
    OutsideShifts,
    /// The property `key` is locked at the site and would get another value.
    LockedProperty,
    /// The property `key` begins with a `prefix` that the platform keeps for itself.
    ReservedKey,
    /// No row of the sheet `sheet` has the key of this part.
    NoParent,
    /// Several rows of the sheet `sheet` fit the key of this part.
    ManyParents,
    /// The rows `rows` of the sheet `sheet` are parts of this one's item and have errors.
    PartsWrong,
}

impl Words {
    #[must_use]
    pub fn severity(&self, severity: Severity) -> String {
        self.text(&["severity", &name(severity)], &BTreeMap::new())
    }

    #[must_use]
    pub fn finding(&self, code: FindingCode, parameters: &BTreeMap<String, String>) -> String {
        let code = name(code);
        // A quote that no other line became part of has a sentence without them.
        let is_alone = parameters.get("lines").is_some_and(|lines| lines == "0") && self.has(&["finding-alone", &code]);
        let section = if is_alone { "finding-alone" } else { "finding" };
        self.with_suggestion(self.text(&[section, &code], parameters), parameters)
    }
}
