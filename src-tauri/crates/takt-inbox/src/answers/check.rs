//! Checks a rule as written: its syntax, the names it uses, and its result on a sample event.

use cel::{
    IdedExpr, Value,
    common::ast::{CallExpr, EntryExpr, Expr, LiteralValue, operators},
};
use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};
use takt_contract::{Contract, Field, FieldKind};

use super::{
    cel_values::EventDecoder,
    evaluation_budget::EvaluationBudget,
    expression::{self, ParsedExpression, type_name},
    message_template::{MessageTemplate, TemplatePart, split_template},
    pattern::{Pattern, PatternCache, PatternError},
    rule::AnswerRule,
};
use crate::events::{Fault, FaultCode, RuleFault, RulePart};

/// The members of the variable `local` in answer rules, which is the site's local time.
pub(super) const LOCAL_TIME_MEMBERS: [&str; 5] = ["hour", "minute", "weekday", "time", "date"];
/// The functions of cel's standard environment.
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
const TYPE_NAMES: [&str; 11] =
    ["bool", "bytes", "double", "duration", "int", "list", "map", "null_type", "string", "type", "uint"];
const SAMPLE_TIMEOUT: std::time::Duration = std::time::Duration::from_millis(500);

/// Returns the faults of a rule. Call it only on a thread with [`expression::STACK_BYTES`].
pub(super) fn check_rule(contract: &Contract, decoder: &EventDecoder, rule: &AnswerRule) -> Vec<RuleFault> {
    let mut faults = Vec::new();
    if rule.name.trim().is_empty() {
        faults.push(Fault::new(FaultCode::Empty, 0).in_part(RulePart::Name));
    }
    let asks = |id: &i32| contract.events().iter().any(|event| event.asks && event.id == *id);
    if rule.events.is_empty() || !rule.events.iter().all(asks) {
        faults.push(Fault::new(FaultCode::NotAsking, 0).in_part(RulePart::Events));
    }
    let fields = contract.events().iter().find(|event| rule.events.first() == Some(&event.id));
    let fields = fields.map_or(&[][..], |event| &event.fields);
    match ParsedExpression::parse(&rule.when) {
        Err(fault) => faults.push(fault.in_part(RulePart::When)),
        Ok(parsed) => {
            faults
                .extend(check_names(contract, fields, &parsed).into_iter().map(|fault| fault.in_part(RulePart::When)));
        }
    }
    if let Some(refuse) = &rule.refuse {
        faults.extend(
            check_placeholders(contract, fields, refuse).into_iter().map(|fault| fault.in_part(RulePart::Refuse)),
        );
    }
    if faults.is_empty() {
        faults.extend(check_on_sample(decoder, fields, rule));
    }
    faults
}

fn check_placeholders(contract: &Contract, fields: &[Field], refuse: &str) -> Vec<Fault> {
    let parts = match split_template(refuse) {
        Ok(parts) => parts,
        Err(fault) => return vec![fault],
    };
    let mut faults = Vec::new();
    for part in parts {
        let TemplatePart::Placeholder(text, at) = part else { continue };
        match ParsedExpression::parse(&text) {
            Err(fault) => faults.push(fault.shifted_by(at)),
            Ok(parsed) => {
                faults.extend(check_names(contract, fields, &parsed).into_iter().map(|fault| fault.shifted_by(at)));
            }
        }
    }
    faults
}

/// Runs the rule on a sample event, so that type errors are found before the first event.
fn check_on_sample(decoder: &EventDecoder, fields: &[Field], rule: &AnswerRule) -> Option<RuleFault> {
    let event = sample_event(fields, rule.events.first().copied().unwrap_or_default());
    let mut context = expression::new_context()?;
    decoder.bind_variables(&mut context, &event, Timestamp::constant(1_767_603_600, 0));
    let budget = EvaluationBudget::new(std::time::Instant::now() + SAMPLE_TIMEOUT, &PatternCache::default());
    budget.bind(&mut context);
    let fits = |fault: &Fault| matches!(fault.code, FaultCode::WrongKinds | FaultCode::TooMuch | FaultCode::TooSlow);
    match ParsedExpression::parse(&rule.when).ok()?.into_bounded().run(&context, &budget) {
        Ok(Value::Bool(_)) => {}
        Ok(other) => {
            return Some(
                Fault::new(FaultCode::NotTruth, 0).with_parameter("kind", type_name(&other)).in_part(RulePart::When),
            );
        }
        Err(fault) => return Some(fault).filter(fits).map(|fault| fault.into_warning().in_part(RulePart::When)),
    }
    let message = MessageTemplate::parse(rule.refuse.as_deref()?).ok()?.render(&context, &budget, decoder);
    message.err().filter(fits).map(|fault| fault.into_warning().in_part(RulePart::Refuse))
}

/// Returns an event with a value in each member.
fn sample_event(fields: &[Field], id: i32) -> Json {
    let mut event = sample_object(fields);
    if let (Some(field), Json::Object(members)) = (fields.first(), &mut event) {
        members.insert(field.name.clone(), json!(id));
    }
    event
}

fn sample_object(fields: &[Field]) -> Json {
    let value = |field: &Field| match field.kind {
        FieldKind::Text => json!(field.example.as_deref().unwrap_or("A")),
        FieldKind::Integer => json!(1),
        FieldKind::Number => json!(1.5),
        FieldKind::Boolean => json!(false),
        FieldKind::DateTime => json!("2026-01-05T08:00:00Z"),
        FieldKind::Duration => json!("00:05:00"),
        FieldKind::TimeSpan | FieldKind::Object => sample_object(&field.fields),
        FieldKind::List => json!([sample_object(&field.fields)]),
    };
    Json::Object(fields.iter().map(|field| (field.name.clone(), value(field))).collect::<Map<_, _>>())
}

/// The type of an expression as far as it is known without running it.
#[derive(Debug, Clone, Copy)]
enum ValueType<'a> {
    Object(&'a [Field]),
    List(&'a [Field]),
    Local,
    Any,
}

struct NameChecker<'a> {
    parsed: &'a ParsedExpression,
    scope: Vec<(&'a str, ValueType<'a>)>,
    faults: Vec<Fault>,
}

/// Returns the faults of unknown names.
fn check_names(contract: &Contract, fields: &[Field], parsed: &ParsedExpression) -> Vec<Fault> {
    let order = contract.reply_rules().order.as_deref();
    let orders = fields.iter().find(|field| Some(field.name.as_str()) == order);
    let order = orders.map_or(ValueType::Any, |field| ValueType::Object(&field.fields));
    let scope = vec![
        ("event", ValueType::Object(fields)),
        ("order", order),
        ("now", ValueType::Any),
        ("local", ValueType::Local),
    ];
    let mut checker = NameChecker { parsed, scope, faults: Vec::new() };
    checker.value_type(&parsed.root);
    checker.faults
}

impl<'a> NameChecker<'a> {
    fn value_type(&mut self, expression: &'a IdedExpr) -> ValueType<'a> {
        match &expression.expr {
            Expr::Ident(name) => self.identifier_type(expression, name),
            Expr::Select(select) => {
                let operand = self.value_type(&select.operand);
                self.member_type(expression, operand, &select.field, select.test)
            }
            Expr::Call(call) => {
                let first = call.target.as_deref().into_iter().chain(&call.args);
                let types: Vec<_> = first.map(|part| self.value_type(part)).collect();
                let named = call.func_name.starts_with(|first: char| first.is_alphabetic());
                if named && !FUNCTIONS.contains(&call.func_name.as_str()) {
                    let fault = Fault::new(FaultCode::UnknownFunction, self.position_of(expression));
                    self.faults.push(fault.with_parameter("name", call.func_name.as_str()));
                }
                if let Some(cause) = pattern_error(call) {
                    self.faults.push(
                        Fault::new(FaultCode::Pattern, self.position_of(expression)).with_parameter("cause", cause),
                    );
                }
                match (call.func_name.as_str(), types.first()) {
                    (operators::INDEX, Some(ValueType::List(fields))) => ValueType::Object(fields),
                    _ => ValueType::Any,
                }
            }
            Expr::Comprehension(loops) => {
                let range = self.value_type(&loops.iter_range);
                let part = if let ValueType::List(fields) = range { ValueType::Object(fields) } else { ValueType::Any };
                let known = self.scope.len();
                self.value_type(&loops.accu_init);
                self.scope.push((&loops.accu_var, ValueType::Any));
                self.scope.push((&loops.iter_var, part));
                for inner in [&loops.loop_cond, &loops.loop_step, &loops.result] {
                    self.value_type(inner);
                }
                self.scope.truncate(known);
                if is_filter(loops) { range } else { ValueType::Any }
            }
            Expr::List(list) => {
                for part in &list.elements {
                    self.value_type(part);
                }
                ValueType::Any
            }
            Expr::Map(map) => {
                map.entries.iter().for_each(|entry| self.check_entry(&entry.expr));
                ValueType::Any
            }
            Expr::Struct(made) => {
                made.entries.iter().for_each(|entry| self.check_entry(&entry.expr));
                ValueType::Any
            }
            Expr::Literal(_) | Expr::Unspecified => ValueType::Any,
        }
    }

    fn check_entry(&mut self, entry: &'a EntryExpr) {
        match entry {
            EntryExpr::StructField(field) => {
                self.value_type(&field.value);
            }
            EntryExpr::MapEntry(entry) => {
                self.value_type(&entry.key);
                self.value_type(&entry.value);
            }
        }
    }

    fn identifier_type(&mut self, expression: &IdedExpr, name: &str) -> ValueType<'a> {
        if let Some((_, value_type)) = self.scope.iter().rev().find(|(known, _)| *known == name) {
            return *value_type;
        }
        if !TYPE_NAMES.contains(&name) {
            let near = nearest(name, self.scope.iter().map(|(known, _)| *known));
            self.faults.push(with_suggestion(
                Fault::new(FaultCode::UnknownName, self.position_of(expression)).with_parameter("name", name),
                near,
            ));
        }
        ValueType::Any
    }

    /// Returns the type of a member. A member that the contract doesn't have is only a warning, because the service may
    /// send it anyway.
    fn member_type(
        &mut self,
        expression: &IdedExpr,
        operand: ValueType<'a>,
        name: &str,
        is_test: bool,
    ) -> ValueType<'a> {
        let (known, near) = match operand {
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
            ValueType::Local => (LOCAL_TIME_MEMBERS.contains(&name), nearest(name, LOCAL_TIME_MEMBERS.into_iter())),
            ValueType::Object(_) | ValueType::List(_) | ValueType::Any => (true, None),
        };
        if !known && !is_test {
            let fault = Fault::new(FaultCode::UnknownMember, self.position_of(expression)).with_parameter("name", name);
            self.faults.push(with_suggestion(fault, near).into_warning());
        }
        ValueType::Any
    }

    /// Returns the position of an expression in the text, in characters.
    fn position_of(&self, expression: &IdedExpr) -> usize {
        // cel counts bytes.
        let start = self.parsed.source.offset_for(expression.id).map_or(0, |(start, _)| start as usize);
        self.parsed.text.char_indices().take_while(|(at, _)| *at < start).count()
    }
}

/// Returns the error of a literal pattern in a call of `matches`.
fn pattern_error(call: &CallExpr) -> Option<String> {
    let pattern = call.args.last().filter(|_| call.func_name == "matches")?;
    let Expr::Literal(LiteralValue::String(text)) = &pattern.expr else { return None };
    match Pattern::compile(text.inner()) {
        Err(PatternError::Unreadable(cause)) => Some(cause),
        // A pattern that is too large is reported when the rule runs.
        Ok(_) | Err(PatternError::TooLarge) => None,
    }
}

/// Returns whether a comprehension only filters: its elements keep their type.
fn is_filter(loops: &cel::common::ast::ComprehensionExpr) -> bool {
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

fn with_suggestion(fault: Fault, near: Option<String>) -> Fault {
    match near {
        Some(near) => fault.with_parameter("near", near),
        None => fault,
    }
}
