//! The catalogue check: damaged queries, titles that are not there, volumes, labelled pairs, speed.
//!
//! Paper: Padmasree et al. 2006, §V, Table III. Beside its figures stand its method as printed and ours.

pub mod as_typed;
pub mod bench;
pub mod calibration;
pub mod catalogues;
pub mod damage;
pub mod fit;
pub mod labelled;
pub mod printed;
pub mod prior;
pub mod report;
