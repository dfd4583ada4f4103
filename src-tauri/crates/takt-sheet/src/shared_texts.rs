//! The texts that a workbook's cells share, in one piece of memory: a workbook may claim tens of millions of them.

use crate::{Limits, Measure, SheetError};

/// Texts by number.
#[derive(Debug, Default)]
pub(crate) struct SharedTexts {
    text: String,
    /// Where each text ends; it begins where the one before ends.
    ends: Vec<u32>,
}

/// Where cells find the texts that they share.
pub(crate) trait SharedTextLookup {
    /// See [`SharedTexts::touch`].
    fn touch(&self, numbers: impl Iterator<Item = usize>, places: &mut Vec<(u32, u32)>);

    /// Absent where there is no such text.
    ///
    /// # Errors
    /// Where the texts up to this one can't be read.
    fn get(&mut self, number: usize) -> Result<Option<&str>, SheetError>;
}

impl SharedTextLookup for SharedTexts {
    fn touch(&self, numbers: impl Iterator<Item = usize>, places: &mut Vec<(u32, u32)>) {
        Self::touch(self, numbers, places);
    }

    fn get(&mut self, number: usize) -> Result<Option<&str>, SheetError> {
        Ok(Self::get(self, number))
    }
}

impl SharedTexts {
    pub(crate) fn get(&self, number: usize) -> Option<&str> {
        let (start, end) = self.place(number)?;
        self.text.get(start as usize..end as usize)
    }

    /// Where a text begins and ends.
    #[inline]
    fn place(&self, number: usize) -> Option<(u32, u32)> {
        let end = *self.ends.get(number)?;
        let start = match number.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        Some((start, end))
    }

    /// Looks at some texts that are going to be asked for: where they lie far apart, memory brings many at the same time, and not
    /// one after the other. `places` is room that is used again and again.
    pub(crate) fn touch(&self, numbers: impl Iterator<Item = usize>, places: &mut Vec<(u32, u32)>) {
        places.clear();
        places.extend(numbers.filter_map(|number| self.place(number)));
        let bytes = self.text.as_bytes();
        // What is looked at doesn't matter, but that it is: [`Self::get`] asks whether a letter begins in both places.
        let byte = |at: u32| bytes.get(at as usize).copied().unwrap_or_default();
        std::hint::black_box(places.iter().fold(0, |seen, &(start, end)| seen ^ byte(start) ^ byte(end)));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text to which the text that is being read is added; see [`Self::end`].
    pub(crate) fn begun(&mut self) -> &mut String {
        &mut self.text
    }

    /// Ends the text that is being read.
    ///
    /// # Errors
    /// Where there are more texts than a sheet may have cells, or more letters than may be held.
    pub(crate) fn end(&mut self, limits: &Limits) -> Result<(), SheetError> {
        if self.ends.len() as u64 >= limits.cells {
            return Err(SheetError::too_large(Measure::Cells, limits.cells));
        }
        let end = u32::try_from(self.text.len()).ok().filter(|&end| u64::from(end) <= limits.shared_text_bytes);
        let end = end.ok_or_else(|| SheetError::too_large(Measure::UnpackedBytes, limits.shared_text_bytes))?;
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
            texts.begun().push_str(part);
            texts.end(&limits).unwrap();
        }
        assert_eq!((texts.get(0), texts.get(1), texts.get(2), texts.get(3)), (Some("a"), Some(""), Some("ö"), None));
        assert!(matches!(texts.end(&limits), Err(SheetError::TooLarge { what: Measure::Cells, limit: 3 })));
        assert_eq!(texts.len(), 3);
    }
}
