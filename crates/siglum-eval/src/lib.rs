//! Corpora, mutations, metrics and experiments: every claim Siglum makes is a command of this crate.

pub mod bombs;
pub mod code;
pub mod common_runs;
pub mod corpus;
pub mod experiments;
pub mod generate;
pub mod made_library;
pub mod metrics;
pub mod mutate;
pub mod pairs;
pub mod papers;
pub mod plot;
pub mod recombined;
pub mod rng;
