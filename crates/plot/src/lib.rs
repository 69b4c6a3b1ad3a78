//! Figures and pages of results.
//!
//! * [`figure`]: panels, axes and series, drawn as SVG and, with the feature `png`, as PNG and PDF.
//! * [`html`]: a page of tables and figures in one file.
//!
//! Nothing here runs a simulation or opens a file: builders receive flow records and the texts of
//! result files, and return texts and bytes.

pub mod figure;
pub mod html;
mod markup;
mod table;
#[cfg(test)]
mod testing;
