//! What an expression may cost. One that would run on is ended, one that would grow is ended, and nobody who wrote it can tell
//! these marks from the expression: their names can't be typed.
//!
//! cel runs an expression to its end and knows no limit. So before it runs, each turn of a loop, each comparison and each value
//! that is made is led through [`CHARGE`], which pays for it from a [`EvaluationBudget`] and fails once that is empty or the time is up.
//! `matches` is led to [`MATCHES`], which pays before it searches.

use std::{
    any::Any,
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use cel::{
    DeclarationError, Env, ExecutionError, IdedExpr,
    common::{
        ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, operators},
        types::{CelBool, CelBytes, CelList, CelMap, CelString, DYN_TYPE, STRING_TYPE, Type},
        value::{CowVal, StaticVal, Val},
    },
};
use parking_lot::Mutex;

use super::pattern::{Pattern, PatternCache, PatternError};

const CHARGE: &str = "@charge";
/// As [`CHARGE`]; what is meant by `matches`.
pub(super) const MATCHES: &str = "@matches";
pub(super) const PURSE: &str = "@purse";
/// Values (a text counts once per eight bytes) that one rule may make.
const MAX_VALUES: u64 = 250_000;
const TEXT_UNIT: usize = 8;
/// Steps of a search that cost as much as a value.
const STEPS_UNIT: u64 = 64;
/// What it costs to understand a pattern, beside its parts.
const PATTERN: u64 = 100;

static PURSE_TYPE: Type = Type::new_unspecified_type(PURSE);

/// Why an expression was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExceededLimit {
    Work,
    Time,
}

/// What is left for an expression. Clones are the same purse.
#[derive(Debug, Clone)]
pub(super) struct EvaluationBudget {
    left: Arc<AtomicU64>,
    until: Instant,
    patterns: PatternCache,
    /// Those that are paid for: in a loop it is the same one again and again.
    paid: Arc<Mutex<HashMap<String, Arc<Pattern>>>>,
}

impl EvaluationBudget {
    pub(super) fn new(until: Instant, patterns: &PatternCache) -> Self {
        let (left, patterns) = (Arc::new(AtomicU64::new(MAX_VALUES)), patterns.clone());
        Self { left, until, patterns, paid: Arc::default() }
    }

    /// Makes the purse known to what is run.
    pub(super) fn bind(&self, context: &mut cel::Context<'_, '_>) {
        context.add_variable_as_val(PURSE, Box::new(self.clone()));
    }

    /// Whether it ran out: what was found then is worth nothing, whatever it is.
    pub(super) fn exhausted(&self) -> Option<ExceededLimit> {
        if Instant::now() >= self.until {
            return Some(ExceededLimit::Time);
        }
        (self.left.load(Ordering::Relaxed) == 0).then_some(ExceededLimit::Work)
    }

    fn pays(&self, value: &dyn Val) -> bool {
        let mut left = self.left.load(Ordering::Relaxed);
        weigh(value, &mut left);
        self.left.store(left, Ordering::Relaxed);
        left > 0 && Instant::now() < self.until
    }

    /// Takes so much from what is left, all of it where that isn't enough.
    fn spend(&self, units: u64) -> Result<(), ExecutionError> {
        let left = self.left.load(Ordering::Relaxed).saturating_sub(units);
        self.left.store(left, Ordering::Relaxed);
        if left > 0 && Instant::now() < self.until { Ok(()) } else { Err(nothing_left(MATCHES)) }
    }

    /// The pattern, understood and paid for.
    fn pattern(&self, text: &str) -> Result<Arc<Pattern>, ExecutionError> {
        let mut known = self.paid.lock();
        if let Some(pattern) = known.get(text) {
            return Ok(Arc::clone(pattern));
        }
        self.spend(PATTERN)?;
        let pattern = self.patterns.read(text).map_err(|error| match error {
            PatternError::TooLarge => {
                self.left.store(0, Ordering::Relaxed);
                nothing_left(MATCHES)
            }
            PatternError::Unreadable(cause) => ExecutionError::function_error("matches", cause),
        })?;
        self.spend(pattern.parts())?;
        known.insert(text.to_owned(), Arc::clone(&pattern));
        Ok(pattern)
    }

    fn finds(&self, pattern: &str, text: &str) -> Result<bool, ExecutionError> {
        let pattern = self.pattern(pattern)?;
        self.spend(pattern.steps(text) / STEPS_UNIT)?;
        Ok(pattern.stands_in(text))
    }
}

fn nothing_left(function: &str) -> ExecutionError {
    ExecutionError::function_error(function, "nothing is left")
}

impl Val for EvaluationBudget {
    fn get_type(&self) -> &Type {
        &PURSE_TYPE
    }

    fn cel_type() -> &'static Type {
        &PURSE_TYPE
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for EvaluationBudget {}

/// Takes the value's weight from what is left, and looks no further than that.
fn weigh(value: &dyn Val, left: &mut u64) {
    let own = if let Some(text) = value.downcast_ref::<CelString<'_>>() {
        text.inner().len() / TEXT_UNIT
    } else if let Some(bytes) = value.downcast_ref::<CelBytes<'_>>() {
        bytes.inner().len() / TEXT_UNIT
    } else {
        0
    };
    *left = left.saturating_sub(1 + own as u64);
    if let Some(list) = value.downcast_ref::<CelList<'_>>() {
        for part in list.inner() {
            if *left == 0 {
                return;
            }
            weigh(part.as_ref(), left);
        }
    } else if let Some(map) = value.downcast_ref::<CelMap<'_>>() {
        for part in map.inner().values() {
            if *left == 0 {
                return;
            }
            weigh(part.as_ref(), left);
        }
    }
}

/// Teaches an environment what [`bound`] puts into expressions.
pub(super) fn teach(env: &mut Env) -> Result<(), DeclarationError> {
    let purse = || Type::new_unspecified_type(PURSE);
    env.add_overload(CHARGE, CHARGE, vec![purse(), DYN_TYPE], charge)?;
    env.add_overload(MATCHES, MATCHES, vec![purse(), STRING_TYPE, STRING_TYPE], matches)
}

fn matches<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let Ok([purse, text, pattern]) = <[CowVal<'b, 'v>; 3]>::try_from(arguments) else {
        return Err(ExecutionError::missing_argument_or_target());
    };
    let texts = (text.downcast_ref::<CelString<'_>>(), pattern.downcast_ref::<CelString<'_>>());
    let (Some(purse), (Some(text), Some(pattern))) = (purse.downcast_ref::<EvaluationBudget>(), texts) else {
        return Err(ExecutionError::missing_argument_or_target());
    };
    Ok(CowVal::Owned(Box::new(CelBool::from(purse.finds(pattern.inner(), text.inner())?))))
}

fn charge<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let mut arguments = arguments.into_iter();
    let (Some(purse), Some(value)) = (arguments.next(), arguments.next()) else {
        return Err(ExecutionError::missing_argument_or_target());
    };
    let pays = purse.downcast_ref::<EvaluationBudget>().is_some_and(|purse| purse.pays(value.as_ref()));
    if pays { Ok(value) } else { Err(nothing_left(CHARGE)) }
}

/// Leads every turn of a loop, and every value that is made, through the purse.
pub(super) fn bound(expression: &mut IdedExpr) {
    inside(expression, "");
    if let Expr::Call(call) = &expression.expr
        && makes(call)
    {
        paid(expression);
    }
}

/// Whether a call can make something large, or look at much. Logic can't.
fn makes(call: &CallExpr) -> bool {
    [operators::ADD, operators::EQUALS, operators::NOT_EQUALS, operators::IN].contains(&&*call.func_name)
        || call.func_name.starts_with(|first: char| first.is_ascii_alphabetic())
}

/// Leads `matches` to where it is paid for, whichever way it is written.
fn search(call: &mut CallExpr, id: u64) {
    if call.func_name == "matches" && call.args.len() + usize::from(call.target.is_some()) == 2 {
        let purse = IdedExpr { id, expr: Expr::Ident(PURSE.to_owned()) };
        let texts = call.target.take().map(|target| *target).into_iter().chain(std::mem::take(&mut call.args));
        call.args = std::iter::once(purse).chain(texts).collect();
        MATCHES.clone_into(&mut call.func_name);
    }
}

fn paid(expression: &mut IdedExpr) {
    let id = expression.id;
    let value = std::mem::take(expression);
    let purse = IdedExpr { id, expr: Expr::Ident(PURSE.to_owned()) };
    let call = CallExpr { func_name: CHARGE.to_owned(), target: None, args: vec![purse, value] };
    *expression = IdedExpr { id, expr: Expr::Call(call) };
}

/// `accumulator`: the loop's own result, which cel grows in place as long as it sees that nobody else looks at it.
fn inside(expression: &mut IdedExpr, accumulator: &str) {
    let id = expression.id;
    match &mut expression.expr {
        Expr::Call(call) => {
            let grows = call.args.first().is_some_and(|first| is(first, accumulator));
            if let Some(target) = &mut call.target {
                part(target, accumulator);
            }
            for argument in &mut call.args {
                if grows { inside(argument, accumulator) } else { part(argument, accumulator) }
            }
            search(call, id);
        }
        Expr::List(list) => list.elements.iter_mut().for_each(|element| copied(element, accumulator)),
        Expr::Map(map) => map.entries.iter_mut().for_each(|entry| entered(&mut entry.expr, accumulator)),
        Expr::Struct(made) => made.entries.iter_mut().for_each(|entry| entered(&mut entry.expr, accumulator)),
        Expr::Select(select) => part(&mut select.operand, accumulator),
        Expr::Comprehension(comprehension) => turned(comprehension, accumulator),
        Expr::Ident(_) | Expr::Literal(_) | Expr::Unspecified => {}
    }
}

fn part(expression: &mut IdedExpr, accumulator: &str) {
    inside(expression, accumulator);
    if let Expr::Call(call) = &expression.expr
        && makes(call)
        && !call.args.first().is_some_and(|first| is(first, accumulator))
    {
        paid(expression);
    }
}

/// What is put into a list or a map is copied.
fn copied(expression: &mut IdedExpr, accumulator: &str) {
    inside(expression, accumulator);
    if !matches!(expression.expr, Expr::Literal(_)) {
        paid(expression);
    }
}

fn entered(entry: &mut EntryExpr, accumulator: &str) {
    match entry {
        EntryExpr::StructField(field) => copied(&mut field.value, accumulator),
        EntryExpr::MapEntry(entry) => {
            copied(&mut entry.key, accumulator);
            copied(&mut entry.value, accumulator);
        }
    }
}

fn turned(comprehension: &mut ComprehensionExpr, outer: &str) {
    part(&mut comprehension.iter_range, outer);
    inside(&mut comprehension.accu_init, outer);
    let own = comprehension.accu_var.clone();
    // A list that grows is paid for by what is put into it, and its condition; cel wants the rest as it is.
    let grows = matches!(&comprehension.accu_init.expr, Expr::List(list) if list.elements.is_empty());
    match &mut comprehension.loop_step.expr {
        Expr::Call(call) if grows && call.func_name == operators::CONDITIONAL => {
            if let Some((guard, steps)) = call.args.split_first_mut() {
                inside(guard, &own);
                paid(guard);
                steps.iter_mut().for_each(|step| inside(step, &own));
            }
        }
        _ => inside(&mut comprehension.loop_step, &own),
    }
    if !grows {
        inside(&mut comprehension.loop_cond, &own);
        paid(&mut comprehension.loop_cond);
    }
    inside(&mut comprehension.result, &own);
}

fn is(expression: &IdedExpr, name: &str) -> bool {
    matches!(&expression.expr, Expr::Ident(known) if known == name)
}
