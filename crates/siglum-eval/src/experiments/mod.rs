//! One module for each experiment. Each owns its arguments, if it has any but the corpus; running it gives a report.

pub mod align_speed;
pub mod by_pages;
pub mod calibration;
pub mod candidates;
pub mod check;
pub mod copies;
pub mod coverage;
pub mod formats;
pub mod generated;
pub mod hamming;
pub mod holdout;
pub mod hostile;
pub mod languages;
pub mod library;
pub mod library_evidence;
pub mod packages;
pub mod pagemap;
pub mod paper_versions;
pub mod probability;
pub mod quality;
pub mod relations;
mod scanned;
pub mod sigla;
pub mod speed;
pub mod thresholds;
pub mod translations;
