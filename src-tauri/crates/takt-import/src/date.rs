//! Dates written as text. A leading four-digit year is unambiguous. Any other order is decided for the whole column.
//! Time zones aren't applied, so dates are sent as typed.

use jiff::civil::{Date, DateTime, Time};

use crate::{
    invisible_characters::{is_space, trim_blank},
    week::{self, WeekDay, WeekError},
};

/// Maximum bytes of a suffix such as `p. m.`, including its spaces.
const MAX_HALF_DAY_LENGTH: usize = 16;

/// The order in which a column writes day, month and year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateOrder {
    /// No text in the column depends on the order.
    Unneeded,
    /// `proofs` of `total` texts prove the order. Without proofs, the user chose it.
    DayFirst {
        proofs: u32,
        total: u32,
    },
    MonthFirst {
        proofs: u32,
        total: u32,
    },
    YearFirst {
        proofs: u32,
        total: u32,
    },
    /// Each of these orders fits every text, so the user must choose one.
    Unknown(DateOrders),
    /// No order fits every text, so the texts can't be read.
    Mixed,
}

/// A set of orders, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DateOrders(u8);

impl DateOrders {
    const NONE: Self = Self(0);
    pub(crate) const DAY_FIRST: Self = Self(1);
    pub(crate) const MONTH_FIRST: Self = Self(2);
    pub(crate) const YEAR_FIRST: Self = Self(4);
    const ALL: Self = Self(7);
    const COUNT: usize = 8;
    const SINGLE: [Self; 3] = [Self::DAY_FIRST, Self::MONTH_FIRST, Self::YEAR_FIRST];

    const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    const fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(crate) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Counts of a column's texts by the orders that fit them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DateOrderCounts {
    /// Number of texts that need an order, by the set of orders that fit.
    counts_by_orders: [u32; DateOrders::COUNT],
    /// Number of texts that are day-first by their form alone, such as `23.11.2026`.
    day_first_by_form: u32,
    /// Number of calendar weeks without a day.
    weeks: u32,
}

impl DateOrderCounts {
    pub(crate) fn add_text(&mut self, text: &str) {
        // Fast path for the most frequent form.
        if is_year_first(text.as_bytes()) {
            return;
        }
        self.add_any_text(text);
    }

    fn add_any_text(&mut self, text: &str) {
        let Some(parts) = DateParts::from_text(text) else {
            self.weeks += u32::from(week::needs_day(text));
            return;
        };
        if parts.is_day_first_only() {
            self.day_first_by_form += 1;
            return;
        }
        if let (fitting, false) = parts.fitting_orders()
            && let Some(count) = self.counts_by_orders.get_mut(usize::from(fitting.0))
        {
            *count += 1;
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.counts_by_orders.iter_mut().zip(other.counts_by_orders).for_each(|(count, other)| *count += other);
        self.day_first_by_form += other.day_first_by_form;
        self.weeks += other.weeks;
    }

    /// Returns the number of texts that name a week without a day.
    pub(crate) fn weeks(self) -> u32 {
        self.weeks
    }

    /// Returns the number of texts that need an order.
    pub(crate) fn order_dependent_texts(self) -> u32 {
        self.fitting_sets().map(|(_, count)| count).sum()
    }

    /// Returns each set of fitting orders with its number of texts. Texts that no order fits are left out, since they
    /// prove nothing.
    fn fitting_sets(self) -> impl Iterator<Item = (DateOrders, u32)> {
        let sets = (0..).map(DateOrders).zip(self.counts_by_orders);
        sets.filter(|&(set, count)| set != DateOrders::NONE && count > 0)
    }

    pub(crate) fn order(self) -> DateOrder {
        let mut total = self.order_dependent_texts();
        if total == 0 {
            return DateOrder::Unneeded;
        }
        let mut common = self.fitting_sets().fold(DateOrders::ALL, |common, (set, _)| common.intersection(set));
        let any_fits = self.fitting_sets().fold(DateOrders::NONE, |any, (set, _)| any.union(set));
        let years_last = common.difference(DateOrders::YEAR_FIRST);
        let are_years_last = self.day_first_by_form > 0 && years_last != common && years_last != DateOrders::NONE;
        if are_years_last {
            (common, total) = (years_last, total + self.day_first_by_form);
        }
        let rules_out = |set: DateOrders| set == common || (!are_years_last && set != any_fits);
        let proofs: u32 = self.fitting_sets().filter(|&(set, _)| rules_out(set)).map(|(_, count)| count).sum();
        let proofs = if are_years_last { proofs + self.day_first_by_form } else { proofs };
        match common {
            DateOrders::NONE => DateOrder::Mixed,
            DateOrders::DAY_FIRST => DateOrder::DayFirst { proofs, total },
            DateOrders::MONTH_FIRST => DateOrder::MonthFirst { proofs, total },
            DateOrders::YEAR_FIRST => DateOrder::YearFirst { proofs, total },
            _ => DateOrder::Unknown(common),
        }
    }
}

/// A date-time as it was typed, with its offset if it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TypedDateTime {
    pub(crate) at: DateTime,
    /// Minutes east of UTC.
    pub(crate) offset: Option<i32>,
}

/// Why a text can't be read as a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateError {
    NotADate,
    Ambiguous,
    /// A calendar week, and the column's weekday isn't chosen.
    WeekWithoutDay,
}

/// Reads `2026-11-23`, `2026-11-23T08:15:00Z`, `23.11.2026 08:15`, `23.11.26`, `26-11-23`, `23/11/2026` or `11/23/2026`
/// by the column's order, and `KW 48` as the column's weekday in that week.
pub(crate) fn parse(text: &str, order: DateOrder, day: WeekDay) -> Result<TypedDateTime, DateError> {
    if let Some(typed) = parse_fast(text.as_bytes()) {
        return Ok(typed);
    }
    match parse_any(text, order) {
        Err(DateError::NotADate) => match week::parse(text, day) {
            Ok(date) => Ok(TypedDateTime { at: date.to_datetime(Time::midnight()), offset: None }),
            Err(WeekError::WithoutDay) => Err(DateError::WeekWithoutDay),
            Err(WeekError::NotAWeek) => Err(DateError::NotADate),
        },
        other => other,
    }
}

/// Returns true if a text looks like the most frequent form, even if there is no such day. Such a text needs no order
/// and isn't a week.
#[inline]
fn is_year_first(text: &[u8]) -> bool {
    let Some(day) = text.first_chunk::<10>() else { return false };
    let is_day = day
        .iter()
        .zip(b"0000-00-00")
        .fold(true, |is, (&byte, &like)| is & if like == b'-' { byte == b'-' } else { byte.is_ascii_digit() });
    is_day && (text.len() == 10 || text.get(13) == Some(&b':'))
}

/// Reads the most frequent form, `2026-11-23`, optionally followed by ` 08:15` or `T08:15:30`.
#[inline]
pub(crate) fn parse_fast(text: &[u8]) -> Option<TypedDateTime> {
    let pair = |at: usize| match text.get(at..at + 2)? {
        &[tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => i8::try_from((tens - b'0') * 10 + (ones - b'0')).ok(),
        _ => None,
    };
    let is = |at: usize, signs: &[u8]| text.get(at).is_some_and(|sign| signs.contains(sign));
    let shape = match text.len() {
        10 => true,
        16 => is(10, b" Tt") && is(13, b":"),
        19 => is(10, b" Tt") && is(13, b":") && is(16, b":"),
        _ => false,
    };
    if !shape || !is(4, b"-") || !is(7, b"-") {
        return None;
    }
    let year = i16::from(pair(0)?) * 100 + i16::from(pair(2)?);
    let date = to_date(year, i16::from(pair(5)?), i16::from(pair(8)?)).ok()?;
    let time = match text.len() {
        10 => Time::midnight(),
        16 => Time::new(pair(11)?, pair(14)?, 0, 0).ok()?,
        _ => Time::new(pair(11)?, pair(14)?, pair(17)?, 0).ok()?,
    };
    Some(TypedDateTime { at: date.to_datetime(time), offset: None })
}

fn parse_any(text: &str, order: DateOrder) -> Result<TypedDateTime, DateError> {
    let (day, rest) = split_time(trim_blank(text));
    let date = match split_numbers(day) {
        Some((a, '-' | '/' | '.', b, c)) if a.len() == 4 => {
            to_date(parse_number(a)?, parse_number(b)?, parse_number(c)?)?
        }
        Some((first, separator, second, third)) => {
            DateParts::new(first, separator, second, third).ok_or(DateError::NotADate)?.date(order)?
        }
        None => return Err(DateError::NotADate),
    };
    let (time, offset) = parse_clock(rest)?;
    Ok(TypedDateTime { at: date.to_datetime(time), offset })
}

/// Three numbers that form a date in some order.
#[derive(Debug, Clone, Copy)]
struct DateParts<'t> {
    first: &'t str,
    second: &'t str,
    third: &'t str,
    /// The orders that the separator and the numbers' lengths allow.
    orders: DateOrders,
}

impl<'t> DateParts<'t> {
    /// Returns `None` if the separator or the numbers' lengths fit no order, for example if a four-digit year comes
    /// first.
    fn new(first: &'t str, separator: char, second: &'t str, third: &'t str) -> Option<Self> {
        let (is_short, is_day) = (third.len() == 2, |text: &str| text.len() <= 2);
        if !matches!(separator, '-' | '/' | '.')
            || !is_day(first)
            || !is_day(second)
            || !(is_day(third) || third.len() == 4)
        {
            return None;
        }
        let mut orders = DateOrders::NONE;
        if is_short || third.len() == 4 {
            orders = orders.union(DateOrders::DAY_FIRST);
            // With dots, the day comes before the month in every country.
            if separator != '.' {
                orders = orders.union(DateOrders::MONTH_FIRST);
            }
        }
        if first.len() == 2 && is_day(third) {
            orders = orders.union(DateOrders::YEAR_FIRST);
        }
        (orders != DateOrders::NONE).then_some(Self { first, second, third, orders })
    }

    /// Parses the numbers of a text's date. A time may follow.
    fn from_text(text: &'t str) -> Option<Self> {
        let text = trim_blank(text);
        // Three leading digits belong to a four-digit year.
        if text.as_bytes().get(..3).is_some_and(|first| first.iter().all(u8::is_ascii_digit)) {
            return None;
        }
        let (first, separator, second, third) = split_numbers(split_time(text).0)?;
        Self::new(first, separator, second, third)
    }

    fn is_day_first_only(self) -> bool {
        self.orders == DateOrders::DAY_FIRST
    }

    /// Returns the date that the numbers form in this order.
    fn date_in_order(self, order: DateOrders) -> Result<Date, DateError> {
        let Self { first, second, third, orders } = self;
        match order {
            _ if !orders.contains(order) => Err(DateError::NotADate),
            DateOrders::DAY_FIRST => to_date(parse_year(third)?, parse_number(second)?, parse_number(first)?),
            DateOrders::MONTH_FIRST => to_date(parse_year(third)?, parse_number(first)?, parse_number(second)?),
            _ => to_date(parse_year(first)?, parse_number(second)?, parse_number(third)?),
        }
    }

    /// Returns the orders in which the numbers are a date, and whether every possible order gives the same date.
    fn fitting_orders(self) -> (DateOrders, bool) {
        let mut fitting = DateOrders::NONE;
        let mut dates = Vec::with_capacity(DateOrders::SINGLE.len());
        for order in DateOrders::SINGLE {
            if let Ok(date) = self.date_in_order(order) {
                fitting = fitting.union(order);
                dates.push(date);
            }
        }
        let are_same = dates.windows(2).all(|pair| matches!(pair, [a, b] if a == b));
        (fitting, fitting == self.orders && are_same && dates.len() > 1)
    }

    fn date(self, order: DateOrder) -> Result<Date, DateError> {
        match order {
            _ if self.is_day_first_only() => self.date_in_order(DateOrders::DAY_FIRST),
            DateOrder::DayFirst { .. } => self.date_in_order(DateOrders::DAY_FIRST),
            DateOrder::MonthFirst { .. } => self.date_in_order(DateOrders::MONTH_FIRST),
            DateOrder::YearFirst { .. } => self.date_in_order(DateOrders::YEAR_FIRST),
            DateOrder::Unneeded | DateOrder::Unknown(_) | DateOrder::Mixed => match self.fitting_orders() {
                (DateOrders::NONE, _) => Err(DateError::NotADate),
                (_, true) => self.date_in_order(DateOrders::DAY_FIRST),
                _ => Err(DateError::Ambiguous),
            },
        }
    }
}

/// Splits a text such as `2026-11-23T08:15`, `23.11.2026 08:15` or `11/23/2026, 8:15 AM` into the day and the time.
fn split_time(text: &str) -> (&str, &str) {
    let between = |letter: char| matches!(letter, 'T' | 't') || is_space(letter);
    let Some((day, time)) = text.split_once(between) else { return (text, "") };
    let day = if text.get(day.len()..).is_some_and(|rest| rest.starts_with(is_space)) {
        day.strip_suffix(',').unwrap_or(day)
    } else {
        day
    };
    (day, time.trim_matches(is_space))
}

/// Splits three numbers with the same separator between them.
fn split_numbers(day: &str) -> Option<(&str, char, &str, &str)> {
    let separator = day.chars().find(|letter| !letter.is_ascii_digit())?;
    let mut parts = day.split(separator);
    let found = (parts.next()?, separator, parts.next()?, parts.next()?);
    let digits = |part: &str| !part.is_empty() && part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    (parts.next().is_none() && digits(found.0) && digits(found.2) && digits(found.3)).then_some(found)
}

/// Parses a year. Two digits mean this century, since plans look ahead.
fn parse_year(text: &str) -> Result<i16, DateError> {
    parse_number(text).map(|year| if text.len() == 2 { 2000 + year } else { year })
}

fn parse_number(text: &str) -> Result<i16, DateError> {
    text.parse().map_err(|_| DateError::NotADate)
}

fn to_date(year: i16, month: i16, day: i16) -> Result<Date, DateError> {
    let small = |value: i16| i8::try_from(value).map_err(|_| DateError::NotADate);
    if !(1900..=9999).contains(&year) {
        return Err(DateError::NotADate);
    }
    Date::new(year, small(month)?, small(day)?).map_err(|_| DateError::NotADate)
}

/// Parses `08:15[:30[.123]]` with an optional `Z`, `+01:00`, `-0300`, `AM` or `PM`. An empty text is midnight.
fn parse_clock(text: &str) -> Result<(Time, Option<i32>), DateError> {
    if text.is_empty() {
        return Ok((Time::midnight(), None));
    }
    if let Some((time, half)) = split_half_day(text) {
        return Ok((parse_time_of_day(time, Some(half))?, None));
    }
    let (time, offset) = if let Some(time) = text.strip_suffix(['Z', 'z']) {
        (time, Some(0))
    } else if let Some(at) = text.rfind(['+', '-']) {
        (text.get(..at).unwrap_or_default(), Some(parse_offset(text.get(at..).unwrap_or_default())?))
    } else {
        (text, None)
    };
    parse_time_of_day(time.trim_matches(is_space), None).map(|time| (time, offset))
}

/// Half of the day on a 12-hour clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HalfDay {
    Am,
    Pm,
}

/// Returns the time in front of `AM`, `p.m.` or `p. m.`, and the half of the day.
fn split_half_day(text: &str) -> Option<(&str, HalfDay)> {
    let end = text.rfind(|letter: char| letter.is_ascii_digit())? + 1;
    let (time, after) = text.split_at_checked(end)?;
    if after.len() > MAX_HALF_DAY_LENGTH {
        return None;
    }
    let letters: String = after.chars().filter(|&letter| letter != '.' && !is_space(letter)).collect();
    match letters.to_ascii_lowercase().as_str() {
        "am" => Some((time, HalfDay::Am)),
        "pm" => Some((time, HalfDay::Pm)),
        _ => None,
    }
}

/// Parses `08:15[:30[.123]]`. On a 12-hour clock, hours are 1 to 12 and minutes are optional.
fn parse_time_of_day(text: &str, half: Option<HalfDay>) -> Result<Time, DateError> {
    let mut parts = text.split(':');
    let mut next_number = || parts.next().map_or(Ok(None), |part| parse_two_digits(part).map(Some));
    let (hour, minute) = (next_number()?.ok_or(DateError::NotADate)?, next_number()?);
    let minute = minute.or(half.map(|_| 0)).ok_or(DateError::NotADate)?;
    let hour = match half {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return Err(DateError::NotADate),
        Some(HalfDay::Am) => hour % 12,
        Some(HalfDay::Pm) => hour % 12 + 12,
    };
    let seconds = parts.next().unwrap_or("0");
    if parts.next().is_some() {
        return Err(DateError::NotADate);
    }
    let (second, fraction) = seconds.split_once(['.', ',']).unwrap_or((seconds, ""));
    if fraction.len() > 9 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(DateError::NotADate);
    }
    let nanoseconds: i32 = format!("{fraction:0<9}").parse().map_err(|_| DateError::NotADate)?;
    Time::new(hour, minute, parse_two_digits(second)?, nanoseconds).map_err(|_| DateError::NotADate)
}

/// Parses one or two digits, without a sign.
fn parse_two_digits(text: &str) -> Result<i8, DateError> {
    let is_short = text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_short).ok_or(DateError::NotADate)
}

fn parse_offset(text: &str) -> Result<i32, DateError> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits: String = text.chars().skip(1).filter(|&letter| letter != ':').collect();
    if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(DateError::NotADate);
    }
    let value: i32 = digits.parse().map_err(|_| DateError::NotADate)?;
    let minutes = value / 100 * 60 + value % 100;
    if value % 100 < 60 && minutes <= 14 * 60 { Ok(sign * minutes) } else { Err(DateError::NotADate) }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn column(texts: &[&str]) -> DateOrder {
        let mut evidence = DateOrderCounts::default();
        for text in texts {
            evidence.add_text(text);
        }
        evidence.order()
    }

    #[test]
    fn a_column_proves_its_order() {
        assert_eq!(column(&["23.11.2026", "2026-01-02"]), DateOrder::Unneeded);
        assert_eq!(column(&["01/02/2026", "31/01/2026"]), DateOrder::DayFirst { proofs: 1, total: 2 });
        assert_eq!(column(&["01/02/2026", "01/31/2026"]), DateOrder::MonthFirst { proofs: 1, total: 2 });
        assert_eq!(column(&["01/02/2026"]), DateOrder::Unknown(DAY_OR_MONTH));
        assert_eq!(column(&["01/02/26", "31/01/2026"]), DateOrder::DayFirst { proofs: 1, total: 2 });
        assert_eq!(column(&["31/01/2026", "01/31/2026"]), DateOrder::Mixed);
        assert_eq!(column(&["05/05/2026"]), DateOrder::Unneeded);
    }

    const DAY_OR_MONTH: DateOrders = DateOrders::DAY_FIRST.union(DateOrders::MONTH_FIRST);
    const DAY_OR_YEAR: DateOrders = DateOrders::DAY_FIRST.union(DateOrders::YEAR_FIRST);

    #[test]
    fn every_order_that_fits_years_of_two_digits_is_considered() {
        assert_eq!(column(&["27-01-28", "27-02-15", "27-03-18"]), DateOrder::Unknown(DAY_OR_YEAR));
        assert_eq!(column(&["10-11-12"]), DateOrder::Unknown(DateOrders::ALL));
        assert_eq!(column(&["05/05/26"]), DateOrder::Unknown(DateOrders::ALL));
        assert_eq!(column(&["27.01.28"]), DateOrder::Unknown(DAY_OR_YEAR));
        assert_eq!(column(&["45-01-28", "27-01-28"]), DateOrder::YearFirst { proofs: 1, total: 2 });
        assert_eq!(column(&["30-02-28"]), DateOrder::YearFirst { proofs: 1, total: 1 });
        assert_eq!(column(&["27-1-8"]), DateOrder::YearFirst { proofs: 1, total: 1 });
        assert_eq!(column(&["27.01.28", "3.2.28"]), DateOrder::DayFirst { proofs: 1, total: 2 });
        assert_eq!(column(&["27.01.28", "27.01.2028"]), DateOrder::DayFirst { proofs: 1, total: 2 });
        assert_eq!(column(&["27-01-28", "1/2/2028"]), DateOrder::DayFirst { proofs: 2, total: 2 });
        assert_eq!(column(&["3.12.26", "23.11.2026"]), DateOrder::Unneeded);
        let year_first = DateOrder::YearFirst { proofs: 0, total: 1 };
        for (text, expected) in
            [("27-01-28", date(2027, 1, 28)), ("10/11/12", date(2010, 11, 12)), ("27.1.8", date(2027, 1, 8))]
        {
            let read = parse(text, year_first, WeekDay::Unneeded).map(|read| read.at.date());
            assert_eq!(read, Ok(expected), "{text}");
            assert_eq!(
                parse(text, DateOrder::Unneeded, WeekDay::Unneeded).map(|read| read.at.date()),
                Err(DateError::Ambiguous)
            );
        }
        assert_eq!(parse("31/31/2026", DateOrder::Unneeded, WeekDay::Unneeded), Err(DateError::NotADate));
    }

    #[test]
    fn the_short_way_reads_as_the_long_one() {
        let mut state = 7_u64;
        println!("seed {state}");
        let mut next = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let (mut short, mut clear) = (0, 0);
        for _ in 0..200_000 {
            let mut text: Vec<u8> = b"2026-11-23T08:15:30"[..[10, 16, 19][next(3)]].to_vec();
            for _ in 0..next(4) {
                let at = next(text.len());
                text[at] = b"0123456789-:T /.ZKW"[next(19)];
            }
            if is_year_first(&text) {
                clear += 1;
                let (mut seen, text) = (DateOrderCounts::default(), std::str::from_utf8(&text).unwrap());
                seen.add_any_text(text);
                assert_eq!((seen.order_dependent_texts(), seen.weeks()), (0, 0), "{text}");
            }
            if let Some(written) = parse_fast(&text) {
                assert!(is_year_first(&text), "what can be read is never looked at closer");
                short += 1;
                assert_eq!(
                    parse_any(std::str::from_utf8(&text).unwrap(), DateOrder::Unneeded),
                    Ok(written),
                    "{text:?}"
                );
            }
        }
        assert!(short > 10_000 && clear > short, "{short} {clear}");
    }

    #[test]
    fn dates_are_read_as_typed() {
        let parse = |text, order| parse(text, order, WeekDay::Unneeded);
        let plain = |text| parse(text, DateOrder::Unneeded).map(|written| written.at);
        assert_eq!(plain("2026-11-23"), Ok(date(2026, 11, 23).at(0, 0, 0, 0)));
        assert_eq!(plain("23.11.2026 8:15"), Ok(date(2026, 11, 23).at(8, 15, 0, 0)));
        assert_eq!(plain("2026-11-23T08:15:30.5"), Ok(date(2026, 11, 23).at(8, 15, 30, 500_000_000)));
        assert_eq!(plain("05/05/2026"), Ok(date(2026, 5, 5).at(0, 0, 0, 0)));
        assert_eq!(plain("3.12.26"), Ok(date(2026, 12, 3).at(0, 0, 0, 0)));
        assert_eq!(plain("05/05/2026 08:15"), Ok(date(2026, 5, 5).at(8, 15, 0, 0)));
        assert_eq!(plain("03/12/26"), Err(DateError::Ambiguous));
        assert_eq!(plain("KW 50"), Err(DateError::WeekWithoutDay));
        assert_eq!(plain("01/02/2026"), Err(DateError::Ambiguous));
        assert_eq!(parse("2026-11-23T08:00:00Z", DateOrder::Unneeded).map(|written| written.offset), Ok(Some(0)));
        assert_eq!(parse("2026-11-23 08:00-0330", DateOrder::Unneeded).map(|written| written.offset), Ok(Some(-210)));
        let first = parse("01/02/2026", DateOrder::DayFirst { proofs: 1, total: 1 }).map(|written| written.at.date());
        assert_eq!(first, Ok(date(2026, 2, 1)));
        for (text, hour, minute) in [
            ("12/13/2026, 3:27 PM", 15, 27),
            ("12/13/2026 3:27 p.m.", 15, 27),
            ("12/13/2026 3:27\u{202f}PM", 15, 27),
            ("12/13/2026,\u{a0}3:27\u{a0}p.\u{a0}m.", 15, 27),
            ("12/13/2026\u{a0}15:27", 15, 27),
            ("12/13/2026\u{202f}15:27", 15, 27),
            ("12/13/2026 12:05 AM", 0, 5),
            ("12/13/2026 12:05 PM", 12, 5),
            ("12/13/2026 3:27pm", 15, 27),
            ("12/13/2026 11 am", 11, 0),
            ("2026-12-13T03:27 PM", 15, 27),
        ] {
            let read = parse(text, DateOrder::MonthFirst { proofs: 1, total: 1 }).map(|written| written.at);
            assert_eq!(read, Ok(date(2026, 12, 13).at(hour, minute, 0, 0)), "{text}");
        }
        assert_eq!(
            column(&["12/13/2026, 3:27 PM", "01/02/2026\u{a0}3:27 PM"]),
            DateOrder::MonthFirst { proofs: 1, total: 2 }
        );
        for text in [
            "2026-11-23 13:05 PM",
            "2026-11-23 0:05 AM",
            "2026-11-23 PM",
            "2026-11-23 3:27 PM Z",
            "2026-11-23 3:27 XM",
            "2026-11-23 008:15",
            "2026-11-23 +8:15",
            "2026-11-23,T08:15",
            "2026-11-23 08 :15",
            "",
            "2026-02-30",
            "2026",
            "31/31/2026",
            "1.2.6",
            "1.2.126",
            "tomorrow",
            "2026-11-23T25:00",
            "2026-11-23T08:00+99:00",
            "12:30",
        ] {
            assert!(parse(text, DateOrder::DayFirst { proofs: 1, total: 1 }).is_err(), "{text}");
        }
    }
}
