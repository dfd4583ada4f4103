//! Tools and their calibrations, which the practice plant doesn't have.

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde_json::{Value, json};

use super::value_format::{InvalidValue, date_time_for_plant};

const TOOL_COUNT: usize = 64;
const TOOL_NAMES: [&str; 4] = ["End mill 12 mm", "Drill 8.5 mm", "Torque wrench 60 Nm", "Micrometer 25-50"];
const CALIBRATION_MEMBERS: [&str; 6] =
    ["ToolNumber", "CalibratedAt", "Deviation", "Passed", "InspectorBadge", "Remarks"];

/// Returns all tools in the order of their numbers.
pub(super) fn tools(zone: &TimeZone) -> Vec<Value> {
    (0..TOOL_COUNT).map(|index| tool(index, zone)).collect()
}

fn tool(index: usize, zone: &TimeZone) -> Value {
    let days = i64::try_from(index).expect("there are few tools");
    let due = Timestamp::from_second(1_800_000_000).expect("a moment") + SignedDuration::from_hours(24 * days);
    json!({
        "ToolNumber": tool_number(index),
        "Name": TOOL_NAMES[index % TOOL_NAMES.len()],
        "WorkCenter": format!("WS-{:02}", index % 12 + 1),
        "CalibrationDue": due.to_zoned_datetime(zone.clone()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        "WearPercent": f64::from(u32::try_from(index).expect("there are few tools")) * 1.5,
        "Condition": index % 3,
        "Holder": if index.is_multiple_of(5) { Value::Null } else { json!(format!("HSK-{}", 40 + index % 3 * 10)) },
    })
}

fn tool_number(index: usize) -> String {
    format!("T-{:04}", index + 1)
}

/// Stores the valid calibrations, and returns the result of each item. If an item can't be parsed, stores nothing.
pub(super) fn calibrate(
    calibrations: &mut Vec<Value>,
    items: &[Value],
) -> Result<Vec<Result<(), String>>, InvalidValue> {
    for (index, item) in items.iter().enumerate() {
        let path = format!("$.Items[{index}]");
        let Value::Object(members) = item else { return Err(InvalidValue::new(&path, "The JSON value is no object.")) };
        if let Some(unknown) = members.keys().find(|name| !CALIBRATION_MEMBERS.contains(&name.as_str())) {
            let reason = format!("The JSON property '{unknown}' could not be mapped to any .NET member.");
            return Err(InvalidValue::new(&format!("{path}.{unknown}"), reason));
        }
        if !item["CalibratedAt"].is_null() {
            date_time_for_plant(&item["CalibratedAt"], &format!("{path}.CalibratedAt"))?;
        }
    }
    let mut store = |item: &Value| {
        if !(0..TOOL_COUNT).any(|index| item["ToolNumber"] == tool_number(index)) {
            return Err(format!("There is no tool {}.", item["ToolNumber"].as_str().unwrap_or("without a number")));
        }
        calibrations.push(item.clone());
        Ok(())
    };
    Ok(items.iter().map(&mut store).collect())
}
