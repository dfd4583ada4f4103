//! What an operator is told: a text with places `{…}`, each an expression. `{{` and `}}` are braces.

use cel::{Context, Value};

use super::{
    evaluation_budget::EvaluationBudget,
    expression::{Expression, ParsedExpression},
    values::Reader,
};
use crate::events::{Fault, FaultCode};

/// Characters that are told at most.
const MAX_MESSAGE_LENGTH: usize = 500;

/// A piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TemplatePart {
    Text(String),
    /// An expression, and where it begins.
    Place(String, usize),
}

/// A text whose places can be filled.
#[derive(Debug)]
pub(super) struct MessageTemplate(Vec<CompiledPart>);

#[derive(Debug)]
enum CompiledPart {
    Text(String),
    Place(Expression, usize),
}

impl MessageTemplate {
    /// Only on a thread with [`super::expression::STACK`].
    pub(super) fn read(text: &str) -> Result<Self, Fault> {
        let read = |piece| match piece {
            TemplatePart::Text(text) => Ok(CompiledPart::Text(text)),
            TemplatePart::Place(text, at) => {
                Ok(CompiledPart::Place(ParsedExpression::read(&text).map_err(|fault| fault.shifted(at))?.bounded(), at))
            }
        };
        Ok(Self(pieces(text)?.into_iter().map(read).collect::<Result<_, _>>()?))
    }

    /// The text for one event.
    pub(super) fn render(
        &self,
        context: &Context<'_, '_>,
        purse: &EvaluationBudget,
        reader: &Reader,
    ) -> Result<String, Fault> {
        let mut message = String::new();
        for piece in &self.0 {
            if message.len() > 4 * MAX_MESSAGE_LENGTH {
                break;
            }
            match piece {
                CompiledPart::Text(text) => message.push_str(text),
                CompiledPart::Place(expression, at) => {
                    let value: Value = expression.run(context, purse).map_err(|fault| fault.shifted(*at))?;
                    message.push_str(&reader.display_text(&value));
                }
            }
        }
        Ok(message.chars().take(MAX_MESSAGE_LENGTH).collect())
    }
}

/// A text into its pieces. A brace within a place's own text or map isn't its end.
pub(super) fn pieces(text: &str) -> Result<Vec<TemplatePart>, Fault> {
    if text.trim().is_empty() {
        return Err(Fault::new(FaultCode::Empty, 0));
    }
    if let Some((at, _)) = text.chars().enumerate().nth(4 * MAX_MESSAGE_LENGTH) {
        return Err(Fault::new(FaultCode::TooLong, at).with("most", (4 * MAX_MESSAGE_LENGTH).to_string()));
    }
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut letters = text.chars().enumerate().peekable();
    while let Some((at, letter)) = letters.next() {
        let doubled = letters.peek().is_some_and(|(_, next)| *next == letter);
        match letter {
            '{' | '}' if doubled => {
                letters.next();
                plain.push(letter);
            }
            '}' => return Err(Fault::new(FaultCode::Brace, at)),
            '{' => {
                let place = place(&mut letters).ok_or_else(|| Fault::new(FaultCode::Brace, at))?;
                if !plain.is_empty() {
                    pieces.push(TemplatePart::Text(std::mem::take(&mut plain)));
                }
                pieces.push(TemplatePart::Place(place, at + 1));
            }
            _ => plain.push(letter),
        }
    }
    if !plain.is_empty() {
        pieces.push(TemplatePart::Text(plain));
    }
    Ok(pieces)
}

/// Up to the brace that closes it; none where none does.
fn place(letters: &mut impl Iterator<Item = (usize, char)>) -> Option<String> {
    let (mut place, mut open, mut quote, mut escaped) = (String::new(), 0_u32, None, false);
    for (_, letter) in letters {
        match (quote, letter) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(known), _) => quote = Some(known).filter(|known| *known != letter),
            (None, '"' | '\'') => quote = Some(letter),
            (None, '{') => open += 1,
            (None, '}') if open == 0 => return Some(place),
            (None, '}') => open -= 1,
            (None, _) => {}
        }
        place.push(letter);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_its_places() {
        let text = |text: &str| TemplatePart::Text(text.to_owned());
        let place = |text: &str, at| TemplatePart::Place(text.to_owned(), at);
        assert_eq!(pieces("a {b} c"), Ok(vec![text("a "), place("b", 3), text(" c")]));
        assert_eq!(pieces("{{x}} {\"}\" + {'a': 1}.a}"), Ok(vec![text("{x} "), place("\"}\" + {'a': 1}.a", 7)]));
        assert_eq!(pieces("a { b").map_err(|fault| (fault.code, fault.at)), Err((FaultCode::Brace, 2)));
        assert_eq!(pieces("a } b").map_err(|fault| (fault.code, fault.at)), Err((FaultCode::Brace, 2)));
        assert_eq!(pieces("  ").map_err(|fault| fault.code), Err(FaultCode::Empty));
    }
}
