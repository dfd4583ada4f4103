//! Limits the time and memory of a CEL expression.
//!
//! cel runs an expression to its end without limits. So [`add_charges`] wraps each loop iteration, comparison and
//! created value in a call of [`CHARGE_FUNCTION`]. The call deducts from an [`EvaluationBudget`], and fails once the
//! budget or the time is used up. [`MATCHES_FUNCTION`] replaces `matches` and deducts its cost before it searches.
//! Rules can't contain these names because of the `@`.

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

const CHARGE_FUNCTION: &str = "@charge";
/// The function that replaces `matches`. It deducts the cost of a search before it searches.
const MATCHES_FUNCTION: &str = "@matches";
pub(super) const BUDGET_VARIABLE: &str = "@budget";
/// The number of values that one rule may create. A text costs one more for each [`TEXT_UNIT`] bytes.
const MAX_VALUES: u64 = 250_000;
const TEXT_UNIT: usize = 8;
/// Steps of a search that cost as much as one value.
const STEPS_PER_VALUE: u64 = 64;
/// The cost of parsing a pattern, in addition to its parts.
const PATTERN_COST: u64 = 100;

static BUDGET_TYPE: Type = Type::new_unspecified_type(BUDGET_VARIABLE);

/// The limit that ended an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExceededLimit {
    Work,
    Time,
}

/// The remaining budget of an expression. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct EvaluationBudget {
    remaining: Arc<AtomicU64>,
    until: Instant,
    patterns: PatternCache,
    /// Patterns whose cost was already deducted. A loop uses the same pattern in each iteration.
    deducted_patterns: Arc<Mutex<HashMap<String, Arc<Pattern>>>>,
}

impl EvaluationBudget {
    pub(super) fn new(until: Instant, patterns: &PatternCache) -> Self {
        let (remaining, patterns) = (Arc::new(AtomicU64::new(MAX_VALUES)), patterns.clone());
        Self { remaining, until, patterns, deducted_patterns: Arc::default() }
    }

    /// Binds the budget to the context's variable [`BUDGET_VARIABLE`].
    pub(super) fn bind(&self, context: &mut cel::Context<'_, '_>) {
        context.add_variable_as_val(BUDGET_VARIABLE, Box::new(self.clone()));
    }

    /// Returns the exceeded limit, if any. The expression's result is then invalid.
    pub(super) fn exceeded_limit(&self) -> Option<ExceededLimit> {
        if Instant::now() >= self.until {
            return Some(ExceededLimit::Time);
        }
        (self.remaining.load(Ordering::Relaxed) == 0).then_some(ExceededLimit::Work)
    }

    fn deduct_value(&self, value: &dyn Val) -> bool {
        let mut remaining = self.remaining.load(Ordering::Relaxed);
        deduct_weight(value, &mut remaining);
        self.remaining.store(remaining, Ordering::Relaxed);
        remaining > 0 && Instant::now() < self.until
    }

    /// Deducts `units`, or all that remains, and fails if nothing remains.
    fn deduct(&self, units: u64) -> Result<(), ExecutionError> {
        let remaining = self.remaining.load(Ordering::Relaxed).saturating_sub(units);
        self.remaining.store(remaining, Ordering::Relaxed);
        if remaining > 0 && Instant::now() < self.until { Ok(()) } else { Err(budget_exceeded(MATCHES_FUNCTION)) }
    }

    /// Returns the parsed pattern. Deducts its cost only the first time.
    fn pattern(&self, text: &str) -> Result<Arc<Pattern>, ExecutionError> {
        let mut known = self.deducted_patterns.lock();
        if let Some(pattern) = known.get(text) {
            return Ok(Arc::clone(pattern));
        }
        self.deduct(PATTERN_COST)?;
        let pattern = self.patterns.get_or_compile(text).map_err(|error| match error {
            PatternError::TooLarge => {
                self.remaining.store(0, Ordering::Relaxed);
                budget_exceeded(MATCHES_FUNCTION)
            }
            PatternError::Unreadable(cause) => ExecutionError::function_error("matches", cause),
        })?;
        self.deduct(pattern.parts())?;
        known.insert(text.to_owned(), Arc::clone(&pattern));
        Ok(pattern)
    }

    fn find_match(&self, pattern: &str, text: &str) -> Result<bool, ExecutionError> {
        let pattern = self.pattern(pattern)?;
        self.deduct(pattern.steps(text) / STEPS_PER_VALUE)?;
        Ok(pattern.is_match(text))
    }
}

fn budget_exceeded(function: &str) -> ExecutionError {
    ExecutionError::function_error(function, "nothing is left")
}

impl Val for EvaluationBudget {
    fn get_type(&self) -> &Type {
        &BUDGET_TYPE
    }

    fn cel_type() -> &'static Type {
        &BUDGET_TYPE
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for EvaluationBudget {}

/// Deducts the value's weight, and stops once nothing remains.
fn deduct_weight(value: &dyn Val, remaining: &mut u64) {
    let own = if let Some(text) = value.downcast_ref::<CelString<'_>>() {
        text.inner().len() / TEXT_UNIT
    } else if let Some(bytes) = value.downcast_ref::<CelBytes<'_>>() {
        bytes.inner().len() / TEXT_UNIT
    } else {
        0
    };
    *remaining = remaining.saturating_sub(1 + own as u64);
    if let Some(list) = value.downcast_ref::<CelList<'_>>() {
        for part in list.inner() {
            if *remaining == 0 {
                return;
            }
            deduct_weight(part.as_ref(), remaining);
        }
    } else if let Some(map) = value.downcast_ref::<CelMap<'_>>() {
        for part in map.inner().values() {
            if *remaining == 0 {
                return;
            }
            deduct_weight(part.as_ref(), remaining);
        }
    }
}

/// Registers the functions that [`add_charges`] puts into expressions.
pub(super) fn register_functions(env: &mut Env) -> Result<(), DeclarationError> {
    let budget = || Type::new_unspecified_type(BUDGET_VARIABLE);
    env.add_overload(CHARGE_FUNCTION, CHARGE_FUNCTION, vec![budget(), DYN_TYPE], charge)?;
    env.add_overload(MATCHES_FUNCTION, MATCHES_FUNCTION, vec![budget(), STRING_TYPE, STRING_TYPE], matches)
}

fn matches<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let Ok([budget, text, pattern]) = <[CowVal<'b, 'v>; 3]>::try_from(arguments) else {
        return Err(ExecutionError::missing_argument_or_target());
    };
    let texts = (text.downcast_ref::<CelString<'_>>(), pattern.downcast_ref::<CelString<'_>>());
    let (Some(budget), (Some(text), Some(pattern))) = (budget.downcast_ref::<EvaluationBudget>(), texts) else {
        return Err(ExecutionError::missing_argument_or_target());
    };
    Ok(CowVal::Owned(Box::new(CelBool::from(budget.find_match(pattern.inner(), text.inner())?))))
}

fn charge<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let mut arguments = arguments.into_iter();
    let (Some(budget), Some(value)) = (arguments.next(), arguments.next()) else {
        return Err(ExecutionError::missing_argument_or_target());
    };
    let paid = budget.downcast_ref::<EvaluationBudget>().is_some_and(|budget| budget.deduct_value(value.as_ref()));
    if paid { Ok(value) } else { Err(budget_exceeded(CHARGE_FUNCTION)) }
}

/// Wraps each loop iteration and each created value in a charge.
pub(super) fn add_charges(expression: &mut IdedExpr) {
    charge_children(expression, "");
    if let Expr::Call(call) = &expression.expr
        && is_costly(call)
    {
        wrap_in_charge(expression);
    }
}

/// Returns whether a call can create a large value or read much data. Logical operators can't.
fn is_costly(call: &CallExpr) -> bool {
    [operators::ADD, operators::EQUALS, operators::NOT_EQUALS, operators::IN].contains(&&*call.func_name)
        || call.func_name.starts_with(|first: char| first.is_ascii_alphabetic())
}

/// Redirects a call of `matches`, as a method or a function, to [`MATCHES_FUNCTION`].
fn redirect_matches(call: &mut CallExpr, id: u64) {
    if call.func_name == "matches" && call.args.len() + usize::from(call.target.is_some()) == 2 {
        let budget = IdedExpr { id, expr: Expr::Ident(BUDGET_VARIABLE.to_owned()) };
        let texts = call.target.take().map(|target| *target).into_iter().chain(std::mem::take(&mut call.args));
        call.args = std::iter::once(budget).chain(texts).collect();
        MATCHES_FUNCTION.clone_into(&mut call.func_name);
    }
}

fn wrap_in_charge(expression: &mut IdedExpr) {
    let id = expression.id;
    let value = std::mem::take(expression);
    let budget = IdedExpr { id, expr: Expr::Ident(BUDGET_VARIABLE.to_owned()) };
    let call = CallExpr { func_name: CHARGE_FUNCTION.to_owned(), target: None, args: vec![budget, value] };
    *expression = IdedExpr { id, expr: Expr::Call(call) };
}

/// Adds charges below an expression. `accumulator` names the result variable of the enclosing loop. cel extends this
/// variable in place only while nothing else refers to it, so calls that extend it aren't wrapped.
fn charge_children(expression: &mut IdedExpr, accumulator: &str) {
    let id = expression.id;
    match &mut expression.expr {
        Expr::Call(call) => {
            let grows = call.args.first().is_some_and(|first| is_variable(first, accumulator));
            if let Some(target) = &mut call.target {
                charge_expression(target, accumulator);
            }
            for argument in &mut call.args {
                if grows { charge_children(argument, accumulator) } else { charge_expression(argument, accumulator) }
            }
            redirect_matches(call, id);
        }
        Expr::List(list) => list.elements.iter_mut().for_each(|element| charge_copied(element, accumulator)),
        Expr::Map(map) => map.entries.iter_mut().for_each(|entry| charge_entry(&mut entry.expr, accumulator)),
        Expr::Struct(made) => made.entries.iter_mut().for_each(|entry| charge_entry(&mut entry.expr, accumulator)),
        Expr::Select(select) => charge_expression(&mut select.operand, accumulator),
        Expr::Comprehension(comprehension) => charge_loop(comprehension, accumulator),
        Expr::Ident(_) | Expr::Literal(_) | Expr::Unspecified => {}
    }
}

fn charge_expression(expression: &mut IdedExpr, accumulator: &str) {
    charge_children(expression, accumulator);
    if let Expr::Call(call) = &expression.expr
        && is_costly(call)
        && !call.args.first().is_some_and(|first| is_variable(first, accumulator))
    {
        wrap_in_charge(expression);
    }
}

/// Charges for a value that is copied into a list or a map.
fn charge_copied(expression: &mut IdedExpr, accumulator: &str) {
    charge_children(expression, accumulator);
    if !matches!(expression.expr, Expr::Literal(_)) {
        wrap_in_charge(expression);
    }
}

fn charge_entry(entry: &mut EntryExpr, accumulator: &str) {
    match entry {
        EntryExpr::StructField(field) => charge_copied(&mut field.value, accumulator),
        EntryExpr::MapEntry(entry) => {
            charge_copied(&mut entry.key, accumulator);
            charge_copied(&mut entry.value, accumulator);
        }
    }
}

fn charge_loop(comprehension: &mut ComprehensionExpr, outer: &str) {
    charge_expression(&mut comprehension.iter_range, outer);
    charge_children(&mut comprehension.accu_init, outer);
    let own = comprehension.accu_var.clone();
    // A growing list is charged for its elements and its condition. cel requires the rest of the step unchanged.
    let grows = matches!(&comprehension.accu_init.expr, Expr::List(list) if list.elements.is_empty());
    match &mut comprehension.loop_step.expr {
        Expr::Call(call) if grows && call.func_name == operators::CONDITIONAL => {
            if let Some((guard, steps)) = call.args.split_first_mut() {
                charge_children(guard, &own);
                wrap_in_charge(guard);
                steps.iter_mut().for_each(|step| charge_children(step, &own));
            }
        }
        _ => charge_children(&mut comprehension.loop_step, &own),
    }
    if !grows {
        charge_children(&mut comprehension.loop_cond, &own);
        wrap_in_charge(&mut comprehension.loop_cond);
    }
    charge_children(&mut comprehension.result, &own);
}

fn is_variable(expression: &IdedExpr, name: &str) -> bool {
    matches!(&expression.expr, Expr::Ident(known) if known == name)
}
