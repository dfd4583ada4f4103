//! Converts values between the formats of the second plant and the practice plant.

use jiff::{Span, SpanRelativeTo, Timestamp, Unit, civil, tz::TimeZone};
use serde_json::{Value, json};

use super::member::{Entity, Member};

/// The format of a member's value on the second plant.
#[derive(Debug, Clone, Copy)]
pub(super) enum ValueFormat {
    Same,
    /// A date-time with an offset. The practice plant's date-times may have none.
    DateTime,
    /// A duration as ISO 8601, for example `PT1H30M`.
    IsoDuration,
    /// A duration as a number of minutes.
    Minutes,
    /// A number. The practice plant has a text for each number.
    Enumeration(&'static [(i64, &'static str)]),
    /// A weekday for which Sunday is 0. For the practice plant, Sunday is 7.
    Weekday,
    Object(Entity),
    List(Entity),
}

/// An invalid value of a request, with its JSON path and the reason.
#[derive(Debug)]
pub(super) struct InvalidValue {
    pub(super) path: String,
    pub(super) reason: String,
}

impl InvalidValue {
    pub(super) fn new(path: &str, reason: impl Into<String>) -> Self {
        Self { path: path.to_owned(), reason: reason.into() }
    }

    fn not_converted(path: &str, kind: &str) -> Self {
        Self::new(path, format!("The JSON value could not be converted to {kind}. Path: {path}."))
    }
}

/// Converts an object of a request to the practice plant's format. Fails for unknown members and invalid values.
pub(super) fn object_for_plant(entity: Entity, value: &Value, path: &str) -> Result<Value, InvalidValue> {
    let Value::Object(members) = value else { return Err(InvalidValue::not_converted(path, "an object")) };
    let mut written = serde_json::Map::new();
    for (name, value) in members {
        let at = format!("{path}.{name}");
        let Some(member) = entity.iter().find(|member| member.site == name) else {
            return Err(InvalidValue::new(
                &at,
                format!("The JSON property '{name}' could not be mapped to any .NET member."),
            ));
        };
        if !value.is_null() {
            written.insert(member.plant.to_owned(), value_for_plant(member, value, &at)?);
        }
    }
    Ok(Value::Object(written))
}

fn value_for_plant(member: &Member, value: &Value, path: &str) -> Result<Value, InvalidValue> {
    match member.value_format {
        ValueFormat::Same => Ok(value.clone()),
        ValueFormat::DateTime => date_time_for_plant(value, path),
        ValueFormat::IsoDuration => {
            let seconds = value.as_str().and_then(parse_iso_duration);
            seconds
                .map(|seconds| json!(clock_duration(seconds)))
                .ok_or_else(|| InvalidValue::not_converted(path, "System.TimeSpan"))
        }
        ValueFormat::Minutes => {
            let minutes = value.as_f64().ok_or_else(|| InvalidValue::not_converted(path, "System.Double"))?;
            Ok(json!(clock_duration(minutes * 60.0)))
        }
        ValueFormat::Enumeration(codes) => {
            let code = codes.iter().find(|(code, _)| value.as_i64() == Some(*code));
            code.map(|(_, text)| json!(text)).ok_or_else(|| InvalidValue::not_converted(path, "an enumeration"))
        }
        ValueFormat::Weekday => Ok(json!(value.as_i64().filter(|day| *day != 0).unwrap_or(7))),
        ValueFormat::Object(entity) => object_for_plant(entity, value, path),
        ValueFormat::List(entity) => {
            let Value::Array(rows) = value else { return Err(InvalidValue::not_converted(path, "a list")) };
            let rows = rows.iter().enumerate();
            rows.map(|(index, row)| object_for_plant(entity, row, &format!("{path}[{index}]"))).collect()
        }
    }
}

/// Checks that a date-time of a request has an offset.
pub(super) fn date_time_for_plant(value: &Value, path: &str) -> Result<Value, InvalidValue> {
    let date_time = value.as_str().filter(|text| text.parse::<Timestamp>().is_ok());
    date_time.map(|text| json!(text)).ok_or_else(|| {
        InvalidValue::new(path, format!("The value {value} is not a date and time with an offset. Path: {path}."))
    })
}

/// Converts a row of the practice plant to this plant's format. Fails for unknown members.
pub(super) fn object_from_plant(entity: Entity, value: &Value, zone: &TimeZone) -> Result<Value, String> {
    let Value::Object(members) = value else { return Err(format!("no object: {value}")) };
    if let Some(unknown) = members.keys().find(|name| !entity.iter().any(|member| member.plant == *name)) {
        return Err(format!("the practice plant's member {unknown} is unknown"));
    }
    let mut written = serde_json::Map::new();
    for member in entity {
        if let Some(value) = members.get(member.plant) {
            written.insert(member.site.to_owned(), value_from_plant(member, value, zone)?);
        }
    }
    Ok(Value::Object(written))
}

fn value_from_plant(member: &Member, value: &Value, zone: &TimeZone) -> Result<Value, String> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    let missing = || format!("{} can't be {value}", member.plant);
    let seconds = || value["totalMilliseconds"].as_f64().map(|milliseconds| milliseconds / 1000.0).ok_or_else(missing);
    Ok(match member.value_format {
        ValueFormat::Same => value.clone(),
        ValueFormat::DateTime => {
            json!(format_with_utc_offset(value.as_str().ok_or_else(missing)?, zone).ok_or_else(missing)?)
        }
        ValueFormat::IsoDuration => json!(iso_duration(seconds()?)),
        ValueFormat::Minutes => json!(seconds()? / 60.0),
        ValueFormat::Enumeration(codes) => {
            let code = codes.iter().find(|(code, text)| value == text || value.as_i64() == Some(*code));
            json!(code.ok_or_else(missing)?.0)
        }
        ValueFormat::Weekday => json!(value.as_i64().ok_or_else(missing)? % 7),
        ValueFormat::Object(entity) => object_from_plant(entity, value, zone)?,
        ValueFormat::List(entity) => {
            let rows = value.as_array().ok_or_else(missing)?;
            rows.iter().map(|row| object_from_plant(entity, row, zone)).collect::<Result<_, _>>()?
        }
    })
}

fn format_with_utc_offset(text: &str, zone: &TimeZone) -> Option<String> {
    let date_time = match text.parse::<Timestamp>() {
        Ok(date_time) => date_time.to_zoned_datetime(zone.clone()),
        Err(_) => text.parse::<civil::DateTime>().ok()?.to_zoned_datetime(zone.clone()).ok()?,
    };
    Some(date_time.strftime("%Y-%m-%dT%H:%M:%S%.f%:z").to_string())
}

fn parse_iso_duration(text: &str) -> Option<f64> {
    let span: Span = text.starts_with(['P', '-']).then(|| text.parse().ok())??;
    span.total((Unit::Second, SpanRelativeTo::days_are_24_hours())).ok()
}

/// Formats a duration like .NET's XML format for time spans.
fn iso_duration(seconds: f64) -> String {
    let (sign, seconds) = (if seconds < 0.0 { "-" } else { "" }, seconds.abs());
    let (hours, minutes) = ((seconds / 3600.0).floor(), (seconds % 3600.0 / 60.0).floor());
    let (days, hours, rest) = ((hours / 24.0).floor(), hours % 24.0, seconds % 60.0);
    let part = |value: f64, unit: &str| if value > 0.0 { format!("{value}{unit}") } else { String::new() };
    let time = format!("{}{}{}", part(hours, "H"), part(minutes, "M"), part(rest, "S"));
    match (days > 0.0, time.is_empty()) {
        (false, true) => "PT0S".to_owned(),
        (true, true) => format!("{sign}P{days}D"),
        (_, false) => format!("{sign}P{}T{time}", part(days, "D")),
    }
}

/// Formats a duration as the practice plant accepts it, with days, hours, minutes and seconds.
fn clock_duration(seconds: f64) -> String {
    let (sign, seconds) = (if seconds < 0.0 { "-" } else { "" }, (seconds.abs() * 1000.0).round() / 1000.0);
    let (days, hours) = ((seconds / 86_400.0).floor(), (seconds % 86_400.0 / 3600.0).floor());
    let (minutes, rest) = ((seconds % 3600.0 / 60.0).floor(), seconds % 60.0);
    let days = if days > 0.0 { format!("{days}.") } else { String::new() };
    let rest = if rest.fract() == 0.0 { format!("{rest:02}") } else { format!("{rest:06.3}") };
    format!("{sign}{days}{hours:02}:{minutes:02}:{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_moments_are_written_in_the_other_form() {
        assert_eq!(parse_iso_duration("PT1H30M"), Some(5400.0));
        assert_eq!((parse_iso_duration("1h 30m"), parse_iso_duration("01:30:00")), (None, None));
        assert_eq!(iso_duration(5400.0), "PT1H30M");
        assert_eq!((iso_duration(0.0), iso_duration(90_000.5)), ("PT0S".to_owned(), "P1DT1H0.5S".to_owned()));
        assert_eq!(
            (clock_duration(5400.0), clock_duration(90_000.5)),
            ("01:30:00".to_owned(), "1.01:00:00.500".to_owned())
        );
        let zone = TimeZone::get("Europe/Berlin").expect("the zone is known");
        assert_eq!(format_with_utc_offset("2026-07-01T08:00:00", &zone).as_deref(), Some("2026-07-01T08:00:00+02:00"));
        assert_eq!(format_with_utc_offset("2026-01-01T08:00:00Z", &zone).as_deref(), Some("2026-01-01T09:00:00+01:00"));
        assert!(date_time_for_plant(&json!("2026-07-01T08:00:00"), "x").is_err());
        assert!(date_time_for_plant(&json!("2026-07-01T08:00:00+02:00"), "x").is_ok());
    }
}
