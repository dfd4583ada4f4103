//! Round trips with random names and formats. A simulated site encodes rows that decode to the originals, and decodes
//! encoded items to the originals.

use jiff::tz::TimeZone;
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value, json};
use takt_contract::{
    Contract, Field, FieldKind, Provenance, ProvenanceLevel, RowSchema,
    form::{CodeName, DurationUnit, EpochUnit, Scalar, ValueForm},
    overlay::{FieldOverlay, OperationOverlay, Overlay, ShapeOverlay},
    wire::{TimeSpan, duration::format_ticks},
};

use super::json_of;

const SEEDS: std::ops::Range<u64> = 0..40;
const NAMES: [&str; 3] = ["Production", "Rework", "Prototype"];

struct RandomSite {
    random: ChaCha8Rng,
}

impl RandomSite {
    fn random_overlay(&mut self, contract: &Contract) -> Overlay {
        let provenance = provenance();
        let operations = contract.operations().iter().map(|operation| OperationOverlay {
            request: operation.request.as_ref().map(|shape| self.random_shape(shape)),
            answer: operation.answer.as_ref().map(|shape| self.random_shape(shape)),
            ..OperationOverlay::new(&operation.id, provenance.clone())
        });
        Overlay { operations: operations.collect(), ..Overlay::default() }
    }

    fn random_shape(&mut self, shape: &RowSchema) -> ShapeOverlay {
        let member = self.random.random_bool(0.5).then(|| "Data.Items".to_owned());
        ShapeOverlay { member, fields: self.random_fields(&shape.fields), ..ShapeOverlay::default() }
    }

    fn random_fields(&mut self, fields: &[Field]) -> Vec<FieldOverlay> {
        let fields: Vec<_> = fields.iter().filter(|_| self.random.random_bool(0.8)).collect();
        let change = |field: &&Field| FieldOverlay {
            wire: self.random.random_bool(0.8).then(|| format!("X{}", field.name)),
            form: self.random_form(field.kind),
            fields: self.random_fields(&field.fields),
            ..FieldOverlay::new(&field.name, provenance())
        };
        fields.iter().map(change).collect()
    }

    fn random_form(&mut self, kind: FieldKind) -> Option<ValueForm> {
        let unit = *[DurationUnit::Ticks, DurationUnit::Seconds, DurationUnit::Minutes].choose(&mut self.random)?;
        let epoch = *[EpochUnit::Seconds, EpochUnit::Milliseconds].choose(&mut self.random)?;
        let code = |(number, name): (i32, &str)| CodeName { name: name.to_owned(), wire: Scalar::Number(number) };
        let codes = || (10..).zip(NAMES).map(code).collect();
        let forms = match kind {
            FieldKind::Text => vec![ValueForm::AsIs, ValueForm::Codes { codes: codes() }],
            FieldKind::Integer | FieldKind::Number | FieldKind::Boolean => vec![ValueForm::AsIs, ValueForm::Quoted],
            FieldKind::DateTime => vec![
                ValueForm::AsIs,
                ValueForm::OffsetDateTime,
                ValueForm::UtcDateTime,
                ValueForm::DateOnly,
                ValueForm::Epoch { unit: epoch },
            ],
            FieldKind::Duration => {
                vec![
                    ValueForm::AsIs,
                    ValueForm::TimeSpanObject,
                    ValueForm::DurationIso,
                    ValueForm::DurationNumber { unit },
                ]
            }
            FieldKind::TimeSpan => vec![ValueForm::AsIs, ValueForm::DurationIso, ValueForm::DurationNumber { unit }],
            FieldKind::List | FieldKind::Object => return None,
        };
        forms.choose(&mut self.random).cloned()
    }

    /// Returns a random row as decoded from a response, with some members missing or null.
    fn random_row(&mut self, fields: &[Field], is_sent: bool) -> Map<String, Value> {
        let mut row = Map::new();
        for field in fields {
            match self.random.random_range(0..10) {
                0 => {}
                1 => drop(row.insert(field.name.clone(), Value::Null)),
                _ => drop(row.insert(field.name.clone(), self.random_value(field, is_sent))),
            }
        }
        row
    }

    fn random_value(&mut self, field: &Field, is_sent: bool) -> Value {
        let number = self.random.random_range(0..2_000);
        match field.kind {
            FieldKind::Text => json!(NAMES.choose(&mut self.random)),
            FieldKind::Integer => json!(number),
            FieldKind::Number => json!(f64::from(number) / 4.0),
            FieldKind::Boolean => json!(number % 2 == 0),
            FieldKind::DateTime => date_time_value(&field.form, number, is_sent),
            FieldKind::Duration => json!(format_ticks(i64::from(number) * 300_000_000)),
            FieldKind::TimeSpan if field.form == ValueForm::AsIs => {
                serde_json::to_value(TimeSpan::from_ticks(number.into())).unwrap()
            }
            FieldKind::TimeSpan => json!(format_ticks(i64::from(number) * 300_000_000)),
            FieldKind::List => {
                (0..number % 3).map(|_| Value::Object(self.random_row(&field.fields, is_sent))).collect()
            }
            FieldKind::Object => Value::Object(self.random_row(&field.fields, is_sent)),
        }
    }
}

/// Returns a date-time as decoded in Takt, or as received by a service.
fn date_time_value(form: &ValueForm, number: i32, is_received: bool) -> Value {
    let (day, hour) = (number % 28 + 1, number % 24);
    json!(match form {
        ValueForm::OffsetDateTime => format!("2027-01-{day:02}T{hour:02}:30:00+01:00"),
        ValueForm::UtcDateTime | ValueForm::Epoch { .. } => format!("2027-01-{day:02}T{hour:02}:30:00Z"),
        ValueForm::DateOnly if is_received => format!("2027-01-{day:02}T00:00:00"),
        ValueForm::DateOnly => format!("2027-01-{day:02}"),
        _ => format!("2027-01-{day:02}T{hour:02}:30:00"),
    })
}

fn provenance() -> Provenance {
    serde_json::from_value(json!({ "level": ProvenanceLevel::Site, "source": "test" })).unwrap()
}

#[test]
fn rows_and_items_are_themselves_after_both_ways() {
    let builtin = Contract::builtin().unwrap();
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let mut compared = 0;
    for seed in SEEDS {
        let mut site = RandomSite { random: ChaCha8Rng::seed_from_u64(seed) };
        let contract = builtin.with_overlay(&site.random_overlay(&builtin), &zone);
        for operation in contract.operations() {
            if let Some(shape) = &operation.answer {
                let row = Value::Object(site.random_row(&shape.fields, false));
                let wire = shape.encode_row_for_service(&row.to_string(), &zone);
                assert_eq!(json_of(&shape.decode_row(&wire)), row, "seed {seed}, {}: {wire}", operation.id);
                compared += 1;
            }
            if let Some(shape) = &operation.request {
                let items: Vec<_> = (0..3).map(|_| Value::Object(site.random_row(&shape.fields, true))).collect();
                let texts: Vec<_> = items.iter().map(Value::to_string).collect();
                let body = shape.encode_body(texts.iter().map(String::as_str), &zone);
                let received: Vec<_> = shape.decode_items(&body).unwrap().iter().map(|item| json_of(item)).collect();
                assert_eq!(received, items, "seed {seed}, {}: {body}", operation.id);
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn a_row_is_answered_by_what_the_site_knows_of_it() {
    let time = |name: &str| json!({ "name": name, "form": { "form": "duration-iso" }, "provenance": provenance() });
    let overlay: Overlay = serde_json::from_value(json!({ "operations": [
        { "id": "inspection-processes.list", "provenance": provenance(), "answer": { "complete": true, "fields": [
            { "name": "code", "wire": "ProcessNo", "provenance": provenance() }, time("predictedLaborTime"),
        ] } },
    ] }))
    .unwrap();
    let contract = Contract::builtin().unwrap().with_overlay(&overlay, &TimeZone::UTC);
    let shape = contract.operation("inspection-processes.list").unwrap().answer.as_ref().unwrap();
    let span = serde_json::to_value(TimeSpan::from_ticks(54_000_000_000)).unwrap();
    let row = json!({ "code": "IP-01", "description": "unknown there", "predictedLaborTime": span });
    let answered = json_of(&shape.encode_row_for_service(&row.to_string(), &TimeZone::UTC));
    assert_eq!(answered, json!({ "ProcessNo": "IP-01", "predictedLaborTime": "PT1H30M" }));
}
