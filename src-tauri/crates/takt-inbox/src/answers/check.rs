//! Looks at a rule as it is written: can it be understood, does it name what there is, and does it do on an event that is made
//! up what a rule has to.

use cel::{
    IdedExpr, Value,
    common::ast::{CallExpr, EntryExpr, Expr, LiteralValue, operators},
};
use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};
use takt_contract::{Contract, Field, FieldKind};

use super::{
    evaluation_budget::EvaluationBudget,
    expression::{self, ParsedExpression, kind},
    message_template::{MessageTemplate, TemplatePart, pieces},
    pattern::{Pattern, PatternCache, PatternError},
    rule::AnswerRule,
    values::Reader,
};
use crate::events::{Fault, FaultCode, RuleFault, RulePart};

/// What the clock on the wall shows, in parts.
pub(super) const LOCAL: [&str; 5] = ["hour", "minute", "weekday", "time", "date"];
/// What cel's standard environment has.
const FUNCTIONS: [&str; 29] = [
    "all",
    "bool",
    "bytes",
    "contains",
    "double",
    "duration",
    "dyn",
    "endsWith",
    "exists",
    "exists_one",
    "filter",
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getFullYear",
    "getHours",
    "getMilliseconds",
    "getMinutes",
    "getMonth",
    "getSeconds",
    "int",
    "map",
    "matches",
    "size",
    "startsWith",
    "string",
    "timestamp",
    "uint",
];
const KINDS: [&str; 11] =
    ["bool", "bytes", "double", "duration", "int", "list", "map", "null_type", "string", "type", "uint"];
const SAMPLE_TIME: std::time::Duration = std::time::Duration::from_millis(500);

/// What is wrong with a rule. Only on a thread with [`expression::STACK`].
pub(super) fn check(contract: &Contract, reader: &Reader, rule: &AnswerRule) -> Vec<RuleFault> {
    let mut faults = Vec::new();
    if rule.name.trim().is_empty() {
        faults.push(Fault::new(FaultCode::Empty, 0).of(RulePart::Name));
    }
    let asks = |id: &i32| contract.events().iter().any(|event| event.asks && event.id == *id);
    if rule.events.is_empty() || !rule.events.iter().all(asks) {
        faults.push(Fault::new(FaultCode::NotAsking, 0).of(RulePart::Events));
    }
    let fields = contract.events().iter().find(|event| rule.events.first() == Some(&event.id));
    let fields = fields.map_or(&[][..], |event| &event.fields);
    let seen = |fault: Fault, part| fault.of(part);
    match ParsedExpression::read(&rule.when) {
        Err(fault) => faults.push(seen(fault, RulePart::When)),
        Ok(written) => {
            faults.extend(names(contract, fields, &written).into_iter().map(|fault| seen(fault, RulePart::When)));
        }
    }
    if let Some(refuse) = &rule.refuse {
        faults.extend(places(contract, fields, refuse).into_iter().map(|fault| seen(fault, RulePart::Refuse)));
    }
    if faults.is_empty() {
        faults.extend(sampled(reader, fields, rule));
    }
    faults
}

fn places(contract: &Contract, fields: &[Field], refuse: &str) -> Vec<Fault> {
    let pieces = match pieces(refuse) {
        Ok(pieces) => pieces,
        Err(fault) => return vec![fault],
    };
    let mut faults = Vec::new();
    for piece in pieces {
        let TemplatePart::Place(text, at) = piece else { continue };
        match ParsedExpression::read(&text) {
            Err(fault) => faults.push(fault.shifted(at)),
            Ok(written) => {
                faults.extend(names(contract, fields, &written).into_iter().map(|fault| fault.shifted(at)));
            }
        }
    }
    faults
}

/// The rule against an event that is made up: kinds that don't fit are seen before there is any event.
fn sampled(reader: &Reader, fields: &[Field], rule: &AnswerRule) -> Option<RuleFault> {
    let event = sample(fields, rule.events.first().copied().unwrap_or_default());
    let mut context = expression::context()?;
    reader.bind(&mut context, &event, Timestamp::constant(1_767_603_600, 0));
    let purse = EvaluationBudget::new(std::time::Instant::now() + SAMPLE_TIME, &PatternCache::default());
    purse.bind(&mut context);
    let fits = |fault: &Fault| matches!(fault.code, FaultCode::WrongKinds | FaultCode::TooMuch | FaultCode::TooSlow);
    match ParsedExpression::read(&rule.when).ok()?.bounded().run(&context, &purse) {
        Ok(Value::Bool(_)) => {}
        Ok(other) => {
            return Some(Fault::new(FaultCode::NotTruth, 0).with("kind", kind(&other)).of(RulePart::When));
        }
        Err(fault) => return Some(fault).filter(fits).map(|fault| fault.doubt().of(RulePart::When)),
    }
    let said = MessageTemplate::read(rule.refuse.as_deref()?).ok()?.render(&context, &purse, reader);
    said.err().filter(fits).map(|fault| fault.doubt().of(RulePart::Refuse))
}

/// An event with something in each member.
pub(super) fn sample(fields: &[Field], id: i32) -> Json {
    let mut event = object(fields);
    if let (Some(field), Json::Object(members)) = (fields.first(), &mut event) {
        members.insert(field.name.clone(), json!(id));
    }
    event
}

fn object(fields: &[Field]) -> Json {
    let value = |field: &Field| match field.kind {
        FieldKind::Text => json!(field.example.as_deref().unwrap_or("A")),
        FieldKind::Integer => json!(1),
        FieldKind::Number => json!(1.5),
        FieldKind::Boolean => json!(false),
        FieldKind::DateTime => json!("2026-01-05T08:00:00Z"),
        FieldKind::Duration => json!("00:05:00"),
        FieldKind::TimeSpan | FieldKind::Object => object(&field.fields),
        FieldKind::List => json!([object(&field.fields)]),
    };
    Json::Object(fields.iter().map(|field| (field.name.clone(), value(field))).collect::<Map<_, _>>())
}

/// What is known of a value without running anything.
#[derive(Debug, Clone, Copy)]
enum ValueType<'a> {
    Object(&'a [Field]),
    List(&'a [Field]),
    Local,
    Any,
}

struct Names<'a> {
    written: &'a ParsedExpression,
    scope: Vec<(&'a str, ValueType<'a>)>,
    faults: Vec<Fault>,
}

/// Names that stand for nothing.
fn names(contract: &Contract, fields: &[Field], written: &ParsedExpression) -> Vec<Fault> {
    let order = contract.answering().order.as_deref();
    let orders = fields.iter().find(|field| Some(field.name.as_str()) == order);
    let order = orders.map_or(ValueType::Any, |field| ValueType::Object(&field.fields));
    let scope = vec![
        ("event", ValueType::Object(fields)),
        ("order", order),
        ("now", ValueType::Any),
        ("local", ValueType::Local),
    ];
    let mut names = Names { written, scope, faults: Vec::new() };
    names.shape(&written.root);
    names.faults
}

impl<'a> Names<'a> {
    fn shape(&mut self, expression: &'a IdedExpr) -> ValueType<'a> {
        match &expression.expr {
            Expr::Ident(name) => self.named(expression, name),
            Expr::Select(select) => {
                let of = self.shape(&select.operand);
                self.member(expression, of, &select.field, select.test)
            }
            Expr::Call(call) => {
                let first = call.target.as_deref().into_iter().chain(&call.args);
                let shapes: Vec<_> = first.map(|part| self.shape(part)).collect();
                let named = call.func_name.starts_with(|first: char| first.is_alphabetic());
                if named && !FUNCTIONS.contains(&call.func_name.as_str()) {
                    let fault = Fault::new(FaultCode::UnknownFunction, self.at(expression));
                    self.faults.push(fault.with("name", call.func_name.as_str()));
                }
                if let Some(cause) = unreadable(call) {
                    self.faults.push(Fault::new(FaultCode::Pattern, self.at(expression)).with("cause", cause));
                }
                match (call.func_name.as_str(), shapes.first()) {
                    (operators::INDEX, Some(ValueType::List(fields))) => ValueType::Object(fields),
                    _ => ValueType::Any,
                }
            }
            Expr::Comprehension(loops) => {
                let range = self.shape(&loops.iter_range);
                let part = if let ValueType::List(fields) = range { ValueType::Object(fields) } else { ValueType::Any };
                let known = self.scope.len();
                self.shape(&loops.accu_init);
                self.scope.push((&loops.accu_var, ValueType::Any));
                self.scope.push((&loops.iter_var, part));
                for inner in [&loops.loop_cond, &loops.loop_step, &loops.result] {
                    self.shape(inner);
                }
                self.scope.truncate(known);
                if filters(loops) { range } else { ValueType::Any }
            }
            Expr::List(list) => {
                for part in &list.elements {
                    self.shape(part);
                }
                ValueType::Any
            }
            Expr::Map(map) => {
                map.entries.iter().for_each(|entry| self.entry(&entry.expr));
                ValueType::Any
            }
            Expr::Struct(made) => {
                made.entries.iter().for_each(|entry| self.entry(&entry.expr));
                ValueType::Any
            }
            Expr::Literal(_) | Expr::Unspecified => ValueType::Any,
        }
    }

    fn entry(&mut self, entry: &'a EntryExpr) {
        match entry {
            EntryExpr::StructField(field) => {
                self.shape(&field.value);
            }
            EntryExpr::MapEntry(entry) => {
                self.shape(&entry.key);
                self.shape(&entry.value);
            }
        }
    }

    fn named(&mut self, expression: &IdedExpr, name: &str) -> ValueType<'a> {
        if let Some((_, shape)) = self.scope.iter().rev().find(|(known, _)| *known == name) {
            return *shape;
        }
        if !KINDS.contains(&name) {
            let near = nearest(name, self.scope.iter().map(|(known, _)| *known));
            self.faults.push(near_to(Fault::new(FaultCode::UnknownName, self.at(expression)).with("name", name), near));
        }
        ValueType::Any
    }

    /// A member that the contract doesn't have may come all the same: that is a doubt.
    fn member(&mut self, expression: &IdedExpr, of: ValueType<'a>, name: &str, asked: bool) -> ValueType<'a> {
        let (known, near) = match of {
            ValueType::Object(fields) if !fields.is_empty() => {
                if let Some(field) = fields.iter().find(|field| field.name == name) {
                    return match field.kind {
                        FieldKind::List => ValueType::List(&field.fields),
                        FieldKind::Object => ValueType::Object(&field.fields),
                        _ => ValueType::Any,
                    };
                }
                (false, nearest(name, fields.iter().map(|field| field.name.as_str())))
            }
            ValueType::Local => (LOCAL.contains(&name), nearest(name, LOCAL.into_iter())),
            ValueType::Object(_) | ValueType::List(_) | ValueType::Any => (true, None),
        };
        if !known && !asked {
            let fault = Fault::new(FaultCode::UnknownMember, self.at(expression)).with("name", name);
            self.faults.push(near_to(fault, near).doubt());
        }
        ValueType::Any
    }

    fn at(&self, expression: &IdedExpr) -> usize {
        // cel counts bytes.
        let start = self.written.source.offset_for(expression.id).map_or(0, |(start, _)| start as usize);
        self.written.text.char_indices().take_while(|(at, _)| *at < start).count()
    }
}

/// What is wrong with the pattern that stands in the rule.
fn unreadable(call: &CallExpr) -> Option<String> {
    let pattern = call.args.last().filter(|_| call.func_name == "matches")?;
    let Expr::Literal(LiteralValue::String(text)) = &pattern.expr else { return None };
    match Pattern::read(text.inner()) {
        Err(PatternError::Unreadable(cause)) => Some(cause),
        // That it is too large is seen when it runs.
        Ok(_) | Err(PatternError::TooLarge) => None,
    }
}

/// `filter` leaves out parts, and the others as they are.
fn filters(loops: &cel::common::ast::ComprehensionExpr) -> bool {
    let Expr::Call(call) = &loops.loop_step.expr else { return false };
    let Some(Expr::Call(adds)) = call.args.get(1).map(|step| &step.expr) else { return false };
    let Some(Expr::List(list)) = adds.args.get(1).map(|list| &list.expr) else { return false };
    call.func_name == operators::CONDITIONAL
        && matches!(list.elements.first().map(|part| &part.expr), Some(Expr::Ident(name)) if *name == loops.iter_var)
}

fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let alike = |other: &str| strsim::jaro_winkler(&name.to_lowercase(), &other.to_lowercase());
    let best = known.map(|other| (alike(other), other)).max_by(|one, other| one.0.total_cmp(&other.0))?;
    (best.0 > 0.82).then(|| best.1.to_owned())
}

fn near_to(fault: Fault, near: Option<String>) -> Fault {
    match near {
        Some(near) => fault.with("near", near),
        None => fault,
    }
}
