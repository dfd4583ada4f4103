//! Mappings define which column fills which field, and by which rules. They can be files, are remembered from one
//! week's file to the next, and are shown and changed in the window.
//!
//! Owns the mapping file, which is written next to a workbook, shared, and used by `--mapping`.

mod rules;
mod stored_layout;
mod values;
mod view;

use std::{collections::BTreeMap, fs, path::Path};

pub(crate) use self::{
    rules::{FieldRule, MappingRules, is_clearable},
    stored_layout::{
        NearestMapping, StoredMapping, adapt_stored, column_names, find_nearest_mapping, headings_fingerprint,
    },
    values::field_values,
    view::{format_views, needs_decision},
};
pub use self::{
    values::{FieldValue, FieldValues},
    view::{
        ChangeKind, FormatCertainty, FormatExample, FormatKind, FormatView, JoinedView, LayoutChange, MappingChange,
    },
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use takt_contract::without_byte_order_mark;
use takt_core::{Code, Problem, Words, write_file};

/// Maximum bytes of a mapping file, more than any real mapping has.
const MAX_MAPPING_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// The mapping of columns to fields, and the rules for reading rows. Columns are named by their heading. Further
/// columns with the same heading are `Heading (2)`, and any column can be named by its letter as `[C]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MappingFile {
    pub operation: String,
    /// The list that the rows are members of, for example `rawMaterials`. `None` if the rows are items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// 1-based, as Excel shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header_row: Option<u32>,
    /// Field paths by heading. A heading that isn't named here stays unmatched. If a heading occurs twice, the mapping
    /// names both columns, with an empty list for the unused one. Or it names one of them by its letter.
    pub columns: BTreeMap<String, Fields>,
    /// By heading, the formats of the column's texts if the texts don't prove them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub formats: BTreeMap<String, FormatChoices>,
    /// By field without a column, the text for every row.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub constants: BTreeMap<String, String>,
    /// By field, the replacements of the file's texts. An empty replacement makes the cell empty.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, BTreeMap<String, String>>,
    /// By field, the meaning of an empty cell. Fields that aren't listed have [`Blank::Leave`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub blank: BTreeMap<String, Blank>,
    /// By text field, the columns whose texts are joined.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub joined: BTreeMap<String, JoinedColumns>,
    /// Texts that are replaced in whole columns before reading, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replacements: Vec<Replacement>,
    /// True if the first row of merged cells is copied into the rows below it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fill_merged: bool,
    /// Excluded rows, by business key with its parts joined by ` · `.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<String>,
}

/// Replaces the text of every cell in a column that shows exactly `from`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    pub heading: String,
    pub from: String,
    pub to: String,
}

/// The field or fields that one column fills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a field's path, or a list of them")]
pub enum Fields {
    One(String),
    Several(Vec<String>),
}

/// The user's choice of how a column's texts are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FormatChoice {
    /// `DD/MM/YYYY`
    DayFirst,
    /// `MM/DD/YYYY`
    MonthFirst,
    /// `YY-MM-DD`
    YearFirst,
    /// `1.234,56`
    Comma,
    /// `1,234.56`
    Point,
    /// `50-` and `(50)` are negative.
    Negative,
    /// `7.5` is seven hours and a half.
    Hours,
    /// `450` is seven hours and a half.
    Minutes,
    /// `1.5` is 36 hours.
    Days,
    /// `KW 50` is the Monday of that week.
    Monday,
    /// `KW 50` is the Friday of that week.
    Friday,
    /// `KW 50` is the Sunday of that week.
    Sunday,
}

/// The choices for one column: at most one per kind of format. In a mapping, one choice is a text, and several are a
/// list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "OneOrSeveral", into = "OneOrSeveral")]
pub struct FormatChoices {
    decimals: Option<FormatChoice>,
    negatives: Option<FormatChoice>,
    date_order: Option<FormatChoice>,
    duration_unit: Option<FormatChoice>,
    week_day: Option<FormatChoice>,
}

impl FormatChoices {
    /// Adds a choice, which replaces another one of its kind.
    pub(crate) fn set(&mut self, choice: FormatChoice) {
        *self.choice_mut(choice.kind()) = Some(choice);
    }

    /// Removes the choice of a kind.
    pub(crate) fn clear(&mut self, kind: FormatKind) {
        *self.choice_mut(kind) = None;
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = FormatChoice> {
        let Self { decimals, negatives, date_order, duration_unit, week_day } = self;
        [decimals, negatives, date_order, duration_unit, week_day].into_iter().flatten()
    }

    pub(crate) fn is_empty(self) -> bool {
        self.iter().next().is_none()
    }

    fn choice_mut(&mut self, kind: FormatKind) -> &mut Option<FormatChoice> {
        match kind {
            FormatKind::Decimals => &mut self.decimals,
            FormatKind::Negatives => &mut self.negatives,
            FormatKind::DateOrder => &mut self.date_order,
            FormatKind::DurationUnit => &mut self.duration_unit,
            FormatKind::WeekDay => &mut self.week_day,
        }
    }
}

impl FromIterator<FormatChoice> for FormatChoices {
    fn from_iter<I: IntoIterator<Item = FormatChoice>>(choices: I) -> Self {
        let mut all = Self::default();
        choices.into_iter().for_each(|choice| all.set(choice));
        all
    }
}

/// The stored form of [`FormatChoices`].
#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected one or a list of day-first, month-first, year-first, comma, point, negative, hours, minutes, \
                 days, monday, friday, sunday"
)]
enum OneOrSeveral {
    One(FormatChoice),
    Several(Vec<FormatChoice>),
}

impl From<OneOrSeveral> for FormatChoices {
    fn from(stored: OneOrSeveral) -> Self {
        match stored {
            OneOrSeveral::One(choice) => [choice].into_iter().collect(),
            OneOrSeveral::Several(choices) => choices.into_iter().collect(),
        }
    }
}

impl From<FormatChoices> for OneOrSeveral {
    fn from(choices: FormatChoices) -> Self {
        let all: Vec<FormatChoice> = choices.iter().collect();
        match all.as_slice() {
            [only] => Self::One(*only),
            _ => Self::Several(all),
        }
    }
}

/// The meaning of an empty cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum Blank {
    /// The member isn't sent, so that the service's value stays.
    #[default]
    Leave,
    /// Clears the service's value, with null if the field allows it, otherwise with an empty text.
    Clear,
}

/// Several columns whose texts are joined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JoinedColumns {
    pub headings: Vec<String>,
    /// The separator between the texts. Empty texts are left out with their separator.
    #[serde(default = "default_separator")]
    pub with: String,
}

/// Why a text can't be read as a mapping.
#[derive(Debug, thiserror::Error)]
pub enum MappingError {
    /// An invalid member. `path` names it, with the heading or field in it.
    #[error("{path}: {cause}")]
    Member { path: String, cause: serde_json::Error },
    #[error(transparent)]
    Json(serde_json::Error),
}

/// The mappings of several sheets of one workbook, as one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanMapping {
    /// One mapping per sheet, with the sheet's name.
    pub sheets: Vec<MappingFile>,
}

impl PlanMapping {
    /// Returns the JSON that [`MappingFile::read_all`] reads. A single sheet's mapping isn't wrapped.
    pub(crate) fn to_value(mut sheets: Vec<MappingFile>) -> Option<serde_json::Value> {
        let value = match sheets.len() {
            0 | 1 => serde_json::to_value(sheets.pop()?),
            _ => serde_json::to_value(Self { sheets }),
        };
        value.ok()
    }

    /// Writes the file for [`MappingFile::read_all`]. An existing file is only replaced by a complete one.
    ///
    /// # Errors
    ///
    /// [`Code::WriteFailed`]: the file can't be written.
    pub fn write(&self, path: &Path) -> Result<(), Problem> {
        match self.sheets.as_slice() {
            [sheet] => write_json(sheet, path),
            _ => write_json(self, path),
        }
    }
}

impl MappingFile {
    /// Reads the mappings of all sheets from a file with one or several mappings.
    ///
    /// # Errors
    ///
    /// - [`Code::FileUnreadable`]: the file can't be read.
    /// - [`Code::FileTooLarge`]: the file exceeds the size limit.
    /// - [`Code::MappingRefused`]: the file contains neither a mapping nor a list of mappings. The problem names the
    ///   member.
    pub fn read_all(path: &Path) -> Result<Vec<Self>, Problem> {
        let text = read_text(path)?;
        let several =
            serde_json::from_slice::<serde_json::Value>(&text).is_ok_and(|value| value.get("sheets").is_some());
        let read = if several {
            parse_json::<PlanMapping>(&text).map(|plan| plan.sheets)
        } else {
            Self::from_json(&text).map(|mapping| vec![mapping])
        };
        read.map_err(|error| not_a_mapping_problem(path, &error))
    }

    /// Reads the mappings of all sheets from their form in a submission.
    ///
    /// # Errors
    ///
    /// `serde_json::Error`: the value is neither a mapping nor a list of mappings.
    pub fn parse_all(value: serde_json::Value) -> Result<Vec<Self>, serde_json::Error> {
        if value.get("sheets").is_some() {
            return serde_json::from_value::<PlanMapping>(value).map(|plan| plan.sheets);
        }
        serde_json::from_value(value).map(|mapping| vec![mapping])
    }

    /// Reads a mapping from its file.
    ///
    /// # Errors
    ///
    /// - [`Code::FileUnreadable`]: the file can't be read.
    /// - [`Code::FileTooLarge`]: the file exceeds the size limit.
    /// - [`Code::MappingRefused`]: the file isn't a mapping. The problem names the member.
    pub fn read(path: &Path) -> Result<Self, Problem> {
        Self::from_json(&read_text(path)?).map_err(|error| not_a_mapping_problem(path, &error))
    }

    /// Writes the mapping. An existing file is only replaced by a complete one.
    ///
    /// # Errors
    ///
    /// [`Code::WriteFailed`]: the file can't be written.
    pub fn write(&self, path: &Path) -> Result<(), Problem> {
        write_json(self, path)
    }

    /// Parses a mapping. An unknown member is an error that names it.
    ///
    /// # Errors
    ///
    /// - [`MappingError::Json`]: the text isn't JSON.
    /// - [`MappingError::Member`]: a member is missing, unknown, or of the wrong type.
    pub fn from_json(text: &[u8]) -> Result<Self, MappingError> {
        parse_json(text)
    }

    /// Returns the mapping as readable JSON.
    ///
    /// # Errors
    ///
    /// [`MappingError::Json`]: the mapping can't be serialized.
    pub fn to_json(&self) -> Result<String, MappingError> {
        pretty_json(self)
    }
}

fn read_text(path: &Path) -> Result<Vec<u8>, Problem> {
    let name = path.display().to_string();
    let unreadable = |cause: std::io::Error| Problem::new(Code::FileUnreadable).parameter("file", &name).details(cause);
    if fs::metadata(path).map_err(unreadable)?.len() > MAX_MAPPING_FILE_BYTES {
        return Err(Problem::new(Code::FileTooLarge).parameter("file", &name));
    }
    let text = fs::read(path).map_err(unreadable)?;
    Ok(without_byte_order_mark(&text).to_vec())
}

fn parse_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, MappingError> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let file = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let cause = error.into_inner();
        if path == "." || cause.is_syntax() { MappingError::Json(cause) } else { MappingError::Member { path, cause } }
    })?;
    reader.end().map_err(MappingError::Json)?;
    Ok(file)
}

fn not_a_mapping_problem(path: &Path, error: &MappingError) -> Problem {
    mapping_problem("not-a-mapping", &[("file", &path.display().to_string()), ("reason", &error.to_string())])
}

fn pretty_json(mapping: &impl Serialize) -> Result<String, MappingError> {
    serde_json::to_string_pretty(mapping).map(|text| text + "\n").map_err(MappingError::Json)
}

fn write_json(mapping: &impl Serialize, path: &Path) -> Result<(), Problem> {
    let text = pretty_json(mapping).map_err(|error| Problem::new(Code::Bug).details(error))?;
    write_file(path, text.as_bytes())
}

impl Fields {
    /// Creates fields from paths, or returns `None` if there are none.
    #[must_use]
    pub fn from_paths(mut fields: Vec<String>) -> Option<Self> {
        if fields.len() > 1 { Some(Self::Several(fields)) } else { fields.pop().map(Self::One) }
    }

    #[must_use]
    pub fn paths(&self) -> &[String] {
        match self {
            Self::One(field) => std::slice::from_ref(field),
            Self::Several(fields) => fields,
        }
    }
}

impl From<&str> for Fields {
    fn from(field: &str) -> Self {
        Self::One(field.to_owned())
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(value: &bool) -> bool {
    !value
}

fn default_separator() -> String {
    " ".to_owned()
}

/// Returns a [`Code::MappingRefused`] problem with the text of `obstacle` in the language files' section `obstacle`.
pub(crate) fn mapping_problem(obstacle: &str, parameters: &[(&str, &str)]) -> Problem {
    let filled: BTreeMap<String, String> =
        parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let what = Words::english().text(&["obstacle", obstacle], &filled);
    let problem = Problem::new(Code::MappingRefused).parameter("obstacle", obstacle).parameter("what", what);
    filled.into_iter().fold(problem, |problem, (name, value)| problem.parameter(&name, value))
}
