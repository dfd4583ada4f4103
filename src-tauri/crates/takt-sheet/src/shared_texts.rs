//! The texts that a workbook's cells share, in one piece of memory: a workbook may claim tens of millions of them.

use crate::{Limits, Measure, SheetError};

/// Texts by number.
#[derive(Debug, Default)]
pub(crate) struct SharedTexts {
    text: String,
    /// Where each text ends; it begins where the one before ends.
    ends: Vec<u32>,
}

impl SharedTexts {
    pub(crate) fn get(&self, number: usize) -> Option<&str> {
        let end = *self.ends.get(number)? as usize;
        let start = match number.checked_sub(1) {
            Some(before) => *self.ends.get(before)? as usize,
            None => 0,
        };
        self.text.get(start..end)
    }

    /// Looks at some texts that are going to be asked for: where they lie far apart, memory brings many at the same time, and not
    /// one after the other. `places` is room that is used again and again.
    pub(crate) fn touch(&self, numbers: impl Iterator<Item = usize>, places: &mut Vec<u32>) {
        places.clear();
        places.extend(numbers.filter_map(|number| self.ends.get(number).copied()));
        let bytes = self.text.as_bytes();
        // A text begins before its end; what is looked at doesn't matter, but that it is.
        let begins = places.iter().filter_map(|&end| bytes.get((end as usize).checked_sub(1)?));
        std::hint::black_box(begins.fold(0_u8, |seen, &byte| seen ^ byte));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds to the text that is being read; see [`Self::end`].
    pub(crate) fn push_str(&mut self, part: &str) {
        self.text.push_str(part);
    }

    /// What is to be added to for adding to the text that is being read; see [`Self::end`].
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
            texts.push_str(part);
            texts.end(&limits).unwrap();
        }
        assert_eq!((texts.get(0), texts.get(1), texts.get(2), texts.get(3)), (Some("a"), Some(""), Some("ö"), None));
        assert!(matches!(texts.end(&limits), Err(SheetError::TooLarge { what: Measure::Cells, limit: 3 })));
        assert_eq!(texts.len(), 3);
    }
}
