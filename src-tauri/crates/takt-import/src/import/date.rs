//! Dates written as text. A year of four digits that comes first is clear; any other order is decided for the whole column.
//! Nothing here knows a time zone: what was typed is what is sent.

use jiff::civil::{Date, DateTime, Time};

use super::{
    invisible::{is_space, trim_blank},
    week::{self, WeekDay, WeekError},
};

/// Bytes of the longest `p. m.` with its spaces.
const MAX_HALF_DAY_LENGTH: usize = 16;

/// In which order a column writes day, month and a year of two digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// No text in the column needs to know.
    Unneeded,
    /// Proven by so many of so many texts: no other order fits all of them.
    DayFirst {
        proofs: u32,
        of: u32,
    },
    MonthFirst {
        proofs: u32,
        of: u32,
    },
    YearFirst {
        proofs: u32,
        of: u32,
    },
    /// Each of these orders fits every text.
    Unknown(Orders),
    /// No order fits every text: they can't be read.
    Mixed,
}

/// A set of orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Orders(u8);

impl Orders {
    const NONE: Self = Self(0);
    pub(super) const DAY_FIRST: Self = Self(1);
    pub(super) const MONTH_FIRST: Self = Self(2);
    pub(super) const YEAR_FIRST: Self = Self(4);
    const ALL: Self = Self(7);
    const COUNT: usize = 8;
    const EACH: [Self; 3] = [Self::DAY_FIRST, Self::MONTH_FIRST, Self::YEAR_FIRST];

    const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn both(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// What the texts of a column say about their order.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DateOrderCounts {
    /// Texts that need an order, by the set of those that fit.
    fitting: [u32; Orders::COUNT],
    /// Texts that need none and have a day or a year of four digits where others may have a year of two digits.
    years_last: u32,
    /// Calendar weeks whose day is open.
    weeks: u32,
}

impl DateOrderCounts {
    pub(super) fn see(&mut self, text: &str) {
        // Nearly every text is of this form, and there are millions of them.
        if is_year_first(text.as_bytes()) {
            return;
        }
        self.see_any(text);
    }

    fn see_any(&mut self, text: &str) {
        let Some(parts) = DateParts::of_text(text) else {
            self.weeks += u32::from(week::needs_day(text));
            return;
        };
        if parts.needs_no_order() {
            self.years_last += 1;
            return;
        }
        if let (fitting, false) = parts.fitting()
            && let Some(count) = self.fitting.get_mut(usize::from(fitting.0))
        {
            *count += 1;
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.fitting.iter_mut().zip(other.fitting).for_each(|(count, other)| *count += other);
        self.years_last += other.years_last;
        self.weeks += other.weeks;
    }

    /// Texts that name a week and no day.
    pub(super) fn weeks(self) -> u32 {
        self.weeks
    }

    /// Texts that need an order.
    pub(super) fn of(self) -> u32 {
        self.sets().map(|(_, count)| count).sum()
    }

    /// The sets of orders that fit some text, with how many texts they fit. Texts that no order fits prove nothing.
    fn sets(self) -> impl Iterator<Item = (Orders, u32)> {
        let sets = (0..).map(Orders).zip(self.fitting);
        sets.filter(|&(set, count)| set != Orders::NONE && count > 0)
    }

    pub(super) fn verdict(self) -> Order {
        let mut of = self.of();
        if of == 0 {
            return Order::Unneeded;
        }
        let mut common = self.sets().fold(Orders::ALL, |common, (set, _)| common.both(set));
        let some = self.sets().fold(Orders::NONE, |some, (set, _)| some.with(set));
        let years_last = common.without(Orders::YEAR_FIRST);
        let are_years_last = self.years_last > 0 && years_last != common && years_last != Orders::NONE;
        if are_years_last {
            (common, of) = (years_last, of + self.years_last);
        }
        let rules_out = |set: Orders| set == common || (!are_years_last && set != some);
        let proofs: u32 = self.sets().filter(|&(set, _)| rules_out(set)).map(|(_, count)| count).sum();
        let proofs = if are_years_last { proofs + self.years_last } else { proofs };
        match common {
            Orders::NONE => Order::Mixed,
            Orders::DAY_FIRST => Order::DayFirst { proofs, of },
            Orders::MONTH_FIRST => Order::MonthFirst { proofs, of },
            Orders::YEAR_FIRST => Order::YearFirst { proofs, of },
            _ => Order::Unknown(common),
        }
    }
}

/// A date-time as it was typed, with its offset where it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TypedDateTime {
    pub(super) at: DateTime,
    /// Minutes east of UTC.
    pub(super) offset: Option<i32>,
}

/// Why a text is no date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DateError {
    NotADate,
    Ambiguous,
    /// A calendar week, and the day that it means isn't chosen.
    WeekWithoutDay,
}

/// Reads `2026-11-23`, `2026-11-23T08:15:00Z`, `23.11.2026 08:15`, `23.11.26`, `26-11-23`, `23/11/2026` or `11/23/2026` by the column's order,
/// and `KW 48` as the day that the column's weeks stand for.
pub(super) fn parse(text: &str, order: Order, day: WeekDay) -> Result<TypedDateTime, DateError> {
    if let Some(typed) = simple(text.as_bytes()) {
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

/// True for what looks like the most frequent form, whether there is such a day or not: it has neither another order nor a week.
#[inline]
fn is_year_first(text: &[u8]) -> bool {
    let Some(day) = text.first_chunk::<10>() else { return false };
    let is_day = day
        .iter()
        .zip(b"0000-00-00")
        .fold(true, |is, (&byte, &like)| is & if like == b'-' { byte == b'-' } else { byte.is_ascii_digit() });
    is_day && (text.len() == 10 || text.get(13) == Some(&b':'))
}

/// The most frequent form, `2026-11-23` and behind it perhaps ` 08:15` or `T08:15:30`: nothing in it is open.
#[inline]
pub(super) fn simple(text: &[u8]) -> Option<TypedDateTime> {
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
    let date = calendar(year, i16::from(pair(5)?), i16::from(pair(8)?)).ok()?;
    let time = match text.len() {
        10 => Time::midnight(),
        16 => Time::new(pair(11)?, pair(14)?, 0, 0).ok()?,
        _ => Time::new(pair(11)?, pair(14)?, pair(17)?, 0).ok()?,
    };
    Some(TypedDateTime { at: date.to_datetime(time), offset: None })
}

fn parse_any(text: &str, order: Order) -> Result<TypedDateTime, DateError> {
    let (day, rest) = split(trim_blank(text));
    let date = match pieces(day) {
        Some((a, '-' | '/' | '.', b, c)) if a.len() == 4 => calendar(number(a)?, number(b)?, number(c)?)?,
        Some(pieces) => DateParts::new(pieces).ok_or(DateError::NotADate)?.date(order)?,
        None => return Err(DateError::NotADate),
    };
    let (time, offset) = clock(rest)?;
    Ok(TypedDateTime { at: date.to_datetime(time), offset })
}

/// Three numbers that are a date in some order.
#[derive(Debug, Clone, Copy)]
struct DateParts<'t> {
    first: &'t str,
    second: &'t str,
    third: &'t str,
    /// Orders in which such numbers are written.
    orders: Orders,
}

impl<'t> DateParts<'t> {
    /// Absent for numbers that are no date in any order, or whose year comes first with four digits.
    fn new((first, separator, second, third): (&'t str, char, &'t str, &'t str)) -> Option<Self> {
        let (is_short, is_day) = (third.len() == 2, |text: &str| text.len() <= 2);
        if !matches!(separator, '-' | '/' | '.')
            || !is_day(first)
            || !is_day(second)
            || !(is_day(third) || third.len() == 4)
        {
            return None;
        }
        let mut orders = Orders::NONE;
        if is_short || third.len() == 4 {
            orders = orders.with(Orders::DAY_FIRST);
            // With dots the day comes before the month in every country.
            if separator != '.' {
                orders = orders.with(Orders::MONTH_FIRST);
            }
        }
        if first.len() == 2 && is_day(third) {
            orders = orders.with(Orders::YEAR_FIRST);
        }
        (orders != Orders::NONE).then_some(Self { first, second, third, orders })
    }

    /// Of a text with a day and perhaps a time.
    fn of_text(text: &'t str) -> Option<Self> {
        let text = trim_blank(text);
        // A year of four digits comes first.
        if text.as_bytes().get(..3).is_some_and(|first| first.iter().all(u8::is_ascii_digit)) {
            return None;
        }
        Self::new(pieces(split(text).0)?)
    }

    fn needs_no_order(self) -> bool {
        self.orders == Orders::DAY_FIRST
    }

    /// The date in one order.
    fn in_order(self, order: Orders) -> Result<Date, DateError> {
        let Self { first, second, third, orders } = self;
        match order {
            _ if !orders.contains(order) => Err(DateError::NotADate),
            Orders::DAY_FIRST => calendar(year(third)?, number(second)?, number(first)?),
            Orders::MONTH_FIRST => calendar(year(third)?, number(first)?, number(second)?),
            _ => calendar(year(first)?, number(second)?, number(third)?),
        }
    }

    /// The orders in which it is a date, and whether each of them gives the same date.
    fn fitting(self) -> (Orders, bool) {
        let mut fitting = Orders::NONE;
        let mut dates = Vec::with_capacity(Orders::EACH.len());
        for order in Orders::EACH {
            if let Ok(date) = self.in_order(order) {
                fitting = fitting.with(order);
                dates.push(date);
            }
        }
        let are_same = dates.windows(2).all(|pair| matches!(pair, [a, b] if a == b));
        (fitting, fitting == self.orders && are_same && dates.len() > 1)
    }

    fn date(self, order: Order) -> Result<Date, DateError> {
        match order {
            _ if self.needs_no_order() => self.in_order(Orders::DAY_FIRST),
            Order::DayFirst { .. } => self.in_order(Orders::DAY_FIRST),
            Order::MonthFirst { .. } => self.in_order(Orders::MONTH_FIRST),
            Order::YearFirst { .. } => self.in_order(Orders::YEAR_FIRST),
            Order::Unneeded | Order::Unknown(_) | Order::Mixed => match self.fitting() {
                (Orders::NONE, _) => Err(DateError::NotADate),
                (_, true) => self.in_order(Orders::DAY_FIRST),
                _ => Err(DateError::Ambiguous),
            },
        }
    }
}

/// The day and the time of day: `2026-11-23T08:15`, `23.11.2026 08:15`, `11/23/2026, 8:15 AM`.
fn split(text: &str) -> (&str, &str) {
    let between = |letter: char| matches!(letter, 'T' | 't') || is_space(letter);
    let Some((day, time)) = text.split_once(between) else { return (text, "") };
    let day = if text.get(day.len()..).is_some_and(|rest| rest.starts_with(is_space)) {
        day.strip_suffix(',').unwrap_or(day)
    } else {
        day
    };
    (day, time.trim_matches(is_space))
}

/// `a` separator `b` the same separator `c`, all digits.
fn pieces(day: &str) -> Option<(&str, char, &str, &str)> {
    let separator = day.chars().find(|letter| !letter.is_ascii_digit())?;
    let mut parts = day.split(separator);
    let found = (parts.next()?, separator, parts.next()?, parts.next()?);
    let digits = |part: &str| !part.is_empty() && part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    (parts.next().is_none() && digits(found.0) && digits(found.2) && digits(found.3)).then_some(found)
}

/// Two digits are of this century: a plan looks ahead.
fn year(text: &str) -> Result<i16, DateError> {
    number(text).map(|year| if text.len() == 2 { 2000 + year } else { year })
}

fn number(text: &str) -> Result<i16, DateError> {
    text.parse().map_err(|_| DateError::NotADate)
}

fn calendar(year: i16, month: i16, day: i16) -> Result<Date, DateError> {
    let small = |value: i16| i8::try_from(value).map_err(|_| DateError::NotADate);
    if !(1900..=9999).contains(&year) {
        return Err(DateError::NotADate);
    }
    Date::new(year, small(month)?, small(day)?).map_err(|_| DateError::NotADate)
}

/// `08:15[:30[.123]]` with an optional `Z`, `+01:00` or `-0300`, or with `AM` or `PM`; midnight if there is none.
fn clock(text: &str) -> Result<(Time, Option<i32>), DateError> {
    if text.is_empty() {
        return Ok((Time::midnight(), None));
    }
    if let Some((time, half)) = half_day(text) {
        return Ok((time_of_day(time, Some(half))?, None));
    }
    let (time, offset) = if let Some(time) = text.strip_suffix(['Z', 'z']) {
        (time, Some(0))
    } else if let Some(at) = text.rfind(['+', '-']) {
        (text.get(..at).unwrap_or_default(), Some(offset(text.get(at..).unwrap_or_default())?))
    } else {
        (text, None)
    };
    time_of_day(time.trim_matches(is_space), None).map(|time| (time, offset))
}

/// Half of the day on a 12-hour clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HalfDay {
    Am,
    Pm,
}

/// The time in front of `AM`, `p.m.` or `p. m.`, and which half of the day it is in.
fn half_day(text: &str) -> Option<(&str, HalfDay)> {
    let end = text.rfind(|letter: char| letter.is_ascii_digit())? + 1;
    let (time, behind) = text.split_at_checked(end)?;
    if behind.len() > MAX_HALF_DAY_LENGTH {
        return None;
    }
    let letters: String = behind.chars().filter(|&letter| letter != '.' && !is_space(letter)).collect();
    match letters.to_ascii_lowercase().as_str() {
        "am" => Some((time, HalfDay::Am)),
        "pm" => Some((time, HalfDay::Pm)),
        _ => None,
    }
}

/// `08:15[:30[.123]]`. On a 12-hour clock, hours are 1 to 12 and minutes may be absent.
fn time_of_day(text: &str, half: Option<HalfDay>) -> Result<Time, DateError> {
    let mut parts = text.split(':');
    let mut whole = || parts.next().map_or(Ok(None), |part| small(part).map(Some));
    let (hour, minute) = (whole()?.ok_or(DateError::NotADate)?, whole()?);
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
    Time::new(hour, minute, small(second)?, nanoseconds).map_err(|_| DateError::NotADate)
}

/// One or two digits.
fn small(text: &str) -> Result<i8, DateError> {
    let is_short = text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_short).ok_or(DateError::NotADate)
}

fn offset(text: &str) -> Result<i32, DateError> {
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

    fn column(texts: &[&str]) -> Order {
        let mut evidence = DateOrderCounts::default();
        for text in texts {
            evidence.see(text);
        }
        evidence.verdict()
    }

    #[test]
    fn a_column_proves_its_order() {
        assert_eq!(column(&["23.11.2026", "2026-01-02"]), Order::Unneeded);
        assert_eq!(column(&["01/02/2026", "31/01/2026"]), Order::DayFirst { proofs: 1, of: 2 });
        assert_eq!(column(&["01/02/2026", "01/31/2026"]), Order::MonthFirst { proofs: 1, of: 2 });
        assert_eq!(column(&["01/02/2026"]), Order::Unknown(DAY_OR_MONTH));
        assert_eq!(column(&["01/02/26", "31/01/2026"]), Order::DayFirst { proofs: 1, of: 2 });
        assert_eq!(column(&["31/01/2026", "01/31/2026"]), Order::Mixed);
        assert_eq!(column(&["05/05/2026"]), Order::Unneeded);
    }

    const DAY_OR_MONTH: Orders = Orders::DAY_FIRST.with(Orders::MONTH_FIRST);
    const DAY_OR_YEAR: Orders = Orders::DAY_FIRST.with(Orders::YEAR_FIRST);

    #[test]
    fn every_order_that_fits_years_of_two_digits_is_considered() {
        assert_eq!(column(&["27-01-28", "27-02-15", "27-03-18"]), Order::Unknown(DAY_OR_YEAR));
        assert_eq!(column(&["10-11-12"]), Order::Unknown(Orders::ALL));
        assert_eq!(column(&["05/05/26"]), Order::Unknown(Orders::ALL));
        assert_eq!(column(&["27.01.28"]), Order::Unknown(DAY_OR_YEAR));
        assert_eq!(column(&["45-01-28", "27-01-28"]), Order::YearFirst { proofs: 1, of: 2 });
        assert_eq!(column(&["30-02-28"]), Order::YearFirst { proofs: 1, of: 1 });
        assert_eq!(column(&["27-1-8"]), Order::YearFirst { proofs: 1, of: 1 });
        assert_eq!(column(&["27.01.28", "3.2.28"]), Order::DayFirst { proofs: 1, of: 2 });
        assert_eq!(column(&["27.01.28", "27.01.2028"]), Order::DayFirst { proofs: 1, of: 2 });
        assert_eq!(column(&["27-01-28", "1/2/2028"]), Order::DayFirst { proofs: 2, of: 2 });
        assert_eq!(column(&["3.12.26", "23.11.2026"]), Order::Unneeded);
        let year_first = Order::YearFirst { proofs: 0, of: 1 };
        for (text, expected) in
            [("27-01-28", date(2027, 1, 28)), ("10/11/12", date(2010, 11, 12)), ("27.1.8", date(2027, 1, 8))]
        {
            let read = parse(text, year_first, WeekDay::Unneeded).map(|read| read.at.date());
            assert_eq!(read, Ok(expected), "{text}");
            assert_eq!(
                parse(text, Order::Unneeded, WeekDay::Unneeded).map(|read| read.at.date()),
                Err(DateError::Ambiguous)
            );
        }
        assert_eq!(parse("31/31/2026", Order::Unneeded, WeekDay::Unneeded), Err(DateError::NotADate));
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
                seen.see_any(text);
                assert_eq!((seen.of(), seen.weeks()), (0, 0), "{text}");
            }
            if let Some(written) = simple(&text) {
                assert!(is_year_first(&text), "what can be read is never looked at closer");
                short += 1;
                assert_eq!(parse_any(std::str::from_utf8(&text).unwrap(), Order::Unneeded), Ok(written), "{text:?}");
            }
        }
        assert!(short > 10_000 && clear > short, "{short} {clear}");
    }

    #[test]
    fn dates_are_read_as_typed() {
        let parse = |text, order| parse(text, order, WeekDay::Unneeded);
        let plain = |text| parse(text, Order::Unneeded).map(|written| written.at);
        assert_eq!(plain("2026-11-23"), Ok(date(2026, 11, 23).at(0, 0, 0, 0)));
        assert_eq!(plain("23.11.2026 8:15"), Ok(date(2026, 11, 23).at(8, 15, 0, 0)));
        assert_eq!(plain("2026-11-23T08:15:30.5"), Ok(date(2026, 11, 23).at(8, 15, 30, 500_000_000)));
        assert_eq!(plain("05/05/2026"), Ok(date(2026, 5, 5).at(0, 0, 0, 0)));
        assert_eq!(plain("3.12.26"), Ok(date(2026, 12, 3).at(0, 0, 0, 0)));
        assert_eq!(plain("05/05/2026 08:15"), Ok(date(2026, 5, 5).at(8, 15, 0, 0)));
        assert_eq!(plain("03/12/26"), Err(DateError::Ambiguous));
        assert_eq!(plain("KW 50"), Err(DateError::WeekWithoutDay));
        assert_eq!(plain("01/02/2026"), Err(DateError::Ambiguous));
        assert_eq!(parse("2026-11-23T08:00:00Z", Order::Unneeded).map(|written| written.offset), Ok(Some(0)));
        assert_eq!(parse("2026-11-23 08:00-0330", Order::Unneeded).map(|written| written.offset), Ok(Some(-210)));
        let first = parse("01/02/2026", Order::DayFirst { proofs: 1, of: 1 }).map(|written| written.at.date());
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
            let read = parse(text, Order::MonthFirst { proofs: 1, of: 1 }).map(|written| written.at);
            assert_eq!(read, Ok(date(2026, 12, 13).at(hour, minute, 0, 0)), "{text}");
        }
        assert_eq!(column(&["12/13/2026, 3:27 PM", "01/02/2026\u{a0}3:27 PM"]), Order::MonthFirst { proofs: 1, of: 2 });
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
            assert!(parse(text, Order::DayFirst { proofs: 1, of: 1 }).is_err(), "{text}");
        }
    }
}
