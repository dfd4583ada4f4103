//! The shared texts of a workbook in a single allocation, because a workbook may claim tens of millions of them.

use crate::{LimitKind, Limits, SheetError};

/// Shared texts by index.
#[derive(Debug, Default)]
pub(crate) struct SharedTexts {
    text: String,
    /// The end of each text. A text begins at the end of the previous one.
    ends: Vec<u32>,
}

/// Looks up the shared texts of cells.
pub(crate) trait SharedTextLookup {
    /// See [`SharedTexts::prefetch`].
    fn prefetch(&self, numbers: impl Iterator<Item = usize>, spans: &mut Vec<(u32, u32)>);

    /// Returns a text, or `None` if there is no such text.
    ///
    /// # Errors
    /// If the texts up to this one can't be read.
    fn get(&mut self, number: usize) -> Result<Option<&str>, SheetError>;
}

impl SharedTextLookup for SharedTexts {
    fn prefetch(&self, numbers: impl Iterator<Item = usize>, spans: &mut Vec<(u32, u32)>) {
        Self::prefetch(self, numbers, spans);
    }

    fn get(&mut self, number: usize) -> Result<Option<&str>, SheetError> {
        Ok(Self::get(self, number))
    }
}

impl SharedTexts {
    pub(crate) fn get(&self, number: usize) -> Option<&str> {
        let (start, end) = self.span(number)?;
        self.text.get(start as usize..end as usize)
    }

    /// Returns the start and the end of a text.
    #[inline]
    fn span(&self, number: usize) -> Option<(u32, u32)> {
        let end = *self.ends.get(number)?;
        let start = match number.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        Some((start, end))
    }

    /// Loads texts that are read soon into the CPU's cache. Texts that are far apart are then fetched from memory at
    /// the same time instead of one after the other. `spans` is a reusable buffer.
    pub(crate) fn prefetch(&self, numbers: impl Iterator<Item = usize>, spans: &mut Vec<(u32, u32)>) {
        spans.clear();
        spans.extend(numbers.filter_map(|number| self.span(number)));
        let bytes = self.text.as_bytes();
        // Reads the bytes that [`Self::get`] will read to check for character boundaries at both positions.
        let byte = |at: u32| bytes.get(at as usize).copied().unwrap_or_default();
        std::hint::black_box(spans.iter().fold(0, |seen, &(start, end)| seen ^ byte(start) ^ byte(end)));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the buffer to which the current text is appended until [`Self::end_text`].
    pub(crate) fn current_text(&mut self) -> &mut String {
        &mut self.text
    }

    /// Ends the current text.
    ///
    /// # Errors
    /// If there are more texts than a sheet may have cells, or more bytes than the limit.
    pub(crate) fn end_text(&mut self, limits: &Limits) -> Result<(), SheetError> {
        if self.ends.len() as u64 >= limits.cells {
            return Err(SheetError::too_large(LimitKind::Cells, limits.cells));
        }
        let end = u32::try_from(self.text.len()).ok().filter(|&end| u64::from(end) <= limits.shared_text_bytes);
        let end = end.ok_or_else(|| SheetError::too_large(LimitKind::UnpackedBytes, limits.shared_text_bytes))?;
        self.ends.push(end);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_their_number() {
        let (mut texts, limits) = (SharedTexts::default(), Limits { cells: 3, ..Limits::default() });
        for part in ["a", "", "ö"] {
            texts.current_text().push_str(part);
            texts.end_text(&limits).unwrap();
        }
        assert_eq!((texts.get(0), texts.get(1), texts.get(2), texts.get(3)), (Some("a"), Some(""), Some("ö"), None));
        assert!(matches!(texts.end_text(&limits), Err(SheetError::TooLarge { what: LimitKind::Cells, limit: 3 })));
        assert_eq!(texts.len(), 3);
    }
}
